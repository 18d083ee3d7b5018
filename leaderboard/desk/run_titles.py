"""What people call that which runs are of: the sets of all boards and the tasks of one's own."""

from __future__ import annotations

from leaderboard.desk.template_files import BY_LANGUAGE
from leaderboard.page.services import Services
from submissions.formats.behavior_alignment.submission import SET_ID as RECOMMENDERS
from submissions.formats.personalization.submission import SET_ID as PERSONALIZATION
from submissions.formats.personalized_evaluation.submission import SET_ID as PERSONAL_RATERS

_OTHER_TITLES = BY_LANGUAGE | {
    PERSONALIZATION: "Personalization",
    PERSONAL_RATERS: "Personal raters",
    RECOMMENDERS: "Recommenders",
}


def run_titles(services: Services) -> dict[str, str]:
    """What people call that which runs are of, prompt sets and tasks of one's own among it: id -> title."""
    own = {task.set_id: task.title for task in services.desk.prompt_sets.own_tasks}
    return services.set_titles() | _OTHER_TITLES | own
