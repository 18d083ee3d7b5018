"""Components of the desk and the queue. Text of teams goes through `{{ }}` or `textContent`, nowhere else."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class ProblemsView(TemplateComponent):
    """Every problem of a file; the lines it is about open below it (`problem_values.problems_value`)."""

    TEMPLATE = template("problems_view")
    SCRIPT = asset("problems.js")


class GridView(TemplateComponent):
    """Coverage, item by language, with its legend and the same in words (`GridValue`)."""

    TEMPLATE = template("grid_view")


class PreviewView(TemplateComponent):
    """What would be scored (`checked_file.preview_value`); None shows nothing."""

    TEMPLATE = template("preview_view")


class ReceiptView(TemplateComponent):
    """What a team gets for a submission, to keep (`submit_screen.receipt_value`); None shows nothing."""

    TEMPLATE = template("receipt_view")
    # Without https a browser has no clipboard to write to: the text is left selected, for the keyboard.
    SCRIPT = asset("receipt.js")


class QueueTable(TemplateComponent):
    """Submissions and where they stand (`queue_screen.QueueScreen.tickets_table`); None shows nothing.

    Events: `open` with {row}, `turn` with {page}. It is drawn anew by a timer: what is scrolled or focused stays so.
    """

    IS_LARGE = True
    TEMPLATE = template("queue_table")
    SCRIPT = asset("queue_table.js")


class StatusLine(TemplateComponent):
    """One line of text (`notices.LineValue`); None shows nothing."""

    TEMPLATE = """{{#if value.text}}<p class="shown worker-line">{{value.text}}</p>{{/if}}"""


class PackPlanView(TemplateComponent):
    """What files of any shape become (`packed_files.PlanValue`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = template("pack_plan_view")
