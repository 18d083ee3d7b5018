"""Values that the Robustness page shows of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.results import ItemResult, MetricValue, Pin, RobustnessResult, View
from evaluator.robustness.figures import Subset
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.choices.judges import AS_SCORED, labels_of
from leaderboard.boards.robustness.choices.ranks import PRESETS
from leaderboard.boards.robustness.choices.ranks import VIEW_LABELS as VIEW_LABELS
from leaderboard.boards.robustness.columns import ITEM_COLUMNS
from leaderboard.boards.robustness.items import groups_shown, item_rows, item_value, verdict_keys
from leaderboard.boards.robustness.perspectives import look_of, other_looks, shown_words
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.answer_card import answer_card
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable, first_look, from_first_page
from leaderboard.page.human_check import HumanChecks, JudgedItem
from leaderboard.page.identity import current_request
from leaderboard.page.judge_card import JudgeReport, card_of_pin, label_mass
from leaderboard.page.judge_quality import JudgeQualities, quality_sentence
from leaderboard.page.kept_points import kept_points_sentence
from leaderboard.page.links import address_of, ignored
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import QueueState, chosen
from leaderboard.parts.card_values import JudgeCardsValue
from leaderboard.parts.columns import text_of
from leaderboard.parts.item_values import ItemValue
from leaderboard.parts.notices import NoticeValue, answers_words, run_head
from leaderboard.parts.shown_rows import Run
from leaderboard.parts.tables import TableValue, table_value
from submissions.store.queue import Ticket

if TYPE_CHECKING:
    import gradio as gr

PRESET = "preset"
"""Choice of the list of items that stands for the preset of the prompt set; no item has such an id."""


class RobustnessScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> RobustnessScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(Boards.of), tools.report_of, tools.qualities)

    def __init__(self, services: Services, boards: Boards, report_of: JudgeReport, qualities: JudgeQualities) -> None:
        self._services = services
        self._boards = boards
        self._report_of = report_of
        self._qualities = qualities
        self._human_checks = HumanChecks(services, qualities)
        self.board = BoardTable(
            RobustnessState,
            all_rows=lambda state: boards.rows(state.set, state.view, self.subset(state), self.judged_by(state)),
            caption=self._caption,
            empty=lambda state: (
                "Awaiting first submission on this prompt set. Submit a file, or choose another prompt set."
            ),
            about=self._about,
            completed=self.completed,
            reset=reset,
            other_views=other_looks,
            item_opened=lambda state, row, item: replace(chosen("system")(state, row), item=item),
            without_items=self._without_items,
        )
        self.board_charts = BoardCharts(self.board, boards.marker, self._runs)

    def set_titles(self) -> dict[str, str]:
        """Prompt sets one can choose: id -> title."""
        return self._services.set_titles()

    def completed(self, state: RobustnessState) -> RobustnessState:
        """The state with a prompt set: the first one with a team's entry, else the first one with any row."""
        if state.set:
            return state
        ids = list(self.set_titles())
        with_rows = [set_id for set_id in ids if self._boards.rows(set_id, state.view)]
        with_entries = [
            set_id for set_id in with_rows if any(row.role == "entry" for row in self._boards.rows(set_id, state.view))
        ]
        return replace(state, set=(with_entries or with_rows or ids)[0])

    def subset(self, state: RobustnessState) -> Subset:
        """The part of the prompt set the visitor chose; what the set does not have is no choice."""
        if not (state.variation or state.language or state.without):
            return Subset()
        return Subset(
            variation=state.variation if state.variation in self._variations(state) else "",
            language=state.language if state.language in self._languages(state) else "",
            without=frozenset(_ids(state.without)) & frozenset(self._items(state)),
        )

    def judged_by(self, state: RobustnessState) -> str:
        """Key of the judge the visitor chose; another one than the set has is no choice."""
        is_offered = state.judged_by != AS_SCORED and state.judged_by in self._judge_labels(state)
        return state.judged_by if is_offered else AS_SCORED

    def shown_words(self, state: RobustnessState, *, is_part: bool) -> str:
        """Which rows are shown, and how, said by the drawer that chooses it.

        Args:
            is_part: Whether variation, language and items left out count.
        """
        if look_of(state) == "history":  # of the one set that the paper printed
            return shown_words(state, [])
        subset = self.subset(state) if is_part else Subset()
        chosen = [
            self.set_titles().get(state.set, ""),
            subset.language or VIEW_LABELS[state.view],
            subset.variation,
            f"without {len(subset.without)}" if subset.without else "",
            f"by {self._judge_labels(state)[judge]}" if (judge := self.judged_by(state)) else "",
        ]
        return shown_words(state, chosen)

    def understood(self, state: RobustnessState) -> tuple[RobustnessState, list[str]]:
        """The state of a link with a prompt set and without a part that the set does not have, and what was left out
        of it, in words."""
        is_known = not state.set or state.set in self.set_titles()
        unknown = [] if is_known else [ignored("set", state.set)]
        state = self.completed(state if is_known else replace(state, set=""))
        subset, judged_by = self.subset(state), self.judged_by(state)
        known = {"variation": subset.variation, "language": subset.language, "judged_by": judged_by}
        notes = [ignored(name, getattr(state, name)) for name, value in known.items() if getattr(state, name) != value]
        strange = [item for item in _ids(state.without) if item not in subset.without]
        notes += [ignored("without", ",".join(strange))] if strange else []
        left_out = ",".join(sorted(subset.without))
        understood = replace(
            state, variation=subset.variation, language=subset.language, judged_by=judged_by, without=left_out
        )
        return understood, unknown + notes

    def variation_choices(self, state: RobustnessState) -> list[tuple[str, str]]:
        """Label and value of every type of variation of the prompt set."""
        counted = ((f"{name} ({number} items)", name) for name, number in self._variations(state).items())
        return [("all items", ""), *counted]

    def language_choices(self, state: RobustnessState) -> list[tuple[str, str]]:
        """Label and value of every language of the prompt set."""
        return [("all shown", ""), *((language, language) for language in self._languages(state))]

    def item_choices(self, state: RobustnessState) -> list[tuple[str, str]]:
        """Label and value of every item of the prompt set that can be left out; its preset first."""
        preset = PRESETS.get(state.set)
        items = [(f"{item} {variation}", item) for item, variation in self._items(state).items()]
        return [*([(preset.label, PRESET)] if preset else []), *items]

    def _without_items(self, state: RobustnessState, items: Sequence[str]) -> RobustnessState | None:
        """The board without items; None where the prompts of the set are not installed, so that none can be chosen."""
        if not items or not set(items) <= self._items(state).keys():
            return None
        left_out = sorted({*self.subset(state).without, *items})
        return first_look(replace(state, without=",".join(left_out)))

    def judge_choices(self, state: RobustnessState) -> list[tuple[str, str]]:
        """Label and value of every judge that may rank the prompt set; only the first where all runs have one judge."""
        own = sorted(f"{pin.name} ({pin.model})" for pin in self._boards.pins(state.set))
        as_scored = f"as scored: {', '.join(own)}"
        return [(as_scored, AS_SCORED), *((label, key) for key, label in self._judge_labels(state).items())]

    def _judge_labels(self, state: RobustnessState) -> dict[str, str]:
        return labels_of(self._boards.judges(state.set))

    def _items(self, state: RobustnessState) -> dict[str, str]:
        """Id -> type of variation."""
        prompt_set = self._services.sets().get(state.set)
        return {item.id: item.variation for item in prompt_set.items} if prompt_set else {}

    def _variations(self, state: RobustnessState) -> Counter[str]:
        prompt_set = self._services.sets().get(state.set)
        return Counter(item.variation for item in prompt_set.items) if prompt_set else Counter()

    def _languages(self, state: RobustnessState) -> list[str]:
        prompt_set = self._services.sets().get(state.set)
        return sorted({language for item in prompt_set.items for language in item.languages()}) if prompt_set else []

    def _runs(self, state: RobustnessState) -> Mapping[str, Sequence[Run]]:
        """Earlier runs are kept as a whole: of a part of the set there is only what each row shows."""
        is_first = self.subset(state).is_whole and self.judged_by(state) == AS_SCORED
        return self._boards.runs(state.set, state.view) if is_first else {}

    def _about(self, state: RobustnessState) -> dict[str, str]:
        subset = self.subset(state)
        chosen = {
            "variation": subset.variation,
            "language": subset.language,
            "without": f"without-{'-'.join(sorted(subset.without))}" if subset.without else "",
            "judged_by": self.judged_by(state),
        }
        return {"prompt_set": state.set, "view": state.view} | {name: value for name, value in chosen.items() if value}

    def described(self, state: RobustnessState) -> str:
        """Which part of which prompt set is shown, and by which judge, in words."""
        title, subset = self.set_titles().get(state.set, state.set), self.subset(state)
        shown = f"language {subset.language}" if subset.language else VIEW_LABELS[state.view]
        if subset.variation:
            shown += f", {subset.variation} items alone"
        if subset.without:
            shown += f", without {'items' if len(subset.without) > 1 else 'item'} {', '.join(sorted(subset.without))}"
        judges = self._boards.pins(state.set)
        if judge := self.judged_by(state):
            shown += f", ranked by {self._judge_labels(state)[judge]}"
        elif len(judges) > 1:
            shown += f", each row by its own of {len(judges)} judges"
        return f"{title}, {shown}"

    def _caption(self, state: RobustnessState) -> str:
        return f"{self.described(state)}: score 0-5 with 95% interval, higher is better"

    def opened(self, state: RobustnessState) -> tuple[Ticket, RobustnessResult] | None:
        """The opened row's ticket and result; None when it has none to show."""
        ticket = self._services.store.ticket(state.system) if state.system else None
        is_ours = ticket is not None and ticket.is_on_boards and ticket.set_id in self.set_titles()
        text = self._services.store.result(ticket.id) if ticket and is_ours else None
        return (ticket, RobustnessResult.model_validate_json(text)) if ticket and text else None

    def system_notice(self, state: RobustnessState) -> NoticeValue | None:
        """The head of the system view."""
        if not state.system:
            return None
        opened = self.opened(state)
        if opened is None:
            return {
                "kind": "warning",
                "title": "This submission has no result to show.",
                "lines": ["It was withdrawn, is still being judged, or the link is mistyped. The queue says which."],
                "link": address_of(QueueState(ticket=state.system)),
                "link_text": "Look it up in the queue",
            }
        return _system_head(*opened, state.view, self._qualities.of(opened[1].judge))

    def items_table(self, state: RobustnessState) -> TableValue | None:
        """The opened row's items."""
        opened = self.opened(state)
        if opened is None:
            return None
        return table_value(
            item_rows(opened[1], state.view),
            ITEM_COLUMNS,
            caption=f"Items, {VIEW_LABELS[state.view]}, worst first: open one to read its answers and verdicts",
            leads=("", "score", "worst"),
            empty="This view has no items.",
        )

    def gate_cards(self, state: RobustnessState) -> JudgeCardsValue | None:
        """How often whoever said what answers is right; None where nobody was asked."""
        opened = self.opened(state)
        return {"cards": [answer_card(opened[1].gate)]} if opened and opened[1].gate else None

    def item(self, state: RobustnessState) -> ItemValue | None:
        """The opened item with its answers, its verdicts and the visitor's votes on them."""
        return self._item(state, current_request())

    def _item(self, state: RobustnessState, request: gr.Request | None, said: str = "") -> ItemValue | None:
        opened = self._opened_item(state)
        if opened is None:
            return None
        ticket, result, item = opened
        data = self._services.store.payload(ticket.file_sha256)
        report = self._services.desk.check(data, ticket.file_name, edition=ticket.edition, names=ticket.names)
        bias = self._report_of(result.judge)
        quality = self._qualities.of(result.judge)
        people = self._qualities.checked_by_people(result.judge)
        mass = label_mass(result.pairwise)
        canary = self._qualities.canary(result.judge)
        card = card_of_pin(
            result.judge, result.order_gap, quality=quality, bias=bias, mass=mass, people=people, canary=canary
        )
        wording = self._services.sets().get(ticket.set_id)
        judgments = self._services.judgments(ticket, verdict_keys(item.groups))
        value = item_value(
            item, state.view, report.submission, wording, card, result.pairwise, judgments=judgments, opened=state.pair
        )
        judged = _judged_item(ticket, result, item, state.view)
        return self._human_checks.with_ballots(value, judged, request, said)

    def voted(self, state: RobustnessState, carried: object, request: gr.Request | None) -> ItemValue | None:
        """The opened item, once the vote an event carries was kept for whoever makes the request.

        Raises:
            StoreUnavailable: when the database does not answer.
        """
        opened = self._opened_item(state)
        if opened is None:
            return None
        judged = _judged_item(*opened, state.view)
        return self._item(state, request, self._human_checks.vote(judged, carried, request))

    def _opened_item(self, state: RobustnessState) -> tuple[Ticket, RobustnessResult, ItemResult] | None:
        opened = self.opened(state) if state.item else None
        if opened is None or not opened[0].shows_answers:
            return None
        item = next((item for item in opened[1].items if item.id == state.item), None)
        return (*opened, item) if item else None


