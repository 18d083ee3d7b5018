"""Settings: defaults, faults, and the table that documents them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from submissions.settings import Settings, SettingsError

DOCS = Path(__file__).parents[3] / "docs" / "settings.md"


def test_an_empty_environment_gives_the_embedded_default() -> None:
    settings = Settings.from_env({})
    assert (settings.port, settings.judges, settings.workers) == (7860, "auto", 1)
    assert settings.resolved_database_url == "sqlite:///data/plumbline.db"
    assert settings.eloquent_dir is None


def test_blank_counts_as_unset_and_values_are_read_by_type() -> None:
    settings = Settings.from_env(
        {"PORT": " ", "PLUMBLINE_ELOQUENT_DIR": "official", "PLUMBLINE_LEASE_S": "1.5", "PLUMBLINE_DEMONSTRATION": "0"}
    )
    assert settings.port == 7860
    assert settings.eloquent_dir == Path("official")
    assert settings.lease_s == 1.5
    assert settings.demonstration is False


def test_every_fault_is_named_at_once() -> None:
    environ = {
        "PORT": "http",
        "PLUMBLINE_LEASE_S": "soon",
        "PLUMBLINE_FETCH_SETS": "yes",
        "PLUMBLINE_CHECK_MB": "255",
        "PLUMBLINE_JOBS_BACKLOG": "1",
        "PLUMBLINE_DURABLE": "cloud",
        "PLUMBLINE_COLLECTIONS": "d9209=Short",
        "PLUMBLINE_RESULTS_DATASET": "scores",
    }
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(environ)
    assert str(caught.value).split("; ") == [
        "PORT: found 'http', expected a whole number from 0 to 65535",
        "PLUMBLINE_FETCH_SETS: found 'yes', expected 0 or 1",
        "PLUMBLINE_CHECK_MB: found '255', expected a whole number of 256 or more",
        "PLUMBLINE_LEASE_S: found 'soon', expected a number of 0.001 or more",
        "PLUMBLINE_COLLECTIONS: found 'd9209=Short', expected ID=NAME with the 16 hex digits of a collection",
        "PLUMBLINE_RESULTS_DATASET: found 'scores', expected OWNER/NAME",
        "PLUMBLINE_DURABLE: found 'cloud', expected one of auto, disk, hub",
        "PLUMBLINE_JOBS_BACKLOG: found outside a Space, expected a Space, whose code a job runs",
        "PLUMBLINE_JOBS_TOKEN: found nothing, expected a Hub token that may run jobs",
        "PLUMBLINE_DATABASE_URL: expected postgresql://..., which a job can reach (docs/scale.md)",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PLUMBLINE_WORKERS", "2"),
        ("PLUMBLINE_LEASE_S", "0"),
        ("PLUMBLINE_MAX_ATTEMPTS", "-1"),
        ("PLUMBLINE_CHECK_S", "0"),
        ("PLUMBLINE_CHECK_MB", "255"),
        ("PLUMBLINE_CHECKS_AT_ONCE", "0"),
        ("PLUMBLINE_STEP_S", "-1"),
        ("PLUMBLINE_JOB_S", "nan"),
        ("PLUMBLINE_JOB_S", "inf"),
        ("PLUMBLINE_VOTES_PER_DAY", "--5"),
        ("PORT", "65536"),
    ],
)
def test_values_out_of_range_are_refused(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        Settings.from_env({name: value})


def test_collections_are_named_by_their_id() -> None:
    settings = Settings.from_env({"PLUMBLINE_COLLECTIONS": "d9209cce8a1bffc7=INSPIRED dev, 56e9f1441973297f = Kitchen"})
    assert settings.collection_names == {"d9209cce8a1bffc7": "INSPIRED dev", "56e9f1441973297f": "Kitchen"}
    assert Settings.from_env({}).collection_names == {}
    with pytest.raises(SettingsError, match=r"found 'd9209=Short', expected ID=NAME"):
        Settings.from_env({"PLUMBLINE_COLLECTIONS": "d9209=Short"})


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_has_its_row_in_the_docs(setting: object) -> None:
    about = setting.metadata  # type: ignore[attr-defined]
    default = f"`{about['default']}`" if about["default"] else "(blank)"
    assert f"| `{about['env']}` | {default} | {about['help']} |" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("environ", "durability"),
    [
        ({}, "disk"),
        ({"PLUMBLINE_ARCHIVE_REPO": "o/n"}, "disk"),
        ({"SPACE_ID": "o/space"}, "nowhere"),
        ({"SPACE_ID": "o/space", "PLUMBLINE_ARCHIVE_REPO": "o/n"}, "hub"),
        ({"SPACE_ID": "o/space", "PLUMBLINE_DURABLE": "disk"}, "disk"),
        ({"PLUMBLINE_DURABLE": "hub", "PLUMBLINE_ARCHIVE_REPO": "o/n"}, "hub"),
    ],
)
def test_where_a_submission_survives_follows_from_the_machine_unless_it_is_said(
    environ: dict[str, str], durability: str
) -> None:
    assert Settings.from_env(environ).durability == durability


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"PLUMBLINE_DURABLE": "cloud"}, "expected one of auto, disk, hub"),
        ({"PLUMBLINE_DURABLE": "hub"}, "PLUMBLINE_ARCHIVE_REPO must name"),
        ({"PLUMBLINE_ARCHIVE_REPO": "https://hub/o/n"}, "expected OWNER/NAME"),
        ({"PLUMBLINE_ARCHIVE_INTERVAL_S": "-1"}, "PLUMBLINE_ARCHIVE_INTERVAL_S"),
        ({"PLUMBLINE_ARCHIVE_INTERVAL_S": "nan"}, "PLUMBLINE_ARCHIVE_INTERVAL_S"),
    ],
)
def test_an_archive_that_cannot_be_is_refused(environ: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Settings.from_env(environ)


def test_a_key_of_pseudonyms_that_can_be_guessed_is_refused_and_a_good_one_is_not_printed() -> None:
    with pytest.raises(SettingsError, match="PLUMBLINE_PSEUDONYM_KEY: found 31 characters, expected at least 32"):
        Settings.from_env({"PLUMBLINE_PSEUDONYM_KEY": "k" * 31})
    settings = Settings.from_env({"PLUMBLINE_PSEUDONYM_KEY": "k" * 32})
    assert settings.pseudonym_key == "k" * 32
    assert "kkkk" not in repr(settings)


def test_a_token_is_not_in_the_settings_as_printed() -> None:
    assert "hf_secret" not in repr(Settings.from_env({"HF_TOKEN": "hf_secret"}))


@pytest.mark.parametrize("value", ["64", "0", "many"])
def test_a_variable_that_does_nothing_any_more_is_named_with_what_does(
    value: str, caplog: pytest.LogCaptureFixture
) -> None:
    Settings.from_env({"PLUMBLINE_CHUNK": value})
    (said,) = caplog.messages
    assert said.startswith("PLUMBLINE_CHUNK does nothing any more: one worker judges a submission, and a judge ray:")
    caplog.clear()
    Settings.from_env({"PLUMBLINE_CHUNK": " "})
    assert not caplog.messages
