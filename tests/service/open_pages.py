"""What a page fetches once it is open: what its own script would send for its links and for every button and list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2

NOT_CALLED = frozenset({"load", "vote"})
"""`load` comes first anyway; a vote would be one."""


@dataclass
class OpenPage:
    """A page in a browser of its own."""

    client: httpx2.Client
    """Of the site."""
    path: str
    config: dict[str, Any] = field(init=False)
    """What gradio knows of this page alone."""
    _components: dict[int, dict[str, Any]] = field(init=False)
    _values: dict[int, Any] = field(init=False)
    """Component -> what the browser holds."""
    _session: str = field(init=False)

    def __post_init__(self) -> None:
        self.config = self.client.get(f"/config?page={self.path}").json()
        self._components = {one["id"]: one for one in self.config["components"]}

    def load(self, query: str) -> str:
        """What the page is answered when somebody comes by a link."""
        self._session = uuid4().hex[:10]
        self._values = {place: one["props"].get("value") for place, one in self._components.items()}
        loads = [one for one in self._backed() if _events(one) == ["load"]]
        return self._call(max(loads, key=lambda one: len(one["outputs"])), query)

    def fetched(self, query: str, carried: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[tuple[str, str]]:
        """Name and answer of everything that the page may ask for where a link leads, each of the page as it came.

        Events that wait in line, a check or a run of the lab, are not among them.

        Args:
            carried: Event -> what it may carry, one after the other; events that are not there carry nothing.
        """
        yield "load", self.load(query)
        for dependency in self._backed():
            if dependency["queue"]:
                continue
            for component, event in dependency["targets"]:
                if event in NOT_CALLED or component not in self._components:
                    continue
                name = self._components[component]["props"].get("elem_id") or self._components[component]["type"]
                for place, data in enumerate(carried.get(event, [{}])):
                    self.load(query)
                    yield f"{name}.{event} {place}", self._call(dependency, data=data, of=component)

    def _backed(self) -> list[dict[str, Any]]:
        return [one for one in self.config["dependencies"] if one["backend_fn"] and one["api_visibility"] == "private"]

    def _call(
        self, dependency: dict[str, Any], query: str = "", data: Mapping[str, Any] | None = None, of: int | None = None
    ) -> str:
        body = {
            "fn_index": dependency["id"],
            "data": [self._values.get(place) for place in dependency["inputs"]],
            "session_hash": self._session,
            "event_data": data,
            "trigger_id": of,
        }
        answer = self.client.post(f"/gradio_api/run/predict?{query}", json=body)
        assert answer.status_code == 200, f"{self.path} {query}: {dependency['targets']}: {answer.text}"
        for place, value in zip(dependency["outputs"], answer.json()["data"], strict=True):
            is_update = isinstance(value, dict) and value.get("__type__") == "update"
            if not is_update:
                self._values[place] = value
            elif "value" in value:
                self._values[place] = value["value"]
        return json.dumps(answer.json(), ensure_ascii=False)


def _events(dependency: Mapping[str, Any]) -> list[str]:
    return [event for _, event in dependency["targets"]]
