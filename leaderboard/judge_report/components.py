"""Components of the judge report. Text of files goes through `{{ }}`, nowhere else."""

from __future__ import annotations

from typing import Any

import orjson

from evaluator.judge_report.text import INTERVALS, NOT_SAID
from leaderboard.assets import asset, template
from leaderboard.parts.components import PRINT_PAGE, SAVE_FILE, TemplateComponent


class ReportView(TemplateComponent):
    """The report (`values.ReportValue`); None shows nothing."""

    IS_LARGE = True
    SCRIPT = """
const takeFocus = () => { if (props.value?.takes_focus) element.querySelector('h3')?.focus(); };
watch('value', () => requestAnimationFrame(takeFocus));
"""
    TEMPLATE = template("report_view", not_said=NOT_SAID, intervals=INTERVALS)


class FaultsView(TemplateComponent):
    """Every fault of a file (`values.FaultsValue`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = template("faults_view")


class ColumnMapper(TemplateComponent):
    """Which column of a CSV is which (`screen.MapperValue`); None shows nothing.

    Event: `chosen` with {columns: {field: number of the column, blank = none}}.
    """

    IS_LARGE = True
    TEMPLATE = template("column_mapper")
    SCRIPT = asset("column_mapper.js")


class ReportDownloads(TemplateComponent):
    """Buttons that save the report (`screen.FilesValue`): it is in the browser already. None shows nothing."""

    TEMPLATE = template("report_downloads")
    SCRIPT = SAVE_FILE + PRINT_PAGE + asset("report_downloads.js")

    def postprocess(self, value: Any) -> Any:
        """Files stay as they are: the template asks only whether there are some."""
        return None if value is None else orjson.Fragment(orjson.dumps(value))


class BlindLabelling(TemplateComponent):
    """Answers to label, a pair or one at a time (`labelling.LabellingValue`); None shows nothing.

    Event: `finished` with {votes: {id of what was shown: left, right, tie or a rating}}. The browser keeps votes, and
    no texts, under the digest of the log until they are forgotten.
    """

    IS_LARGE = True
    TEMPLATE = template("blind_labelling")
    SCRIPT = asset("blind_labelling.js")

    def postprocess(self, value: Any) -> Any:
        """Texts stay as they are: the template asks only whether there are some, and the script shows them as text."""
        return None if value is None else orjson.dumps(value).decode()
