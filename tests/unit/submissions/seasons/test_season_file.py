"""Reading seasons: every fault at once, and times to the second in any zone."""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.seasons.season_file import SeasonsError, read_seasons, seasons_of
from submissions.settings import Settings, SettingsError
from tests.conftest import ROOT
from tests.unit.submissions.seasons.made_seasons import AUTUMN, SPRING, at, made_seasons


def test_the_example_that_is_shipped_is_in_order_and_restricts_nobody_until_it_is_renamed(tmp_path: Path) -> None:
    assert not read_seasons(ROOT / "seasons")
    text = (ROOT / "seasons" / "eloquent_2026.toml.example").read_text(encoding="utf-8")
    (season,) = made_seasons(tmp_path, eloquent_2026=text)
    # Anywhere on Earth is UTC-12: the day ends twelve hours after it does in UTC.
    assert season.closes.timestamp() == at("2026-05-16T11:59:59+00:00")
    assert season.ends_at == at("2026-05-16T12:00:00+00:00")
    assert (season.attempts_per_day, season.attempts_in_all, season.one_primary_run) == (2, 20, True)
    assert season.names_from is None
    assert season.scores_from is not None


def test_every_fault_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    faulty = """
    title = ""
    set = "eloquent-2027"
    time_zone = "Mars/Olympus"
    opens = 2026-03-01
    closes = 2026-02-01T00:00:00
    freezes = 2026-01-01T00:00:00
    attempts_per_days = 3
    attempts_in_all = -1
    one_primary_run = 1
    [public]
    scores = "soon"
    """
    with pytest.raises(SeasonsError) as refused:
        made_seasons(tmp_path, one=faulty, two="title = ", three=SPRING)
    told = {(fault.file, fault.key): (fault.found, fault.expected) for fault in refused.value.faults}
    assert set(told) == {
        *(("one.toml", key) for key in ("title", "set", "time_zone", "opens", "freezes", "attempts_per_days")),
        *(("one.toml", key) for key in ("attempts_in_all", "one_primary_run", "public.scores")),
        ("two.toml", ""),
    }
    assert told["one.toml", "attempts_per_days"] == ("a key that seasons do not have", "attempts_per_day")
    assert told["one.toml", "opens"][0] == "2026-03-01, a day without a time"
    assert "eloquent-2026" in told["one.toml", "set"][1]
    assert isinstance(refused.value, SettingsError)


def test_an_hour_that_the_clocks_pass_twice_needs_its_offset(tmp_path: Path) -> None:
    # Berlin puts its clocks back on 25 October 2026 at 3:00, and forward on 29 March 2026 at 2:00.
    twice = SPRING.replace("2026-03-31T23:59:59", "2026-10-25T02:30:00").replace("2026-04-10", "2026-11-10")
    with pytest.raises(SeasonsError, match=r"no single moment .* 2026-10-25T02:30:00\+01:00"):
        made_seasons(tmp_path / "twice", spring=twice)
    (said,) = made_seasons(tmp_path / "said", spring=twice.replace("02:30:00", "02:30:00+01:00"))
    assert said.closes.timestamp() == at("2026-10-25T01:30:00+00:00")
    with pytest.raises(SeasonsError, match="no single moment"):
        made_seasons(tmp_path / "never", spring=SPRING.replace("2026-03-31T23:59:59", "2026-03-29T02:30:00"))


def test_seasons_of_one_set_follow_each_other(tmp_path: Path) -> None:
    early = AUTUMN.replace("2026-09-01", "2026-03-31")
    with pytest.raises(SeasonsError, match=r"autumn\.toml: opens: .* spring\.toml closes"):
        made_seasons(tmp_path / "same", spring=SPRING, autumn=early)
    other = early.replace("demonstration", "eloquent-2025")
    assert len(list(made_seasons(tmp_path / "other", spring=SPRING, autumn=other))) == 2


def test_answers_are_not_public_before_the_scores_of_their_row(tmp_path: Path) -> None:
    hidden = f"{SPRING}[public]\nscores = 2026-04-10T12:00:00\n"
    (season,) = made_seasons(tmp_path / "with", spring=hidden)
    assert season.answers_from == season.scores_from
    with pytest.raises(SeasonsError, match=r"public\.answers: found \"at once\""):
        made_seasons(tmp_path / "before", spring=f'{hidden}answers = "at once"\n')


def test_a_folder_that_is_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not seasons_of(Settings.from_env({}))
    with pytest.raises(SeasonsError, match="PLUMBLINE_SEASONS"):
        seasons_of(Settings.from_env({"PLUMBLINE_SEASONS": str(tmp_path / "nowhere")}))
