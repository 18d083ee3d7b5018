"""docs/deploy.md as a script, run against a fake Hub; what arrived there is looked at."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from huggingface_hub import metadata_load

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.generators.smollm2 import HUB_REPOSITORY
from evaluator.judge_loading.embedders import HUB_E5
from submissions.promptsets.download import HUB_DATASET
from submissions.settings import Settings
from tests.service.fake_hub import TOKEN, FakeHub

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
SPACE = "OWNER/plumbline"


@pytest.fixture(scope="module")
def hub() -> Iterator[FakeHub]:
    """The fake Hub after every line of Python of the page."""
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", DOCS, re.MULTILINE | re.DOTALL)
    script = "\n".join(dedent(block) for block in blocks)
    with FakeHub() as fake:
        environment = {**os.environ, "HF_ENDPOINT": fake.endpoint, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}
        environment["HF_HUB_DISABLE_TELEMETRY"] = "1"
        environment.pop("HF_HUB_OFFLINE", None)
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == "job1\n"
        assert fake.unknown == []
        yield fake


def test_the_space_gets_the_code_and_nothing_that_was_left_behind(hub: FakeHub) -> None:
    files = hub.files(SPACE)
    tracked = {"app.py", "requirements.txt", "README.md", "leaderboard/ui.py", "submissions/store/store.py"}
    assert tracked <= files.keys()
    # For processors, with a line on top; for a card; for ZeroGPU.
    asked = (ROOT / "requirements.txt").read_bytes()
    of_zero_gpu = asked.replace(b"torch>=2.11,<2.14\n", b"torch==2.11.0\n")
    written = [commit.files["requirements.txt"] for commit in hub.commits(SPACE) if "requirements.txt" in commit.added]
    assert written == [b"--extra-index-url https://download.pytorch.org/whl/cpu\n" + asked, asked, of_zero_gpu]
    assert b"torch==2.11.0\n" in of_zero_gpu
    assert files["app.py"] == (ROOT / "app.py").read_bytes()
    assert any(path.endswith(".safetensors") for path in files)  # the embedded judge comes along
    kinds = ("/.", "/data/", "/tests/", ".pyc")
    assert [path for path in files if any(kind in f"/{path}" for kind in kinds)] == []


def test_the_front_matter_names_what_a_space_needs() -> None:
    front = metadata_load(ROOT / "README.md")
    assert front is not None
    assert front["sdk"] == "gradio"
    assert front["hf_oauth"] is True
    assert (ROOT / front["app_file"]).is_file()
    pinned = re.search(r"^gradio\[.*\]==(.*)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert pinned
    assert front["sdk_version"] == pinned[1]
    # The Hub links the Space from the models and data sets it uses, as the code names them.
    assert set(front["models"]) == {HUB_REPOSITORY, HUB_E5[0], MiniLMEmbedder().pin.model.partition(" ")[0]}
    assert front["datasets"] == [HUB_DATASET]
    assert "leaderboard" in front["tags"]


def test_every_variable_and_secret_is_a_setting_this_program_reads(hub: FakeHub) -> None:
    told = [(what, body["key"], body["value"]) for what, body in hub.spaces[SPACE] if "key" in body]
    assert len(told) == 12
    settings = Settings.from_env({"SPACE_ID": SPACE} | {key: value for _, key, value in told})
    assert settings.archive_repo == "OWNER/plumbline-archive"
    assert settings.organiser_names == ("OWNER",)
    assert settings.workers == 0
    read = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [key for _, key, _ in told if f"`{key}`" not in read] == []
    # What may be read by everybody who sees the Space is no secret, and the other way round.
    assert {key for what, key, _ in told if what == "secrets"} == {
        "HF_TOKEN",
        "PLUMBLINE_DATABASE_URL",
        "PLUMBLINE_JOBS_TOKEN",
    }


def test_volume_and_hardware_arrive_as_asked_for(hub: FakeHub) -> None:
    asked = dict(one for one in hub.spaces[SPACE] if one[0] == "volumes")
    assert asked["volumes"] == {"volumes": [{"type": "bucket", "source": SPACE, "mountPath": "/data"}]}
    hardware = [body for what, body in hub.spaces[SPACE] if what == "hardware"]
    assert hardware == [{"flavor": "t4-small", "sleepTimeSeconds": 3600}, {"flavor": "zero-a10g"}]


def test_the_job_is_a_worker_whose_password_is_a_secret(hub: FakeHub) -> None:
    [(namespace, job)] = hub.jobs
    assert namespace == "OWNER"
    assert "python -m evaluator work --until-empty" in job["command"][2]
    assert "PASSWORD" not in str(job["command"]) + str(job["environment"])
    assert set(job["secrets"]) == {"PLUMBLINE_DATABASE_URL"}
    assert job["timeoutSeconds"] == 2 * 3600
