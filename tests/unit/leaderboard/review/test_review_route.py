"""The address of review links: what it makes, and how often."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from leaderboard.page.services import Services
from leaderboard.review import routes as review_routes
from leaderboard.review.copy import ReviewCopy, review_copy
from submissions.seasons.review import ReviewLink
from submissions.settings import Settings
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit

SETTINGS = Settings.from_env({"PLUMBLINE_PSEUDONYM_KEY": "made by chance, in a test only: 0f"})


def test_a_copy_is_made_once_until_something_changes_and_its_csv_is_of_the_same_copy(
    services: Services, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counted(store: Any, desk: Any, settings: Any, run: str, until: str) -> ReviewCopy:
        made.append(run)
        return review_copy(store, desk, settings, run, until)

    monkeypatch.setattr(review_routes, "review_copy", counted)
    ticket = score(robustness_result({"901": 3.0, "902": 3.0}))
    app = Starlette(routes=review_routes.routes(services.store, services.desk, SETTINGS))
    link = ReviewLink.made(SETTINGS.pseudonym_key, ticket, date(2090, 1, 1)).address
    with TestClient(app) as client:
        page = client.get(link)
        assert (page.status_code, "Score 3.00" in page.text) == (200, True)
        all_answers = client.get(f"{link}&form=csv")
        assert all_answers.headers["content-disposition"] == 'attachment; filename="answers.csv"'
        assert all_answers.text.startswith("Item,Variant,")
        assert made == [ticket]
        assert client.get(f"{link}0").status_code == 404
        services.desk.withdraw(ticket, "local")
        assert client.get(link).status_code == 404
        assert made == [ticket, ticket]
