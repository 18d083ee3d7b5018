"""A small Hugging Face Hub on loopback: datasets with commits, a paged tree, downloads, and faults on demand.

It speaks what `huggingface_hub` asks for in `repo_info`, `create_repo`, `list_repo_tree`, `create_commit` (plain and
large files, without Xet; of models as pull requests too) and `hf_hub_download`, and notes down what is asked of Spaces
and jobs; written against the client's source, not against the real Hub.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_fakeTokenOfTheTests0123456789"
READER = "hf_fakeTokenThatMayOnlyRead01234"
"""Of an account that the Hub knows; it may neither commit nor open pull requests."""
LARGE = 10_000_000
"""Bytes from which a file is no plain Git blob, as on the Hub."""

Place = Literal[
    "info",
    "create",
    "tree",
    "preupload",
    "lfs_batch",
    "lfs_upload",
    "commit",
    "resolve",
    "front_matter",
    "whoami",
    "discussions",
    "space",
    "job",
    "history",
    "squash",
    "lfs_files",
    "lfs_delete",
    "jobs",
]
Fault = Literal["refused", "lost", "half", "cut", "silent", "held", "moved"]
"""refused: another status instead of the deed; lost: done, but the connection closes without an answer; half: done, the
answer is cut off; cut: done, the answer is the first half, with a fitting length; silent: not done, and no answer until
the server closes; held: done, and no answer either; moved: somebody else commits first."""


@dataclass(frozen=True)
class Misfortune:
    """One fault, for one request."""

    fault: Fault
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Commit:
    """One commit: what it added, and all files after it."""

    oid: str
    message: str
    added: tuple[str, ...]
    files: Mapping[str, bytes]
    at: float


@dataclass(frozen=True)
class PullRequest:
    """A commit that waits for the owners of a repository."""

    repo_id: str
    title: str
    description: str
    parent: str
    """The commit it is said to be on top of; blank where none is named."""
    files: Mapping[str, bytes]
    """What it adds."""
    author: str = "anna"
    status: str = "open"
    """Or merged, or closed."""


class FakeHub:
    """The server, running while it is entered (`with`).

    Args:
        page: Entries of a tree in one answer.
    """

    def __init__(self, page: int = 1000) -> None:
        self.page = page
        self.repositories: dict[str, list[Commit]] = {}
        self.large: dict[str, bytes] = {}
        """Objects in large-file storage by SHA-256."""
        self.requests: list[tuple[Place, int]] = []
        """Every request with the status of its answer; 0 = none was given."""
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.spaces: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        """Space -> what was set there, oldest first: secrets, variables, hardware or volumes, and to what."""
        self.jobs: list[tuple[str, dict[str, Any]]] = []
        """Namespace and specification of every job."""
        self.job_stages: list[str] = []
        """Of each; tests change it."""
        self.pull_requests: list[PullRequest] = []
        """Opened ones, oldest first; the repositories are as before."""
        self.unknown: list[str] = []
        """Requests for what it does not have."""
        self.kept_waiting = threading.Event()
        """Set when a request is left without an answer."""
        self._misfortunes: dict[Place, list[Misfortune]] = defaultdict(list)
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake-hub")

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeHub:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # What tests do

    def inject(self, place: Place, fault: Fault, status: int = 500, **headers: str) -> None:
        """One more fault for the next request there; header names are written with `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._misfortunes[place].append(Misfortune(fault, status, named))

    def is_over(self, place: Place) -> bool:
        """Has every fault been met there?"""
        return not self._misfortunes[place]

    def commits(self, repo_id: str) -> list[Commit]:
        """Commits that added something, oldest first."""
        with self.lock:
            return [commit for commit in self.repositories.get(repo_id, []) if commit.added]

    def files(self, repo_id: str) -> dict[str, bytes]:
        """The newest files."""
        with self.lock:
            return dict(self.repositories[repo_id][-1].files)

    def statuses(self, place: Place) -> list[int]:
        """Of the answers given there so far."""
        with self.lock:
            return [status for where, status in self.requests if where == place]

    def add(
        self, repo_id: str, files: Mapping[str, bytes], message: str = "by somebody else", gone: Set[str] = frozenset()
    ) -> str:
        """A commit of somebody else's; makes the repository where there is none."""
        with self.lock:
            history = self.repositories.setdefault(repo_id, [])
            before = dict(history[-1].files) if history else {}
            oid = hashlib.sha1(f"{repo_id} {len(history)} {message}".encode(), usedforsecurity=False).hexdigest()
            after = {path: data for path, data in (before | dict(files)).items() if path not in gone}
            history.append(Commit(oid, message, tuple(files), after, time.monotonic()))
            return oid

    # What the handler asks

    def misfortune(self, place: Place) -> Misfortune | None:
        waiting = self._misfortunes[place]
        return waiting.pop(0) if waiting else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], hub: FakeHub) -> None:
        self.hub = hub
        super().__init__(address, _Handler)


_ROUTES: tuple[tuple[str, str, Place], ...] = (
    ("POST", r"/api/repos/create", "create"),
    ("GET", r"/api/whoami-v2", "whoami"),
    ("GET", r"/api/models/(?P<repo>[^/]+/[^/]+)/discussions", "discussions"),
    ("POST", r"/api/validate-yaml", "front_matter"),
    ("POST", r"/api/spaces/(?P<repo>[^/]+/[^/]+)/(?P<what>secrets|variables|hardware)", "space"),
    ("PUT", r"/api/spaces/(?P<repo>[^/]+/[^/]+)/(?P<what>volumes)", "space"),
    ("POST", r"/api/jobs/(?P<namespace>[^/]+)", "job"),
    ("GET", r"/api/jobs/(?P<namespace>[^/]+)", "jobs"),
    ("GET", r"/api/(?:datasets|spaces|models)/(?P<repo>[^/]+/[^/]+)", "info"),
    ("GET", r"/api/(?:datasets|spaces|models)/(?P<repo>[^/]+/[^/]+)/revision/(?P<revision>[^/]+)", "info"),
    ("GET", r"/api/(?:datasets|spaces)/(?P<repo>[^/]+/[^/]+)/tree/(?P<revision>[^/]+)", "tree"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/commits/main", "history"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/super-squash/main", "squash"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/lfs-files", "lfs_files"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/lfs-files/batch", "lfs_delete"),
    ("POST", r"/api/(?:datasets|spaces|models)/(?P<repo>[^/]+/[^/]+)/preupload/main", "preupload"),
    ("POST", r"/api/(?:datasets|spaces|models)/(?P<repo>[^/]+/[^/]+)/commit/main", "commit"),
    ("POST", r"/(?:datasets|spaces)/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT", r"/large/(?P<oid>[0-9a-f]{64})", "lfs_upload"),
    ("HEAD", r"/(?:(?:datasets|spaces)/)?(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)", "resolve"),
    ("GET", r"/(?:(?:datasets|spaces)/)?(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)", "resolve"),
)

Answer = tuple[int, dict[str, str], bytes]


def _json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode()


def _error(status: int, code: str) -> Answer:
    return _json({"error": code}, status, {"X-Error-Code": code})


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    _misfortune: Misfortune | None = None

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub, url = self.server.hub, urlsplit(self.path)
        body = self._body()
        for method, pattern, place in _ROUTES:
            found = re.fullmatch(pattern, unquote(url.path))
            if found and self.command == method:
                self._misfortune = hub.misfortune(place)
                answer = self._refusal(place) or getattr(self, f"_{place}")(found.groupdict(), url.query, body)
                self._send(place, answer)
                return
        self.server.hub.unknown.append(f"{self.command} {self.path}")
        self._send("info", _error(404, f"no route {self.command} {url.path}"))

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _refusal(self, place: Place) -> Answer | None:
        """What is answered instead of what was asked for."""
        misfortune = self._misfortune
        if misfortune and misfortune.fault == "silent":
            return _error(500, "never sent")
        if misfortune and misfortune.fault == "refused":
            return _json({"error": "injected"}, misfortune.status, misfortune.headers)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token == READER:
            return _error(403, "Forbidden") if self.command not in ("GET", "HEAD") else None
        if place != "lfs_upload" and token != TOKEN:
            # The client tells a bad token from a hidden repository by this header.
            said = "Invalid credentials in Authorization header"
            return _json({"error": said}, 401, {"X-Error-Message": said})
        return None

    def _send(self, place: Place, answer: Answer) -> None:
        hub = self.server.hub
        status, headers, body = answer
        fault = self._misfortune.fault if self._misfortune else None
        if fault in ("silent", "held"):
            hub.kept_waiting.set()
            hub.closing.wait()
        if fault in ("lost", "silent", "held"):
            with hub.lock:
                hub.requests.append((place, 0))
            self._hang_up()
            return
        with hub.lock:
            hub.requests.append((place, status))
        if fault == "cut":
            body = body[: len(body) // 2]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if fault == "half" else body)
        if fault == "half":
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    # One method for each place

    def _commit_of(self, repo: str, revision: str = "main") -> Commit | None:
        history = self.server.hub.repositories.get(repo, [])
        return next((one for one in reversed(history) if revision in ("main", one.oid)), None)

    def _create(self, _found: dict[str, str], _query: str, body: bytes) -> Answer:
        hub, asked = self.server.hub, json.loads(body)
        assert asked["visibility"] == "private"
        assert asked["type"] in ("dataset", "space")
        repo = f"{asked['organization']}/{asked['name']}"
        with hub.lock:
            if repo in hub.repositories:
                return _error(409, "You already created this repo")
            hub.add(repo, {}, "initial commit")
        return _json({"url": f"{hub.endpoint}/{asked['type']}s/{repo}", "name": repo})

    def _front_matter(self, _found: dict[str, str], _query: str, _body: bytes) -> Answer:
        return _json({"errors": [], "warnings": []})

    def _space(self, found: dict[str, str], _query: str, body: bytes) -> Answer:
        with self.server.hub.lock:
            self.server.hub.spaces[found["repo"]].append((found["what"], json.loads(body)))
        return _json({} if found["what"] == "variables" else {"stage": "BUILDING"})

    def _job(self, found: dict[str, str], _query: str, body: bytes) -> Answer:
        with self.server.hub.lock:
            self.server.hub.jobs.append((found["namespace"], json.loads(body)))
            self.server.hub.job_stages.append("SCHEDULING")
        owner = {"id": "1", "name": found["namespace"], "type": "user"}
        return _json({"id": "job1", "owner": owner, "status": {"stage": "SCHEDULING", "message": None}})

    def _jobs(self, found: dict[str, str], query: str, _body: bytes) -> Answer:
        """Those of a namespace that have all labels, and one of the stages, that the query names."""
        asked, hub = parse_qs(query), self.server.hub
        shown = []
        with hub.lock:
            for number, ((namespace, job), stage) in enumerate(zip(hub.jobs, hub.job_stages, strict=True), start=1):
                labels = {f"{key}={value}" for key, value in job.get("labels", {}).items()}
                is_asked_for = stage in asked.get("stage", [stage]) and labels >= set(asked.get("label", []))
                if namespace == found["namespace"] and is_asked_for:
                    owner = {"id": "1", "name": namespace, "type": "user"}
                    shown.append({"id": f"job{number}", "owner": owner, "status": {"stage": stage, "message": None}})
        return _json(shown)

    def _info(self, found: dict[str, str], _query: str, _body: bytes) -> Answer:
        with self.server.hub.lock:
            commit = self._commit_of(found["repo"], found.get("revision", "main"))
        if commit is None:
            return _error(404, "RepoNotFound")
        return _json({"id": found["repo"], "sha": commit.oid, "private": True})

    def _tree(self, found: dict[str, str], query: str, _body: bytes) -> Answer:
        hub = self.server.hub
        with hub.lock:
            commit = self._commit_of(found["repo"], found["revision"])
        if commit is None:
            return _error(404, "RevisionNotFound")
        start = int(parse_qs(query).get("cursor", ["0"])[0])
        entries = [self._entry(path, data) for path, data in sorted(commit.files.items())]
        folders = sorted({path.rpartition("/")[0] for path in commit.files})
        entries += [{"type": "directory", "path": folder, "oid": "0" * 40, "size": 0} for folder in folders]
        headers = {}
        if start + hub.page < len(entries):
            path = urlsplit(self.path).path
            following = f"{hub.endpoint}{path}?recursive=true&cursor={start + hub.page}"
            headers["Link"] = f'<{following}>; rel="next"'
        return _json(entries[start : start + hub.page], headers=headers)

    def _entry(self, path: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": _blob_id(data)}
        if len(data) >= LARGE:
            entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
        return entry

    def _preupload(self, found: dict[str, str], _query: str, body: bytes) -> Answer:
        with self.server.hub.lock:
            commit = self._commit_of(found["repo"])
        if commit is None:
            return _error(404, "RepoNotFound")
        files = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if file["size"] >= LARGE else "regular",
                "shouldIgnore": False,
                "oid": self._remote_oid(commit.files.get(file["path"])),
            }
            for file in json.loads(body)["files"]
        ]
        return _json({"files": files})

    def _remote_oid(self, data: bytes | None) -> str | None:
        if data is None:
            return None
        return hashlib.sha256(data).hexdigest() if len(data) >= LARGE else _blob_id(data)

    def _lfs_batch(self, _found: dict[str, str], _query: str, body: bytes) -> Answer:
        hub = self.server.hub
        objects = []
        for one in json.loads(body)["objects"]:
            upload = {"upload": {"href": f"{hub.endpoint}/large/{one['oid']}", "header": {}}}
            objects.append({**one} if one["oid"] in hub.large else {**one, "actions": upload})
        return _json({"transfer": "basic", "objects": objects})

    def _lfs_upload(self, found: dict[str, str], _query: str, body: bytes) -> Answer:
        if hashlib.sha256(body).hexdigest() != found["oid"]:
            return _error(400, "the bytes are not those announced")
        self.server.hub.large[found["oid"]] = body
        return 200, {}, b""

    def _commit(self, found: dict[str, str], query: str, body: bytes) -> Answer:
        hub, repo = self.server.hub, found["repo"]
        lines = [json.loads(line) for line in body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        with hub.lock:
            if self._misfortune and self._misfortune.fault == "moved":
                hub.add(repo, {"README.md": f"{len(hub.repositories[repo])}".encode()})
            commit = self._commit_of(repo)
            if commit is None:
                return _error(404, "RepoNotFound")
            if header.get("parentCommit", commit.oid) != commit.oid:
                return _error(412, "A commit has happened since. Please refresh and try again.")
            added: dict[str, bytes] = {}
            gone = {line["value"]["path"] for line in lines if line["key"] == "deletedFile"}
            for line in lines:
                value = line["value"]
                if line["key"] == "file":
                    added[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    added[value["path"]] = hub.large[value["oid"]]
            if parse_qs(query).get("create_pr") == ["1"]:
                parent = header.get("parentCommit", "")
                return self._pull_request(PullRequest(repo, header["summary"], header["description"], parent, added))
            oid = hub.add(repo, added, header["summary"], gone=gone)
        return _json({"success": True, "commitOid": oid, "commitUrl": f"{hub.endpoint}/datasets/{repo}/commit/{oid}"})

    def _history(self, found: dict[str, str], _query: str, _body: bytes) -> Answer:
        with self.server.hub.lock:
            history = list(self.server.hub.repositories.get(found["repo"], []))
        if not history:
            return _error(404, "RepoNotFound")
        said = {"authors": [{"user": "anna"}], "date": "2026-11-23T12:00:00.000Z", "message": ""}
        return _json([{"id": one.oid, "title": one.message, **said} for one in reversed(history)])

    def _squash(self, found: dict[str, str], _query: str, body: bytes) -> Answer:
        hub = self.server.hub
        with hub.lock:
            files = hub.repositories.pop(found["repo"])[-1].files
            hub.add(found["repo"], files, json.loads(body)["message"])
        return _json({})

    def _lfs_files(self, found: dict[str, str], _query: str, _body: bytes) -> Answer:
        said = {"filename": "", "pushedAt": "2026-11-23T12:00:00.000Z"}
        with self.server.hub.lock:
            large = dict(self.server.hub.large)
        return _json([{"fileOid": oid, "oid": oid, "size": len(data), **said} for oid, data in large.items()])

    def _lfs_delete(self, _found: dict[str, str], _query: str, body: bytes) -> Answer:
        with self.server.hub.lock:
            for oid in json.loads(body)["deletions"]["sha"]:
                del self.server.hub.large[oid]
        return _json({})

    def _whoami(self, found: dict[str, str], query: str, body: bytes) -> Answer:
        return _json({"type": "user", "name": "anna", "auth": {"accessToken": {"role": "fineGrained"}}})

    def _discussions(self, found: dict[str, str], query: str, body: bytes) -> Answer:
        """As the Hub pages them: those that the query asks for, the newest first, two at a time."""
        asked = {key: values[0] for key, values in parse_qs(query).items()}
        repo, page, size = found["repo"], int(asked["p"]), 2
        every = list(enumerate((one for one in self.server.hub.pull_requests if one.repo_id == repo), 1))
        wanted = [
            (number, one)
            for number, one in reversed(every)
            if asked.get("author", one.author) == one.author and asked.get("status", one.status) == one.status
        ]
        shown = [
            {
                "title": one.title,
                "num": number,
                "author": {"name": one.author},
                "createdAt": "2026-11-23T12:00:00.000Z",
                "status": one.status,
                "repo": {"name": repo, "type": "model"},
                "isPullRequest": True,
            }
            for number, one in wanted[page * size : (page + 1) * size]
        ]
        return _json({"discussions": shown, "count": len(wanted), "start": page * size})

    def _pull_request(self, made: PullRequest) -> Answer:
        hub = self.server.hub
        hub.pull_requests.append(made)
        number = len(hub.pull_requests)
        address = f"{hub.endpoint}/{made.repo_id}"
        oid = f"{number:040x}"
        return _json(
            {
                "success": True,
                "commitOid": oid,
                "commitUrl": f"{address}/commit/{oid}",
                "pullRequestUrl": f"{address}/discussions/{number}",
            }
        )

    def _resolve(self, found: dict[str, str], _query: str, _body: bytes) -> Answer:
        with self.server.hub.lock:
            commit = self._commit_of(found["repo"], found["revision"])
        if commit is None or found["path"] not in commit.files:
            return _error(404, "EntryNotFound")
        data = commit.files[found["path"]]
        headers = {"ETag": f'"{_blob_id(data)}"', "X-Repo-Commit": commit.oid, "Content-Length": str(len(data))}
        return 200, headers, data

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
