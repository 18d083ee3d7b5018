"""What the lab shows of a visit; no components, so that it is tested without a browser."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from evaluator.judge_quality.human_check import HumanCheck
from evaluator.lab.gallery import Gallery, recorded_gallery
from evaluator.lab.gate import LabVisitor
from evaluator.lab.ratings import KeptRatings
from evaluator.lab.serving import LabService
from evaluator.lab.session_file import MAX_BYTES, NothingToExport, exported_session, loaded_session
from evaluator.lab.setup import OWN_DATASET, LabSetup, naive_vs_pref_aligner, two_models
from evaluator.lab.state import LabState
from evaluator.lab.votes import vote_on
from evaluator.results import Pin
from leaderboard.lab.form import Catalogue, Form, first_setup, form_of, setup_of, with_columns
from leaderboard.lab.gallery import following_breakage, gallery_choice, wanted_breakage
from leaderboard.lab.links import MAX_LINK, LabView, RestoredSetup, lab_link, restored
from leaderboard.lab.ratings import ratings_notice, ratings_table
from leaderboard.lab.reader import ReaderScreen
from leaderboard.lab.replays import ReplayChoice, ReplayView, example_id, replay_view
from leaderboard.lab.tally import tally_table
from leaderboard.lab.values import (
    OUTCOMES,
    ControlsValue,
    PairwiseValue,
    PaneValue,
    PromptsValue,
    SettingValue,
    SetupLineValue,
    SetupValue,
    StatusValue,
    VerdictValue,
    answer_pane,
    column_name,
    controls_value,
    idle_pane,
    pairwise_value,
    prompts_value,
    setting_value,
    setup_line_value,
    setup_value,
    shown_name,
    status_value,
    verdict_value,
)
from leaderboard.lab.visit import Ballot, Visit
from leaderboard.page.judge_card import JudgeReport, card_beside_verdict
from leaderboard.parts.card_values import JudgeCardsValue
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.tables import TableValue
from leaderboard.parts.visible_text import visible

HOW_TO_GO_LIVE = (
    "To write here, name the models that may: PLUMBLINE_GENERATORS=auto takes SmolLM2, a very small model; "
    "transformers:REPO@COMMIT, http:URL#MODEL and provider:REPO are any others, several separated by commas.",
    "docs/generators.md says what each of them needs. Restart the app afterwards.",
)


def may_rate(judge_names: Sequence[str]) -> bool:
    """Whether the first configured judge is a language model, which can rate answers and compare them.

    >>> may_rate(["transformers:models/judge"]), may_rate(["auto"]), may_rate([])
    (True, False, False)
    """
    return any(name.startswith(("transformers:", "http:")) for name in judge_names[:1])


class Picture(NamedTuple):
    """Everything a run shows, one field per component, in the order of the page."""

    line: SetupLineValue
    status: StatusValue
    setup: SetupValue | None
    first: PaneValue
    second: PaneValue
    first_verdict: VerdictValue
    second_verdict: VerdictValue
    controls: ControlsValue | None
    pairwise: PairwiseValue
    judge_card: JudgeCardsValue | None
    prompts: PromptsValue
    ballot: NoticeValue | None
    agreement: NoticeValue | None
    tally: TableValue
    ratings_said: NoticeValue | None
    ratings: TableValue


class ShareValue(NamedTuple):
    """What the share button gives: a link, or why there is none."""

    link: str
    said: NoticeValue | None


class LabScreen:
    """Visit and form -> values of the page's components.

    Args:
        lab: None = nothing can be run here.
        report_of: How the judge of the lab stands on the Judges board.
        is_rated: Whether its judge is a language model, which can rate answers.
        judge_name: The judge as it is configured; blank = none is.
        dice: Shuffles blind sides and picks random questions.
        people_of: What people say of the judge's verdicts on pairs of answers; None = that is not shown.
        canary_of: What the judge's canaries say; blank = it has none.
    """

    def __init__(
        self,
        lab: LabService | None,
        catalogue: Catalogue,
        report_of: JudgeReport,
        *,
        is_rated: bool = False,
        judge_name: str = "",
        dice: random.Random | None = None,
        people_of: Callable[[Pin], HumanCheck] | None = None,
        canary_of: Callable[[Pin], str] = lambda judge: "",
    ) -> None:
        self._lab = lab
        self._ratings = KeptRatings(lab.votes) if lab else None
        self._people_of = people_of
        self._canary_of = canary_of
        self._report_of = report_of
        self._is_rated = is_rated
        self._dice = dice or random.SystemRandom()
        self.catalogue = catalogue
        self.reader = ReaderScreen(lab, self._card_of, judge_name=judge_name, is_rated=is_rated)
        """The mode that lets the judge take one reader's place."""

    # What can be set up

    @property
    def generators(self) -> tuple[str, ...]:
        """What the columns offer; () = live generation is off."""
        return self._lab.generator_names if self._lab else ()

    def live_off(self) -> NoticeValue | None:
        """Why nothing can be run, and how to change that; None where it can."""
        reason = self._lab.live_off_reason if self._lab else "Live generation is off here. Replay works."
        return notice("warning", reason, *HOW_TO_GO_LIVE) if reason else None

    def about_generators(self) -> NoticeValue | None:
        """What visitors are to know of the models that write here; None where there is nothing to say."""
        said = self._lab.about_generators if self._lab else ()
        return notice("plain", *(visible(text) for text in said)) if said else None

    def first_setup(self) -> LabSetup:
        return first_setup(self.catalogue, self.generators, is_rated=self._is_rated)

    def setting(self, form: Form) -> SettingValue:
        """What list and flag come to."""
        return setting_value(setup_of(form, self.catalogue))

    def setup_line(self, form: Form, *, shown: int | None = None) -> SetupLineValue:
        """What is set, in one line."""
        return setup_line_value(setup_of(form, self.catalogue), shown=shown)

    def preset(self, name: str, form: Form) -> Form:
        """The form with the columns of a preset: `methods` or `models`."""
        names = self.generators or ("",)
        first = form.a_generator if form.a_generator in names else names[0]
        if name == "methods":
            return with_columns(form, naive_vs_pref_aligner(first))
        other = next((name for name in names if name != first), first)
        return with_columns(form, two_models(first, other))

    def random_question(self) -> tuple[str, str, int | None]:
        """Data set, example and wording of some question at hand."""
        return self.catalogue.any(self._dice)

    # Running

    def faults(self, form: Form) -> NoticeValue | None:
        """Everything that keeps the form from being run."""
        faults = self._lab.problems(setup_of(form, self.catalogue)) if self._lab else []
        return notice("bad", "This cannot be run yet.", *(visible(fault) for fault in faults)) if faults else None

    async def run(
        self, visit: Visit, form: Form, *, is_blind: bool, visitor: LabVisitor, token: str | None = None
    ) -> AsyncGenerator[Picture, None]:
        """Runs the form and yields what the page shows, about ten times a second. Closing it cancels the run."""
        if self._lab is None or visit.is_running:
            return
        setup = setup_of(form, self.catalogue)
        stop = visit.begin(is_blind=is_blind, dice=self._dice)
        try:
            async with aclosing(self._lab.run(setup, visitor, stop=stop, token=token)) as states:
                async for state in states:
                    visit.take(state)
                    yield self.picture(visit, form)
        finally:
            visit.end()
            # Only now is it known what the judge says of the pair.
            self._keep_vote(visit.ballot, visitor)
        yield self.picture(visit, form)

    def vote(self, visit: Visit, choice: str, *, consent: bool, visitor: LabVisitor) -> None:
        """Takes a vote on the blind run on the page; anything else changes nothing."""
        self._keep_vote(visit.cast(choice, consent=consent), visitor)

    def _keep_vote(self, ballot: Ballot | None, visitor: LabVisitor) -> None:
        if self._lab is None or ballot is None or ballot.vote is None or ballot.state is None:
            return
        voter = self._lab.pseudonym(visitor)
        kept = vote_on(
            ballot.state, ballot.vote, vote_id=ballot.vote_id, voter=voter, consent=ballot.consent, cast=ballot.cast
        )
        self._lab.votes.add(kept)

    # The picture

    def picture(self, visit: Visit, form: Form) -> Picture:
        """The page as the visit stands."""
        state, (first, second), is_hidden = visit.state, visit.places, visit.is_hidden
        if state is None:
            panes = [idle_pane(side.upper(), self._named(form, side)) for side in ("a", "b")]
        else:
            panes = [answer_pane(state, place) for place in (first, second)]
        ratings = self._ratings() if self._ratings else None
        return Picture(
            line=self.setup_line(form, shown=visit.shown if state else 0),
            status=status_value(state, is_hidden=is_hidden, is_stored=visit.is_stored, recorded_as=visit.recorded_as),
            setup=setup_value(state.setup) if state else None,
            first=panes[0],
            second=panes[1],
            first_verdict=verdict_value(state, first),
            second_verdict=verdict_value(state, second),
            controls=controls_value(state, (first, second)),
            pairwise=pairwise_value(state, is_hidden=is_hidden),
            judge_card=None if is_hidden else self._judge_card(state),
            prompts=prompts_value(state, (first, second)),
            ballot=ballot_notice(visit),
            agreement=agreement_notice(visit),
            tally=tally_table(visit.tally),
            ratings_said=ratings_notice(ratings),
            ratings=ratings_table(ratings),
        )

    def _named(self, form: Form, side: str) -> str:
        setup = setup_of(form, self.catalogue)
        return shown_name(setup, "a" if side == "a" else "b") if self.generators else ""

    def _judge_card(self, state: LabState | None) -> JudgeCardsValue | None:
        return None if state is None or state.judge is None else self._card_of(state.judge)

    def _card_of(self, judge: Pin) -> JudgeCardsValue:
        people = self._people_of(judge) if self._people_of else None
        return {"cards": [card_beside_verdict(judge, self._report_of(judge), people, self._canary_of(judge))]}

    # Replay

    def replay(self, asked: ReplayChoice) -> ReplayView:
        """Stored rows side by side; works without generator, judge and torch."""
        return replay_view(self._lab.replay if self._lab else None, asked)

    def gallery(self) -> Gallery | None:
        """Where preferences broke an answer in the recorded run; None where none is stored. Reads files."""
        return recorded_gallery(self._lab.replay) if self._lab else None

    def look_at_recorded(self, visit: Visit, gallery: Gallery | None, wanted: str = "") -> LabState | None:
        """Shows a recorded question that the naive method lost; None where there is none. Reads files.

        Args:
            wanted: Id of the example; blank = the one a first visit finds, where Pref-Aligner held if it ever did.
        """
        breakage = wanted_breakage(gallery, wanted)
        if gallery is None or breakage is None:
            return None
        state = self.replay(gallery_choice(gallery, breakage)).state
        if state is not None:
            place, count = gallery.breakages.index(breakage) + 1, len(gallery.breakages)
            visit.look_at(state, recorded=example_id(breakage.example), recorded_as=f"example {place} of {count}")
        return state

    def next_example(self, visit: Visit, form: Form) -> Form:
        """The form with the next question. Where answers are recorded, the next that preferences broke is shown with
        them; else the next of the list stands in the form, and nothing is shown of it yet. Reads files."""
        gallery = self.gallery()
        state = self.look_at_recorded(visit, gallery, following_breakage(gallery, visit.recorded))
        if state is not None:
            return form_of(with_recorded(setup_of(form, self.catalogue), state), self.catalogue)
        dataset = form.dataset if self.catalogue.examples(form.dataset) else self.catalogue.questions.dataset
        return self.catalogue.chosen(form, dataset, self.catalogue.following(dataset, form.example), None)

    # Links and files

    def share(self, form: Form, view: LabView) -> ShareValue:
        """The link to what is set and to the recorded answers that are shown; what is too long for one is exported."""
        link = self.link(setup_of(form, self.catalogue), view)
        if link is not None:
            return ShareValue(link, None)
        said = notice(
            "warning",
            f"This setup does not fit into a link of {MAX_LINK:,} characters.",
            "Run it and export the session instead: the file holds everything and can be loaded back.",
        )
        return ShareValue("", said)

    def link(self, setup: LabSetup, view: LabView) -> str | None:
        """The link to a setup; None where it would be too long."""
        return lab_link(setup, view)

    def restored(self, query: Mapping[str, str]) -> RestoredSetup:
        """The setup a link asks for; nothing is run."""
        return restored(query, self.catalogue, self.generators, self.first_setup())

    def export(self, visit: Visit) -> tuple[FileValue | None, NoticeValue | None]:
        """The session's finished runs as a file, or why there is none."""
        try:
            data = exported_session(visit.runs)
        except NothingToExport as error:
            return None, notice("warning", "There is nothing to export yet.", str(error))
        return file_value("preference-lab-session.json", JSON, data.decode("utf-8")), None

    def load(self, visit: Visit, path: Path) -> NoticeValue:
        """Takes a session from a file; one with faults changes nothing."""
        if visit.is_running:
            return notice("warning", "A run is under way: wait for it, or cancel it, then load the file again.")
        if path.stat().st_size > MAX_BYTES:
            return notice("bad", f"This file is larger than {MAX_BYTES // 2**20} MiB, which no session is.")
        session = loaded_session(path.read_bytes(), path.name)
        if session.faults:
            return notice("bad", "This file cannot be loaded.", *(visible(fault) for fault in session.faults[:20]))
        visit.replace_runs(session.states)
        visit.look_at(session.states[-1])
        count = len(session.states)
        return notice("good", f"{count} run{'s' * (count != 1)} loaded. Nothing was run or judged again.")


