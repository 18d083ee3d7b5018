"""`python -m evaluator canary`: from the first run to a judge that changed, and what a schedule sees of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.canary.pairs import canary_requests, own_pairs, pairs_digest
from evaluator.canary.record import opened_record
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import JudgeRequest, JudgeUnavailable
from evaluator.judges.scripted import ScriptedJudge, word_overlap
from submissions.webhooks.posting import NotTold

HOOK = "http://127.0.0.1:9/T0-secret"


class Judged:
    """A judge whose verdicts the test alters."""

    def __init__(self) -> None:
        self.altered = 0.0
        self.is_down = False
        self.asked = 0

    def rating(self, request: JudgeRequest) -> float:
        if self.is_down:
            raise JudgeUnavailable("the server does not answer")
        self.asked += 1
        # Places repeat every 200 requests.
        return 0.0 if (self.asked - 1) % 200 < self.altered * 200 else 1 + word_overlap(request) / 2

    def scorer(self, *_: object, **__: object) -> Scorer:
        return Scorer(ScriptedJudge(self.rating), ScriptedEmbedder())


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Judged:
    made = Judged()
    monkeypatch.setattr("evaluator.commands.judge.load_scorer", made.scorer)
    monkeypatch.setattr("evaluator.commands.judge.with_embedding", lambda scorer, *_, **__: scorer)
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.delenv("PLUMBLINE_CANARY_WEBHOOK", raising=False)
    monkeypatch.delenv("PLUMBLINE_CANARY_PAIRS", raising=False)
    return made


def canary(*more: str) -> int:
    return main(["canary", "--judge", "scripted", *more])


class Clock:
    """The time, as the test moves it."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 2, 6, tzinfo=UTC)

    def set_up(self) -> int:
        """Run the command on seven days; the exit code of the last."""
        assert [self.next_day() for _ in range(6)] == [4] * 6
        return self.next_day()

    def next_day(self, *more: str) -> int:
        self.at += timedelta(days=1)
        return canary(*more)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("evaluator.canary.record.now", lambda: made.at)
    return made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = []
    monkeypatch.setenv("PLUMBLINE_CANARY_WEBHOOK", HOOK)

    def post(url: str, body: bytes, *, reach: str) -> None:
        messages.append({"url": url, "reach": reach, **json.loads(body)})

    monkeypatch.setattr("submissions.webhooks.posting.post", post)
    return messages