def _judged_item(ticket: Ticket, result: RobustnessResult, item: ItemResult, view: View) -> JudgedItem:
    return JudgedItem(ticket, result.judge, item.id, groups_shown(item, view))


def _system_head(ticket: Ticket, result: RobustnessResult, view: View, quality: JudgeQuality | None) -> NoticeValue:
    shown = result.views[view]
    figures = shown.figures
    names = ticket.names
    lines = [
        kept_points_sentence(
            names.system or ticket.file_name,
            figures["pair_mean_gated"].mean,
            figures["pair_mean"].mean,
            changes="style",
            is_null=ticket.role == "baseline",
        ),
        f"Score {text_of(figures['pair_mean_gated'].mean, 'interval')}, before the relevance check "
        f"{text_of(figures['pair_mean'].mean, 'interval')}, worst pair "
        f"{text_of(figures['pair_worst_gated'].mean, 'interval')} ({VIEW_LABELS[view]}).",
    ]
    if quality:
        sentence = quality_sentence(quality)
        lines.append(f"{sentence[0].upper()}{sentence[1:]}.")
    if private := answers_words(ticket):
        lines.append(private)
    if not shown.ranked:
        lines.append(f"Not ranked: {shown.reason or 'no headline score'}.")
    title = " · ".join(name for name in (names.system, names.team, names.model, names.run) if name)
    folded = [
        f"Prompt set {result.prompt_set.set_id}: {result.prompt_set.version.partition(', sha256 ')[0]}.",
        f"Judged by {pin_text(result.judge)}.",
        order_gap_text(result.order_gap),
        f"Relevance check: {pin_text(result.gate)}." if result.gate else "",
        f"SHA-256 of the file {result.file_sha256}.",
    ]
    return run_head(title or ticket.file_name, lines, folded, link=address_of(QueueState(ticket=ticket.id)))