def with_recorded(setup: LabSetup, state: LabState) -> LabSetup:
    """The setup that asks the question of a recorded run anew, with the columns as they are set."""
    asked = state.setup
    return replace(
        setup,
        question=asked.question,
        dataset=asked.dataset,
        preferences=asked.preferences,
        relevant_index=asked.relevant_index,
        twin=None,
    )


def run_choices(runs: Sequence[LabState]) -> list[tuple[str, int]]:
    """The finished runs of a session, the latest first."""
    labels = [(_run_label(number, state), number - 1) for number, state in enumerate(runs, start=1)]
    return labels[::-1]


def _run_label(number: int, state: LabState) -> str:
    setup = state.setup
    what = "own question" if setup.dataset == OWN_DATASET else setup.question.example_id
    verdicts = ((side, state.column("a" if side == "A" else "b").verdict) for side in "AB")
    outcomes = "; ".join(f"{side} {OUTCOMES[card.outcome][0]}" for side, card in verdicts if card and card.outcome)
    return visible(f"{number}: {what}, {setup.setting}" + (f" ({outcomes})" if outcomes else ""))


def ballot_notice(visit: Visit) -> NoticeValue | None:
    """Who wrote what, once a blind run may tell it."""
    ballot, state = visit.ballot, visit.run
    if ballot is None or not ballot.is_cast or state is None or visit.is_stored:
        return None
    first, second = (column_name(state.setup, side) for side in ballot.order)
    names = (
        f"Answer 1 is column {ballot.first.upper()} ({first}), answer 2 is column {ballot.order[1].upper()} ({second})."
    )
    return notice("plain", _voted(ballot), visible(names))


def _voted(ballot: Ballot) -> str:
    if ballot.vote in ("a", "b"):
        number = 1 + ballot.order.index(ballot.vote)
        return f"You voted for answer {number}."
    return {"tie": "You voted for a tie.", "both_bad": "You voted: both bad."}.get(ballot.vote or "", "Skipped.")


def agreement_notice(visit: Visit) -> NoticeValue | None:
    """How often judge and visitor agree, in this session."""
    agreement = visit.agreement()
    if not visit.ballots:
        return None
    without = (
        f"{agreement.n_without_verdict} without a consistent verdict of the judge"
        if agreement.n_without_verdict
        else ""
    )
    if agreement.share is None:
        return notice("plain", "Agreement of judge and you: nothing to compare yet.", *([without] if without else []))
    title = f"The judge agrees with you on {agreement.n_agreeing} of {agreement.n} pairs ({agreement.share:.0%})."
    return notice("plain", title, *([without] if without else []))
