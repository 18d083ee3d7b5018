"""A store with ranked rows on every board that ranks submissions."""

from __future__ import annotations

import json
from pathlib import Path

from leaderboard.page.services import Services
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.hostile import NAMEABLE
from tests.unit.leaderboard.boards.behavior_alignment import made_behavior_alignment
from tests.unit.leaderboard.boards.personalization import made_personalization
from tests.unit.leaderboard.boards.personalized_evaluation import made_personalized_evaluation
from tests.unit.leaderboard.boards.position_bias import made_position_bias
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

ITEMS = [f"90{number}" for number in range(1, 8)]
RATINGS = dict(zip(ITEMS, [4.0, 4.0, 1.0, 2.0, 2.0, 3.0, 3.0], strict=True))


def empty_services(folder: Path) -> Services:
    """Return a store without a row in a folder."""
    store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
    desk = Desk(store, Archive(folder / "archive"), PromptSets.load(None))
    return Services(store=store, desk=desk, settings=Settings.from_env({}))


def score_run(services: Services, system: str) -> str:
    """Submit a run of 2024 and finish it as a worker would; return its ticket."""
    document = json.loads(submission_template(services.desk.prompt_sets.demonstration))
    for item in document["eloquent-robustness-results"]["items"]:
        for number, response in enumerate(item["responses"]):
            response["response"] = f"Answer {number} to item {item['id']}."
    names = Names(team="Aurora", system=system, model="Model")
    data = json.dumps(document).encode()
    receipt = services.desk.submit(data, "keel.json", owner="local", names=names)
    job = services.store.claim("worker")
    assert job is not None
    services.store.finish(job.id, "worker", robustness_result(RATINGS).model_dump_json())
    return receipt.ticket.id


def fill_boards(services: Services) -> str:
    """Fill the boards; return the ticket of the run of 2024, whose system has a hostile name."""
    ticket = score_run(services, NAMEABLE[0])
    verdicts = made_position_bias.verdicts({"steady": "AB AB AB BB"}, queries=80, models=30)
    made_position_bias.put_into(services.store, [made_position_bias.judges_result(verdicts)])
    outcomes = [(True, number % 10 != 0, 5 if number % 4 else 1) for number in range(60)]
    rows = made_personalization.pairs(outcomes)
    made_personalization.put_into(services.store, made_personalization.document(rows))
    made_personalized_evaluation.put_into(services.store, made_personalized_evaluation.ratings())
    made_personalized_evaluation.put_into(services.store, made_personalized_evaluation.choices({1, 2}))
    made_behavior_alignment.put_into(services.store, made_behavior_alignment.file_of(40))
    return ticket
