"""A team is told, signed, how its run ended; a webhook that does not take it is tried again, and holds up nothing."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from leaderboard.own_runs.notices import NoticeSender
from leaderboard.page.services import Services
from leaderboard.site.api_answers import receipt_answer, ticket_answer
from submissions.archive.record import Archive
from submissions.desk import Desk, WebhookRefused
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.season_store import PublicStore
from submissions.store.notices import PAUSES_S, Webhook
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons
from tests.unit.submissions.webhooks.receiver import Receiver, receiver

ITEMS = [f"9{number:02}" for number in range(1, 13)]
ADDRESS = "https://hooks.example.org/T0-address"
SITE = "https://huggingface.co/spaces/org/plumbline"
File = Callable[[str], bytes]


@pytest.fixture
def clock() -> SetClock:
    return SetClock(at("2026-03-10T12:00:00+00:00"))


@pytest.fixture
def store(tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'clocked.db'}", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def desk(store: Store, tmp_path: Path, clock: SetClock) -> Desk:
    return Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None), clock)


def sent(desk: Desk, data: bytes, hook: Receiver) -> tuple[str, str]:
    """The ticket of a file whose team gave a webhook, and the secret it was told."""
    receipt = desk.submit(data, "keel.json", owner="anna", names=Names(system="Keel"), notify=ADDRESS)
    # The receiver of the test is this machine, which nobody may give.
    desk._store.set_webhook(receipt.ticket.id, Webhook(hook.url, receipt.notify_secret))
    return receipt.ticket.id, receipt.notify_secret


def scored(store: Store, rating: float = 3.5) -> None:
    job = store.claim("worker")
    assert job is not None
    store.finish(job.id, "worker", robustness_result(dict.fromkeys(ITEMS, rating)).model_dump_json())


def sender(store: Store, shown: Store | None = None) -> NoticeSender:
    return NoticeSender(store, shown or store, SITE, reach="any")


def messages(hook: Receiver) -> list[dict[str, Any]]:
    return [json.loads(message.body) for message in hook.received]


def test_a_team_is_told_its_score_and_can_know_that_it_was_us(
    store: Store, desk: Desk, demonstration_file: File
) -> None:
    with receiver() as hook:
        ticket, secret = sent(desk, demonstration_file("Aurora"), hook)
        assert sender(store).look() == 0
        scored(store)
        assert sender(store).look() == 1
        assert sender(store).look() == 0
    (told,) = messages(hook)
    moments = [datetime.fromisoformat(told.pop(name)) for name in ("ended_at", "sent_at")]
    assert all(moment.tzinfo is not None for moment in moments)
    assert len(told.pop("notice")) == 32
    assert told.pop("score")["value"] == 3.5  # every item was rated 3.5
    assert told == {
        "ticket": ticket,
        "system": "Keel",
        "state": "scored",
        "reason": None,
        "link": f"{SITE}?tab=queue&ticket={ticket}",
    }
    (message,) = hook.received
    # As docs/submit.md tells a receiver to check it.
    expected = hmac.new(secret.encode(), message.body, hashlib.sha256).hexdigest()
    assert message.headers["Plumbline-Signature"] == f"sha256={expected}"
    assert len(message.body) < 1024


def test_a_team_is_told_why_its_run_failed(store: Store, desk: Desk, demonstration_file: File) -> None:
    with receiver() as hook:
        sent(desk, demonstration_file("Aurora"), hook)
        job = store.claim("worker")
        assert job is not None
        store.fail(job.id, "worker", "its item 003 cannot be judged")
        assert sender(store).look() == 1
    (told,) = messages(hook)
    assert (told["state"], told["reason"], told["score"]) == ("failed", "its item 003 cannot be judged", None)


def test_a_webhook_that_refuses_is_told_again_later_with_the_same_notice(
    store: Store, desk: Desk, clock: SetClock, demonstration_file: File
) -> None:
    with receiver(500, 503, 200) as hook:
        ticket, _ = sent(desk, demonstration_file("Aurora"), hook)
        scored(store)
        told = []
        for pause_s in PAUSES_S[:3]:
            told += [sender(store).look(), sender(store).look()]  # the second one finds nothing due
            clock.now += pause_s
    assert told == [0, 0, 0, 0, 1, 0]
    assert len({message["notice"] for message in messages(hook)}) == 1
    assert len(hook.received) == 3
    assert "could not reach" not in " ".join(store.require(ticket).log)


def test_a_webhook_nobody_answers_at_is_given_up_and_the_ticket_says_so(
    store: Store, desk: Desk, clock: SetClock, demonstration_file: File
) -> None:
    with receiver() as hook:
        ticket, _ = sent(desk, demonstration_file("Aurora"), hook)
    scored(store)
    for pause_s in (*PAUSES_S, 0.0):
        assert sender(store).look() == 0
        clock.now += pause_s
    log = store.require(ticket).log
    assert log[-1].endswith(
        "we could not reach the webhook that its team gave, to tell it that this is scored: 5 tries, at the last one "
        "it cannot be reached (ConnectError)"
    )
    assert hook.url not in " ".join(log)
    assert store.require(ticket).status is JobStatus.SCORED


def test_an_address_of_this_machine_is_tried_in_vain(
    store: Store, desk: Desk, clock: SetClock, demonstration_file: File
) -> None:
    """What a team gives reaches nothing here, also where it came by without being looked at."""
    with receiver() as hook:
        ticket, _ = sent(desk, demonstration_file("Aurora"), hook)
        scored(store)
        for pause_s in (*PAUSES_S, 0.0):
            assert NoticeSender(store, store, SITE).look() == 0
            clock.now += pause_s
    assert hook.received == []
    assert "its name leads to no public address" in store.require(ticket).log[-1]


def test_no_score_is_told_before_the_season_makes_it_public(
    store: Store, clock: SetClock, tmp_path: Path, demonstration_file: File
) -> None:
    seasons = made_seasons(
        tmp_path / "seasons",
        spring=f"{SPRING}[public]\nnames = 2026-05-01T00:00:00\nscores = 2026-04-20T12:00:00\n",
    )
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None), clock, seasons=seasons)
    shown = PublicStore(store, seasons, clock)
    with receiver() as hook:
        sent(desk, demonstration_file("Aurora"), hook)
        scored(store)
        assert sender(store, shown).look() == 1
        store.requeue(store.tickets()[0].id, "judged again")
        scored(store)
        clock.set("2026-04-21T12:00:00+00:00")
        assert sender(store, shown).look() == 1
    early, late = messages(hook)
    # Its own name is no secret to the team; the others do not see it yet.
    assert (early["state"], early["system"], early["score"]) == ("scored", "Keel", None)
    assert shown.tickets()[0].names.system != "Keel"
    assert late["score"]["value"] == 3.5


def test_a_webhook_is_in_the_database_alone(services: Services, demonstration_file: File, tmp_path: Path) -> None:
    desk, store = services.desk, services.store
    receipt = desk.submit(demonstration_file("Aurora"), "keel.json", owner="local", notify=ADDRESS)
    scored(store)
    desk.archive.catch_up(store)
    desk.withdraw(receipt.ticket.id, "local")
    words = (ADDRESS.encode(), b"T0-address", receipt.notify_secret.encode())
    files = [file.read_bytes() for file in (tmp_path / "archive").rglob("*") if file.is_file()]
    assert len(files) > 3
    assert not any(word in data for data in files for word in words)
    shown = json.dumps(ticket_answer(store.require(receipt.ticket.id), None)).encode()
    assert not any(word in shown for word in words)
    assert receipt_answer(receipt, None)["notify_secret"] == receipt.notify_secret
    assert ADDRESS not in json.dumps(receipt_answer(receipt, None))
    # The secret was said once.
    again = desk.submit(demonstration_file("Borealis"), "b.json", owner="local", notify=ADDRESS)
    assert desk.submit(demonstration_file("Borealis"), "b.json", owner="local").notify_secret == ""
    assert again.notify_secret != receipt.notify_secret


def test_a_file_that_was_sent_before_gets_another_webhook(services: Services, demonstration_file: File) -> None:
    desk, store = services.desk, services.store
    data = demonstration_file("Aurora")
    desk.submit(data, "keel.json", owner="local", notify=ADDRESS)
    again = desk.submit(data, "keel.json", owner="local", notify=f"{ADDRESS}/2")
    assert again.already_known
    desk.cancel(again.ticket.id, "local")
    notice = store.take_notice()
    assert notice is not None
    assert notice.webhook == Webhook(f"{ADDRESS}/2", again.notify_secret)


@pytest.mark.parametrize("address", ["http://hooks.example.org/", "https://127.0.0.1/", "mailto:a@example.org"])
def test_with_an_address_that_cannot_be_used_nothing_is_taken(
    services: Services, demonstration_file: File, address: str
) -> None:
    with pytest.raises(WebhookRefused, match="The address of the webhook cannot be used: expected") as refused:
        services.desk.submit(demonstration_file("Aurora"), "keel.json", owner="local", notify=address)
    assert address not in str(refused.value)
    assert services.store.tickets() == []


def test_a_sender_that_is_stopped_leaves_what_is_due(store: Store, desk: Desk, demonstration_file: File) -> None:
    with receiver() as hook:
        sent(desk, demonstration_file("Aurora"), hook)
        scored(store)
        stopped = sender(store)
        stopped.start()
        stopped.stop()
        assert stopped.look() == 0
        assert sender(store).look() == 1


def test_the_link_of_an_installation_without_a_known_address_is_the_one_of_the_api(
    services: Services, demonstration_file: File
) -> None:
    desk, store = services.desk, services.store
    ticket = desk.submit(demonstration_file("Aurora"), "keel.json", owner="local", notify=ADDRESS).ticket.id
    desk.cancel(ticket, "local")
    notice = store.take_notice()
    assert notice is not None
    message = NoticeSender(store, store, "").message(notice)
    assert message["link"] == ticket_answer(store.require(ticket), None)["link"]
