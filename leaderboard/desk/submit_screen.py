"""What the Submit page says about a file; no components, so that it is tested without a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict, get_args

from leaderboard.boards.file_views import view_of
from leaderboard.desk.checked_file import normalisation_words
from leaderboard.page.links import address_of
from leaderboard.page.state import QueueState
from leaderboard.parts.card_values import FactValue
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible
from submissions.check import CheckReport
from submissions.desk import Receipt
from submissions.kinds import kind_of
from submissions.known_files import DOORS
from submissions.problems import Problem, Severity
from submissions.schema import Names, VerdictChoices
from submissions.store.eta import WaitEstimate
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options

OPTIONS: tuple[Options, ...] = get_args(Options)
VERDICT_FORMATS: tuple[VerdictFormat, ...] = get_args(VerdictFormat)

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

WHAT_BECOMES_PUBLIC = (
    "When you submit, the team, system, model and run names, every answer in the file, the number of attempts, any "
    "withdrawal and, where you sign in, your user name become public. For personalization files, the whole row becomes "
    "public: question, preferences, draft, thoughts; for recommender files, the human's dialogues too. Checking saves "
    "nothing and costs nothing."
)


def decision_notice(report: CheckReport) -> NoticeValue:
    """Accepted or refused, what the file is, and how many problems it has; of another file, the page that takes it."""
    if other := _file_of_another_page(report):
        return other
    counts = problem_counts(report.problems)
    ranks = report.reading.rank_words() if report.reading and report.decision != "refused" else ""
    lines = [line for line in (f"It {ranks}." if ranks else "", _what_it_is(report), counts) if line]
    if ranks:
        views = " and ".join(view for view, may in _rankable(report).items() if may)
        title = f"enough for a rank in the view {views} alone" if views else "but not enough for a rank"
        return notice("warning", f"Accepted, {title}: add answers, or submit it as it is.", *lines)
    enough = ", and enough for a rank" if _is_enough_for_rank(report) else ""
    match report.decision:
        case "accepted":
            return notice("good", f"Accepted{enough}: the file can be submitted.", *lines)
        case "accepted_with_warnings":
            title = f"Accepted with warnings{enough}: read them, then submit or correct the file."
            return notice("warning", title, *lines)
        case _:
            return notice("bad", "Refused: fix every error below and check again. Nothing was saved.", *lines)


def _is_enough_for_rank(report: CheckReport) -> bool:
    """Does the file alone answer enough for a rank in every view? False where only other files or scores tell."""
    rankable = _rankable(report)
    return bool(rankable) and all(may is True for may in rankable.values())


def _rankable(report: CheckReport) -> Mapping[str, bool | None]:
    """View -> whether the file answers enough for a rank in it; None where only other files or scores tell."""
    return report.reading.coverage_json().get("rankable", {}) if report.reading else {}


_OTHER_FILES = (", no submission", ", no submission yet")


def _file_of_another_page(report: CheckReport) -> NoticeValue | None:
    """What a file is that some other page or command takes, and where; None of any other."""
    for problem in report.problems:
        if problem.path == "$" and problem.message.startswith("this is ") and problem.message.endswith(_OTHER_FILES):
            said = notice("bad", f"T{problem.message[1:]}.", problem.hint, "Nothing was saved.")
            if DOORS["judge_report"].where in problem.hint:
                return {**said, "link": "?tab=judge_report", "link_text": "Open Judge report"}
            return said
    return None


def waiting_notice(ahead: int) -> NoticeValue:
    """Where a check stands in the line; 0 = it is under way."""
    if ahead == 0:
        return notice("plain", "The file is being checked.", "Large files take up to a minute.")
    before = "1 check is ahead of yours." if ahead == 1 else f"{ahead:,} checks are ahead of yours."
    return notice("plain", before, "Files are checked in turn; leaving this page gives up yours.")


def _what_it_is(report: CheckReport) -> str:
    if report.reading is None or report.entry is None:
        return ""
    return f"{view_of(report.reading).read_as(report.reading)}, SHA-256 {report.sha256[:12]}…"


def refused(report: CheckReport, problems: list[Problem]) -> CheckReport:
    """The report with what only submitting found: a check needs no team, a submission does."""
    return replace(report, decision="refused", problems=problems)


def verdict_choices(options: object, reference_model: str | None, verdict_format: object) -> VerdictChoices:
    """How a verdict table is to be read, from the form (None = never opened); what a file states wins."""
    return VerdictChoices(
        options=next((known for known in OPTIONS if known == options), None),
        reference_model=(reference_model or "").strip() or None,
        verdict_format=next((known for known in VERDICT_FORMATS if known == verdict_format), None),
    )


def problem_counts(problems: list[Problem]) -> str:
    """`2 errors, 1 warning`; blank without problems."""
    counts = Counter(problem.severity for problem in problems)
    written = ((severity, counts[severity]) for severity in SEVERITIES)
    return ", ".join(f"{count} {severity}{'s' if count > 1 else ''}" for severity, count in written if count)


class ReceiptValue(TypedDict):
    """What a team keeps of a submission."""

    title: str
    facts: list[FactValue]
    normalisations: list[str]
    sentence: str
    link: str


def receipt_value(receipt: Receipt, wait: WaitEstimate | None = None) -> ReceiptValue:
    """The ticket, what was stored, how it was read, and when it will be scored.

    Args:
        receipt: Of a submission.
        wait: None where it ended before.
    """
    ticket = receipt.ticket
    names = ticket.names
    facts = {
        "Ticket": ticket.id,
        "SHA-256 of the file": ticket.file_sha256,
        "File": ticket.file_name,
        "Names": " / ".join(visible(name) for name in (names.team, names.system, names.model, names.run) if name),
        "Received": f"{ticket.received_at:%Y-%m-%d %H:%M:%S} UTC",
    }
    if wait is not None:
        facts["Expected to be scored in"] = wait.words
    facts |= dict(zip(("Season", "Attempts"), receipt.season, strict=False))
    if receipt.notify_secret:
        facts["Webhook secret, shown only here"] = receipt.notify_secret
    return {
        "title": "You submitted this file before under the same names; this is its ticket."
        if receipt.already_known
        else "Submitted. Save this ticket to track your submission.",
        "facts": [{"name": name, "text": text} for name, text in facts.items()],
        "normalisations": normalisation_words(receipt.report),
        "sentence": ticket.status.sentence,
        "link": address_of(QueueState(ticket=ticket.id)),
    }


def missing_names(report: CheckReport, shown: Fields) -> NoticeValue | None:
    """Which names the form is to bring, after a check; None where nothing is asked."""
    kind = kind_of(report.kind)
    blank = [name for name, field in zip(NAMES, shown, strict=True) if not field.strip()]
    if kind is None or not blank:
        return None
    needed = [name for name in blank if name.lower() in kind.needs]
    helpful = [name for name in blank if name not in needed]
    if needed:
        title = f"Please fill in: {', '.join(needed)}."
        lines = ["The file does not state it, and a submission needs it."]
        lines += [f"Optional: {', '.join(helpful)}, to tell your runs apart."] if helpful else []
        return notice("warning", title, *lines)
    return notice("plain", f"Optional: {', '.join(helpful)}.", "They tell your runs apart.")


NAMES = ("Team", "System", "Model", "Run")
"""Labels of the name fields."""

# The name fields hold what a person typed and what we read from the file; only the first goes back to the desk.

Fields = tuple[str, ...]
"""Team, system, model, run as the page holds them."""

BLANK: Fields = ("", "", "", "")


def typed_names(fields: Fields, from_file: Fields) -> Fields:
    """What a person typed: a field we filled from an earlier file says nothing about the next one."""
    return tuple("" if field == read else field for field, read in zip(fields, from_file, strict=True))


def stated_names(typed: Fields) -> Names:
    """Typed names as the desk takes them: blank is not stated."""
    team, system, model, run = (name.strip() or None for name in typed)
    return Names(team=team, system=system, model=model, run=run)


def names_of_file(names: Names, typed: Fields) -> Fields:
    """Names only the file can have brought: a report carries the typed ones too."""
    read = (names.team or "", names.system or "", names.model or "", names.run or "")
    return tuple("" if name == field.strip() else name for name, field in zip(read, typed, strict=True))


def shown_names(typed: Fields, from_file: Fields) -> Fields:
    """What the fields show after a check: the file's names, else what was typed."""
    return tuple(read or field for field, read in zip(typed, from_file, strict=True))