def test_the_baseline_is_set_up_over_seven_days(
    judged: Judged, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clock.next_day() == 4
    first = capsys.readouterr()
    assert "day 1 of 7 is asked. Run this again on another day, from 2026-11-04 02:00 UTC on" in first.out
    assert "asked 5 of 5 times" in first.err
    assert judged.asked == 5 * 200
    assert canary() == 4  # the same day again
    assert capsys.readouterr().out.startswith("Nothing asked. The baseline is being set up: day 1 of 7 is asked")
    assert judged.asked == 5 * 200
    for day in range(2, 7):
        assert clock.next_day() == 4
        assert f"day {day} of 7 is asked" in capsys.readouterr().out
    assert main(["canary", "--history"]) == 0
    assert "not finished. The baseline is being set up: day 6 of 7" in capsys.readouterr().out
    assert clock.next_day() == 0
    # none of 7 x 2 x 200
    assert "repeats itself on 200 of 200 pairs; of these 0.0% had another verdict" in capsys.readouterr().out
    assert judged.asked == (3 + 7 * 2) * 200
    assert clock.next_day() == 0
    assert capsys.readouterr().out.startswith("no change: 0 of 200 verdicts are others")
    assert judged.asked == 18 * 200


def test_a_day_that_failed_goes_on_where_it_ended(
    judged: Judged, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clock.next_day() == 4
    judged.is_down = True
    assert clock.next_day() == 1
    assert "does not answer" in capsys.readouterr().err
    judged.is_down = False
    assert canary() == 4
    assert "day 2 of 7" in capsys.readouterr().out
    assert judged.asked == 7 * 200


def test_a_changed_judge_ends_with_3_tells_the_webhook_once_and_gets_a_new_baseline(
    judged: Judged, clock: Clock, told: list[dict[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert clock.set_up() == 0
    judged.altered = 0.2
    assert clock.next_day() == 3
    assert "40 of 200 verdicts that it used to repeat are others now" in capsys.readouterr().out
    (message,) = told
    assert (message["url"], message["reach"]) == (HOOK, "any")
    assert message["others"] == 40
    assert "judge changed on 2026-11-10" in str(message["text"])
    assert clock.set_up() == 0
    assert "repeats itself on 200 of 200" in capsys.readouterr().out
    assert len(told) == 1
    assert judged.asked == (17 + 1 + 17) * 200
    assert main(["canary", "--history"]) == 0
    history = capsys.readouterr().out
    assert history.count("CHANGED") == 1
    assert history.count("Baseline of") == 2


def test_a_webhook_that_was_not_told_is_told_by_the_next_run(
    judged: Judged,
    clock: Clock,
    told: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuses(url: str, body: bytes, *, reach: str) -> None:
        raise NotTold("it answered 500")

    assert clock.set_up() == 0
    judged.altered = 0.2
    with monkeypatch.context() as broken:
        broken.setattr("submissions.webhooks.posting.post", refuses)
        assert clock.next_day() == 3
    said = capsys.readouterr().err
    assert "PLUMBLINE_CANARY_WEBHOOK was not told: it answered 500; the next run tries again" in said
    assert "secret" not in said
    assert clock.next_day() == 4
    assert len(told) == 1


def test_a_judge_that_cannot_be_asked_fails_and_leaves_no_round(
    judged: Judged, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clock.set_up() == 0
    judged.is_down = True
    assert canary() == 1
    assert "does not answer" in capsys.readouterr().err
    main(["canary", "--history"])
    assert "no round" not in capsys.readouterr().out
    judged.is_down = False
    assert canary() == 0
    assert "(round 1)" in capsys.readouterr().out


def test_a_baseline_of_one_hour_goes_on_says_so_and_can_be_replaced(
    judged: Judged, clock: Clock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened_record(tmp_path / "canary", judged.scorer().judge.pin, pairs_digest(own_pairs()), 200) as record:
        judge, requests = judged.scorer().judge, canary_requests(own_pairs(), "en")
        for _ in range(8):  # as the record of an earlier version has it
            record.add([judgment.rating for judgment in judge.judge(requests)])
    assert clock.next_day() == 0
    assert "(round 1)" in capsys.readouterr().out
    main(["canary", "--history"])
    assert "how far other days differ was not measured: --new-baseline does" in capsys.readouterr().out
    assert clock.next_day("--new-baseline") == 4
    assert clock.next_day() == 4
    assert "day 2 of 7" in capsys.readouterr().out


def test_a_judge_without_constancy_is_told_apart_from_one_that_is_watched(
    judged: Judged, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = iter([0.0, 1.0] * 100)
    calls = {"n": 0, "now": 0.0}

    def flickers(request: JudgeRequest) -> float:
        if calls["n"] % 200 == 0:
            calls["now"] = next(turns)
        calls["n"] += 1
        return calls["now"]

    monkeypatch.setattr(judged, "rating", flickers)
    assert canary() == 1  # on the first day
    assert "repeats itself on 0 of 200 pairs, which is too little" in capsys.readouterr().out


def test_secret_pairs_of_a_file_have_a_record_of_their_own(
    judged: Judged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.jsonl"
    lines = [json.dumps({"id": n, "a": f"hidden words {n}", "b": "hidden words 1"}) for n in range(60)]
    secret.write_text("\n".join(lines), encoding="utf-8")
    assert canary() == 4
    monkeypatch.setenv("PLUMBLINE_CANARY_PAIRS", str(secret))
    assert canary("--data", str(tmp_path / "elsewhere")) == 4
    said = capsys.readouterr()
    assert judged.asked == 5 * (200 + 60)
    assert "Give 149 pairs or more" in said.err
    (record,) = (tmp_path / "elsewhere" / "canary").iterdir()
    assert "hidden" not in record.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [('{"id": 1, "a": "x"}', 'line 1: no "b"'), ('{"id": 1, "a": "x", "b": "y"}', "1 pairs; expected 59 to 1,000")],
)
def test_pairs_that_cannot_be_asked_are_refused_before_any_judge_is(
    judged: Judged, tmp_path: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        canary("--pairs", str(file))
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert judged.asked == 0


def test_history_without_a_canary_says_so(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["canary", "--history"]) == 0
    assert "No canary was asked yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    "url", ["http://hooks.example.org/T0-secret", "ftp://x/T0-secret", "https:///T0-secret", "http://[::1/T0-secret"]
)
def test_an_address_that_is_not_https_is_refused_without_repeating_it(
    url: str, judged: Judged, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_CANARY_WEBHOOK", url)
    with pytest.raises(SystemExit) as ended:
        canary()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "PLUMBLINE_CANARY_WEBHOOK: expected https://" in said
    assert "secret" not in said
