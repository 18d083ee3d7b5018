"""Settings: one frozen object, read once from the environment by the entry points."""

from __future__ import annotations

import logging
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from submissions.webhooks.addresses import address_fault

Durability = Literal["disk", "hub", "nowhere"]
"""Where what is accepted survives: this machine's disk, the Hub repository, or nowhere (a Space without either)."""

logger = logging.getLogger(__name__)

DurableSetting = Literal["auto", "disk", "hub"]


DEFAULT_SEASONS = "seasons"
"""Folder of the seasons' files, beside `app.py`; one that is named otherwise must be there."""


class SettingsError(Exception):
    """Raised by `Settings.from_env` when the environment cannot be understood; lists every fault."""


def _about(
    env: str, default: str, help_text: str, least: float = -math.inf, most: float = math.inf
) -> dict[str, str | float]:
    """What is said about one setting: the variable that sets it, its default, its help, and what a number may be."""
    return {"env": env, "default": default, "help": help_text, "least": least, "most": most}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set from outside; documented in docs/settings.md."""

    port: int = field(metadata=_about("PORT", "7860", "Port of the page server.", least=0, most=65535))
    host: str = field(
        metadata=_about("GRADIO_SERVER_NAME", "127.0.0.1", "Address the page server listens on; a Space sets 0.0.0.0.")
    )
    data: Path = field(
        metadata=_about("PLUMBLINE_DATA", "data", "Folder of the database, the archive and fetched prompt sets.")
    )
    database_url: str = field(
        metadata=_about(
            "PLUMBLINE_DATABASE_URL",
            "",
            "Database URL: postgresql://USER:PASSWORD@HOST/DATABASE, or sqlite:///FILE; blank = SQLite in the data "
            "folder (local disk only).",
        )
    )
    workers: int = field(
        metadata=_about("PLUMBLINE_WORKERS", "1", "Worker processes app.py starts: 1, or 0 for none.", least=0, most=1)
    )
    judges: str = field(
        metadata=_about(
            "PLUMBLINE_JUDGES",
            "auto",
            "Judges, comma-separated; the first one judges the boards. auto = a small pinned model on a GPU, else "
            "pair; docs/judges.md lists all.",
        )
    )
    embedding: str = field(
        metadata=_about(
            "PLUMBLINE_EMBEDDING",
            "auto",
            "Embedding model of the relevance check and the 2026 figures (docs/judges.md). auto = e5 for 2025 and "
            "2026, minilm elsewhere.",
        )
    )
    judge_api_key: str = field(
        repr=False, metadata=_about("PLUMBLINE_JUDGE_API_KEY", "", "Key for the server of an http judge; never logged.")
    )
    canary_pairs: Path | None = field(
        metadata=_about(
            "PLUMBLINE_CANARY_PAIRS",
            "",
            "File of pairs for the canary, which may stay secret (docs/canary.md); blank = our labelled pairs.",
        )
    )
    canary_webhook: str = field(
        repr=False,
        metadata=_about(
            "PLUMBLINE_CANARY_WEBHOOK",
            "",
            "Address that `canary` posts to when a judge has changed: https, or http to this machine; never logged.",
        ),
    )
    canary_every_s: float = field(
        metadata=_about(
            "PLUMBLINE_CANARY_EVERY_S",
            "0",
            "Seconds between two rounds of the canary (604800 = weekly; docs/canary.md); 0 = never.",
            least=0,
        )
    )
    generators: str = field(
        metadata=_about(
            "PLUMBLINE_GENERATORS",
            "auto",
            "Models that may write in the lab, comma-separated (docs/generators.md). auto = SmolLM2, else scripted; "
            "none = live generation is off.",
        )
    )
    generator_api_key: str = field(
        repr=False,
        metadata=_about("PLUMBLINE_GENERATOR_API_KEY", "", "Key for the servers of http generators; never logged."),
    )
    inference_token: str = field(
        repr=False,
        metadata=_about(
            "PLUMBLINE_INFERENCE_TOKEN",
            "",
            "Token for provider generators that pays for every visitor; never logged; blank = visitors use their own.",
        ),
    )
    reference: Path | None = field(
        metadata=_about(
            "PLUMBLINE_REFERENCE",
            "",
            "Submission file of the system others are compared with on its prompt set; blank = demonstration only.",
        )
    )
    eloquent_dir: Path | None = field(
        metadata=_about(
            "PLUMBLINE_ELOQUENT_DIR",
            "",
            "Folder with the official ELOQUENT files (task3.test.json, xx_2025.json, xx_unspecific.jsonl, "
            "xx_specific.jsonl); blank = fetched copy.",
        )
    )
    fetch_sets: bool = field(
        metadata=_about(
            "PLUMBLINE_FETCH_SETS",
            "1",
            "1 = the worker fetches missing official sets from the Hub at its start; 0 = never.",
        )
    )
    eloquent_repo: str = field(
        metadata=_about(
            "PLUMBLINE_ELOQUENT_REPO", "Eloquent/Robustness", "Hub dataset the official sets are fetched from."
        )
    )
    eloquent_2024_file: str = field(
        metadata=_about("PLUMBLINE_ELOQUENT_2024_FILE", "task3.test.json", "Name of the 2024 test set in that dataset.")
    )
    demonstration: bool = field(
        metadata=_about(
            "PLUMBLINE_DEMONSTRATION",
            "1",
            "1 = enter our example systems on the demonstration boards; 0 = none.",
        )
    )
    recorded: bool = field(
        metadata=_about(
            "PLUMBLINE_RECORDED",
            "1",
            "1 = enter the recorded answers of SmolLM2 on the boards and in the lab; 0 = leave them out.",
        )
    )
    space_id: str = field(
        metadata=_about(
            "SPACE_ID",
            "",
            "Set by a Hugging Face Space: whoever submits there, or ends a run, has to sign in (docs/identity.md).",
        )
    )
    space_host: str = field(
        metadata=_about("SPACE_HOST", "", "Set by a Hugging Face Space: the name the Hub shows its pages under.")
    )
    zero_gpu: str = field(
        metadata=_about(
            "SPACES_ZERO_GPU",
            "",
            "Set by a ZeroGPU Space to true: the lab's local models write and judge on a graphics card, lent for each "
            "text (docs/deploy.md).",
        )
    )
    jobs_backlog: int = field(
        metadata=_about(
            "PLUMBLINE_JOBS_BACKLOG",
            "0",
            "A Space starts a Hugging Face Job, one at a time, when more submissions wait than this; 0 = never "
            "(docs/deploy.md).",
            least=0,
        )
    )
    jobs_flavor: str = field(
        metadata=_about("PLUMBLINE_JOBS_FLAVOR", "t4-small", "Hardware of such a job, as the Hub names it.")
    )
    jobs_token: str = field(
        repr=False,
        metadata=_about(
            "PLUMBLINE_JOBS_TOKEN",
            "",
            "Hub token that may run jobs for the owner of the Space, who pays for them; never logged.",
        ),
    )
    hosts: str = field(
        metadata=_about(
            "PLUMBLINE_HOSTS",
            "",
            "Further host names of the page server, comma-separated, with a port where it is not PORT "
            "(docs/security.md).",
        )
    )
    trusted_proxies: int | None = field(
        metadata=_about(
            "PLUMBLINE_TRUSTED_PROXIES",
            "",
            "Proxies in front of the page server whose X-Forwarded headers are believed; blank = 1 on a Space, else 0.",
            least=0,
        )
    )
    organisers: str = field(
        metadata=_about(
            "PLUMBLINE_ORGANISERS",
            "",
            "Hub accounts of the organisers, comma-separated: user names, or id:SUBJECT (docs/identity.md).",
        )
    )
    seasons: Path = field(
        metadata=_about(
            "PLUMBLINE_SEASONS",
            DEFAULT_SEASONS,
            "Folder with a file NAME.toml for each season of a shared task (docs/seasons.md); without the default "
            "folder everything is open at all times.",
        )
    )
    pseudonym_key: str = field(
        repr=False,
        metadata=_about(
            "PLUMBLINE_PSEUDONYM_KEY",
            "",
            "Secret of at least 32 characters that keeps a season's pseudonyms after a restart and seals review "
            "links (docs/seasons.md); never logged; blank = new pseudonyms at each start, no review links.",
        ),
    )
    submissions_per_day: int = field(
        metadata=_about(
            "PLUMBLINE_SUBMISSIONS_PER_DAY",
            "10",
            "Submissions of one account within 24 hours, where people sign in; failed and cancelled ones do not "
            "count; 0 = no limit.",
            least=0,
        )
    )
    active_runs: int = field(
        metadata=_about(
            "PLUMBLINE_ACTIVE_RUNS",
            "1",
            "Submissions of one account that may wait or be judged at the same time, where people sign in; 0 = no "
            "limit.",
            least=0,
        )
    )
    lab_runs_per_hour: int = field(
        metadata=_about(
            "PLUMBLINE_LAB_RUNS_PER_HOUR",
            "20",
            "Runs of the lab one account may start within an hour on a Space, three times that a network "
            "address without one; 0 = no limit.",
            least=0,
        )
    )
    votes_per_day: int = field(
        metadata=_about(
            "PLUMBLINE_VOTES_PER_DAY",
            "500",
            "Votes on verdicts that one account may give or change within 24 hours, where people sign in; 0 = no "
            "limit.",
            least=0,
        )
    )
    check_s: int = field(
        metadata=_about(
            "PLUMBLINE_CHECK_S",
            "60",
            "Seconds of computing that the check of one file may take; by the clock it may take three times as long.",
            least=1,
        )
    )
    check_mb: int = field(
        metadata=_about("PLUMBLINE_CHECK_MB", "1024", "MiB of memory that the check of one file may take.", least=256)
    )
    checks_at_once: int = field(
        metadata=_about(
            "PLUMBLINE_CHECKS_AT_ONCE",
            "2",
            "Files that are checked at the same time, each in a process of its own; one more checks what is submitted.",
            least=1,
        )
    )
    files_per_minute: int = field(
        metadata=_about(
            "PLUMBLINE_FILES_PER_MINUTE",
            "120",
            "Files that one visitor may upload, check or submit within a minute; after 20 at once, each waits up to "
            "10 s for its turn; 0 = no limit.",
            least=0,
        )
    )
    visitor_uploads_mb: int = field(
        metadata=_about(
            "PLUMBLINE_VISITOR_UPLOADS_MB",
            "768",
            "MiB of uploads that one network address may have here at a time.",
            least=0,
        )
    )
    uploads_mb: int = field(
        metadata=_about("PLUMBLINE_UPLOADS_MB", "4096", "MiB of uploads of all visitors at a time.", least=0)
    )
    free_mb: int = field(
        metadata=_about(
            "PLUMBLINE_FREE_MB", "512", "MiB of the disk with the uploads that no upload may take.", least=0
        )
    )
    mcp: bool = field(
        metadata=_about(
            "PLUMBLINE_MCP",
            "1",
            "1 = assistants may use the public endpoints as MCP tools (docs/api.md); 0 = no MCP server.",
        )
    )
    archive_repo: str = field(
        metadata=_about(
            "PLUMBLINE_ARCHIVE_REPO",
            "",
            "Hub dataset repository (OWNER/NAME) the archive is mirrored to, and restored from on an empty disk; "
            "blank = none.",
        )
    )
    results_dataset: str = field(
        metadata=_about(
            "PLUMBLINE_RESULTS_DATASET",
            "",
            "Hub dataset repository (OWNER/NAME) that entries on model cards name as their benchmark "
            "(docs/eval_results.md); blank = none.",
        )
    )
    hub_token: str = field(
        repr=False,
        metadata=_about(
            "HF_TOKEN", "", "Hub token that may write to the archive repository; never logged, no worker gets it."
        ),
    )
    archive_interval_s: float = field(
        metadata=_about(
            "PLUMBLINE_ARCHIVE_INTERVAL_S",
            "60",
            "Least seconds between two commits to the archive repository; the Hub allows 128 an hour.",
            least=0,
        )
    )
    durable: DurableSetting = field(
        metadata=_about(
            "PLUMBLINE_DURABLE",
            "auto",
            "What makes a submission accepted: disk (the data folder survives restarts), hub (it is in the archive "
            "repository), auto (hub on a Space with an archive repository, else disk).",
        )
    )
    collections: str = field(
        metadata=_about(
            "PLUMBLINE_COLLECTIONS",
            "",
            "Names of collections of human dialogues, comma-separated, each ID=NAME with the 16 hexadecimal digits of "
            "a collection (docs/behavior_alignment.md).",
        )
    )
    lease_s: float = field(
        metadata=_about(
            "PLUMBLINE_LEASE_S", "60", "Seconds after which a silent worker's job goes back to the queue.", least=0.001
        )
    )
    max_attempts: int = field(
        metadata=_about(
            "PLUMBLINE_MAX_ATTEMPTS", "3", "Fruitless attempts in a row after which a job fails; 0 = no limit.", least=0
        )
    )
    step_s: float = field(
        metadata=_about(
            "PLUMBLINE_STEP_S",
            "120",
            "Seconds a submission may stand at one judgement, or at one other step, without getting on: then it fails, "
            "with the place; 0 = no limit.",
            least=0,
        )
    )
    job_s: float = field(
        metadata=_about(
            "PLUMBLINE_JOB_S",
            "86400",
            "Seconds one worker may be at a submission: then it fails, and what was judged is kept; 0 = no limit.",
            least=0,
        )
    )

    @property
    def resolved_database_url(self) -> str:
        """The database URL with the default filled in."""
        return self.database_url or f"sqlite:///{self.data / 'plumbline.db'}"

    @property
    def judge_names(self) -> tuple[str, ...]:
        """The configured judges, the boards' judge first."""
        return tuple(name.strip() for name in self.judges.split(",") if name.strip())

    @property
    def generator_names(self) -> tuple[str, ...]:
        """The models that may write, in the order they are offered; () = live generation is off."""
        if self.generators == "none":
            return ()
        return tuple(name.strip() for name in self.generators.split(",") if name.strip())

    @property
    def host_names(self) -> tuple[str, ...]:
        """Further names the page server is reached under."""
        return tuple(name.strip() for name in self.hosts.split(",") if name.strip())

    @property
    def proxies(self) -> int:
        """Proxies in front of the page server: on a Space the Hub's."""
        return self.trusted_proxies if self.trusted_proxies is not None else int(bool(self.space_id))

    @property
    def organiser_names(self) -> tuple[str, ...]:
        """Who organises: user names, and accounts after `id:`."""
        return tuple(name.strip() for name in self.organisers.split(",") if name.strip())

    @property
    def site_address(self) -> str:
        """Where people find the pages; blank where only whoever runs them knows."""
        return f"https://huggingface.co/spaces/{self.space_id}" if self.space_id else ""

    @property
    def collection_names(self) -> dict[str, str]:
        """Collection -> the name it is registered under."""
        pairs = (part.partition("=") for part in self.collections.split(",") if part.strip())
        return {id_.strip(): name.strip() for id_, _, name in pairs}

    @property
    def durability(self) -> Durability:
        """Where an accepted submission survives a restart."""
        if self.durable != "auto" or not self.space_id:
            return "hub" if self.durable == "hub" else "disk"
        return "hub" if self.archive_repo else "nowhere"

    @property
    def archive(self) -> Path:
        return self.data / "archive"

    @property
    def models(self) -> Path:
        """Where weights that were made here are kept."""
        return self.data / "models"

    @property
    def has_zero_gpu(self) -> bool:
        """Is this a ZeroGPU Space? Read as the package `spaces` does."""
        return self.zero_gpu.lower() in ("1", "t", "true")

    @property
    def own_tasks(self) -> Path:
        """Where tasks of one's own are installed."""
        return self.data / "tasks"

    @property
    def fetched_sets(self) -> Path:
        """Where official sets fetched from the Hub are kept."""
        return self.data / "promptsets"

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Reads every setting; blank counts as unset.

        Raises:
            SettingsError: naming each variable that cannot be read, what was found and what was expected.
        """
        values: dict[str, Any] = {}
        faults: list[str] = []
        for setting in fields(cls):
            name = setting.metadata["env"]
            text = environ.get(name, "").strip() or setting.metadata["default"]
            try:
                values[setting.name] = _parsed(str(setting.type), text, setting.metadata)
            except ValueError as error:
                faults.append(f"{name}: found {text!r}, expected {error}")
        if faults := [*faults, *_further_faults(values)]:
            raise SettingsError("; ".join(faults))
        for name, since in _GONE.items():
            if environ.get(name, "").strip():
                logger.warning("%s does nothing any more: %s", name, since)
        return cls(**values)


def is_repository(name: str) -> bool:
    """Is it the name of a repository on the Hub, OWNER/NAME?"""
    return _REPO.fullmatch(name) is not None


def _further_faults(values: Mapping[str, Any]) -> Iterator[str]:
    """What cannot be of settings that could be read, by themselves and together; one that could not is blank here."""
    of = defaultdict(str, values)
    if 0 < len(of["pseudonym_key"]) < _SHORTEST_KEY:
        yield (
            f"PLUMBLINE_PSEUDONYM_KEY: found {len(of['pseudonym_key'])} characters, expected at least {_SHORTEST_KEY}, "
            "made by chance: whoever guesses it can turn pseudonyms into names"
        )
    for part in (part.strip() for part in of["collections"].split(",")):
        if part and not _COLLECTION.fullmatch(part):
            yield f"PLUMBLINE_COLLECTIONS: found {part!r}, expected ID=NAME with the 16 hex digits of a collection"
    if of["canary_webhook"] and (fault := address_fault(of["canary_webhook"], "any")):
        yield f"PLUMBLINE_CANARY_WEBHOOK: {fault}"
    for env, repository in (
        ("PLUMBLINE_ARCHIVE_REPO", of["archive_repo"]),
        ("PLUMBLINE_RESULTS_DATASET", of["results_dataset"]),
    ):
        if repository and not is_repository(repository):
            yield f"{env}: found {repository!r}, expected OWNER/NAME"
    if of["durable"] not in get_args(DurableSetting):
        yield f"PLUMBLINE_DURABLE: found {of['durable']!r}, expected one of {', '.join(get_args(DurableSetting))}"
    elif of["durable"] == "hub" and not of["archive_repo"]:
        yield "PLUMBLINE_DURABLE is hub: PLUMBLINE_ARCHIVE_REPO must name the repository"
    if of["jobs_backlog"]:
        yield from _job_faults(of)


def _job_faults(values: Mapping[str, Any]) -> Iterator[str]:
    """What a job lacks: it is a worker elsewhere, which reaches nothing of the Space but its database."""
    if not values["space_id"]:
        yield "PLUMBLINE_JOBS_BACKLOG: found outside a Space, expected a Space, whose code a job runs"
    if not values["jobs_token"]:
        yield "PLUMBLINE_JOBS_TOKEN: found nothing, expected a Hub token that may run jobs"
    if not values["database_url"].startswith(("postgresql://", "postgres://")):
        yield "PLUMBLINE_DATABASE_URL: expected postgresql://..., which a job can reach (docs/scale.md)"


_GONE = {
    "PLUMBLINE_CHUNK": "one worker judges a submission, and a judge ray:ADDRESS#JUDGE spreads its questions "
    "(docs/scale.md)",
}
"""Variables that once set something, and what to know instead."""

_SHORTEST_KEY = 32
_COLLECTION = re.compile(r"[0-9a-f]{16}\s*=\s*\S.*")
_REPO = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def _parsed(kind: str, text: str, about: Mapping[str, Any]) -> object:
    """The text of a variable as its field's type; ValueError carries what was expected."""
    if kind.endswith("| None") and not text:
        return None
    if kind in ("int", "int | None"):
        return _number(text, int, "a whole number", about)
    if kind == "float":
        return _number(text, float, "a number", about)
    if kind == "bool":
        if text not in ("0", "1"):
            raise ValueError("0 or 1")
        return text == "1"
    return Path(text) if kind in ("Path", "Path | None") else text


def _number(text: str, read: Callable[[str], float], noun: str, about: Mapping[str, Any]) -> float:
    least, most = about["least"], about["most"]
    words = f"{noun} from {least:g} to {most:g}" if most < math.inf else f"{noun} of {least:g} or more"
    try:
        number = read(text)
    except ValueError:
        raise ValueError(words) from None
    if not (least <= number <= most and number < math.inf):
        raise ValueError(words)
    return number