def order_gap_text(order_gap: MetricValue) -> str:
    """How far the judge depends on the order of what it was shown; blank where that is not known."""
    if order_gap.value is None:
        return ""
    return f"Position bias of the judge here: {text_of(order_gap, 'interval')} between the two orders."


def pin_text(pin: Pin) -> str:
    """Exactly which judge: name, model, revision and prompt or calibration."""
    languages = "any language" if pin.languages is None else "reads " + ", ".join(pin.languages)
    return f"{pin.name} {pin.model}, revision {pin.revision[:12]}, {pin.prompt}, {languages}"


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def items_left_out(state: RobustnessState, items: object) -> RobustnessState:
    """Items of the list; the preset stands for its items."""
    if not isinstance(items, list):
        return state
    preset = PRESETS.get(state.set)
    chosen = {item for item in items if isinstance(item, str) and item != PRESET}
    if PRESET in items and preset:
        chosen |= preset.items
    return from_first_page(replace(state, without=",".join(sorted(chosen))))


def _ids(joined: str) -> list[str]:
    """Ids as a link joins them.

    >>> _ids("005,012"), _ids("")
    (['005', '012'], [])
    """
    return [part for part in joined.split(",") if part]


def reset(state: RobustnessState) -> RobustnessState:
    """The board as at first, of the same prompt set."""
    return first_look(replace(state, view=RobustnessState().view, variation="", language="", without="", judged_by=""))
