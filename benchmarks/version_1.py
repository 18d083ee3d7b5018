"""`python -m benchmarks.version_1 CHECKOUT`: the ten faults of version 1 of the statistics, before and now.

Every trial is drawn once. The code of CHECKOUT, which is version 1 (`git worktree add ../before 6ed7c6bc`), answers it
in a process of its own (`benchmarks.version_1_answers`), and the present code here: both columns are of the same draws.
No network; a fixed seed.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from itertools import product
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import numpy as np

from benchmarks import hard_populations as hard
from benchmarks import version_1_answers as answers
from benchmarks.canary import DAY_OF_ASKING, NOISES, WEEKS, YEAR, Weather, heard_chances
from benchmarks.chance_gains import ATTEMPTS_ROWS, NOISE_ROWS, best_attempt, equal_systems, named, noise_run
from benchmarks.corrected_scores import CHOSEN_ROWS, TOPICS, Topics, chosen_log, labels_text, log_of_topics
from benchmarks.figure_coverage import AUC_ROWS, KAPPA_ROWS, agreement_chances, kappas, topic_scores, true_auc
from benchmarks.guards_of_2026 import runs
from benchmarks.lab_ratings import RATING_ROWS, centred, drawn_votes
from benchmarks.provenance import commit
from evaluator.canary.course import ASKED_AT_ONCE
from evaluator.canary.pairs import OWN_PAIRS
from evaluator.personalization.bootstrap import Tally, unit_tallies
from evaluator.personalization.evaluate import outcome_rows
from evaluator.results import HEADLINE, PersonalizationResult, RobustnessResult
from evaluator.robustness.edition_results import CONSISTENCY_HEADLINE, ConsistencyResult
from evaluator.seeding.own_entries import FILE_NAME
from evaluator.statistics.intervals import FloatArray
from submissions.commands.command_line import OneLineParser, stop
from submissions.promptsets import PromptSets
from submissions.store.store import Store

VERSION_1 = "6ed7c6bc"
"""The commit on which the faults were found."""
SEED = 52
TRIALS = 1_000
CANARIES = 100
"""Trials of each kind of canary at most: one has a thousand weeks."""
BATCH = 20
"""Trials that are handed over at a time."""
ALTERED = 0.02
"""Share of a canary's pairs that have another verdict from some week on."""
HOLDS = "95% interval holds"

Draw = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The arguments of a trial, and those that only the present code takes."""
Figure = Callable[[Any], float | None]
"""An answer -> what is counted of it: a bool for a share, a number for a mean, None to leave the trial out."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One population of a row."""

    population: str
    size: str
    answer: Callable[..., Any]
    """Of `version_1_answers`."""
    draw: Callable[[np.random.Generator], Draw]
    figures: Mapping[str, Figure]
    """Name -> how it is read from an answer."""
    most_trials: int = 1_000_000


def holds(truth: float) -> Figure:
    """Return the figure that says whether an interval holds the truth, but for rounding."""
    return lambda ends: None if ends is None else bool(ends[0] - 1e-9 <= truth <= ends[1] + 1e-9)


def width(ends: answers.Ends) -> float | None:
    """Return how wide an interval is."""
    return None if ends is None else ends[1] - ends[0]


WIDTH: Mapping[str, Figure] = {"width": width}


def itself(answer: float) -> float:
    """Count the answer as it is."""
    return answer


def guards_cell(system: str) -> Cell:
    """A run on the demonstration questions of 2026; the answers of tide are all right."""
    data = dict(runs(PromptSets.load(None)))[system]
    figures: dict[str, Figure] = {
        "flagged off_topic": lambda answer: answer[0].get("off_topic", 0),
        "flagged otherwise": lambda answer: sum(answer[0].values()) - answer[0].get("off_topic", 0),
        "headline without guards": lambda answer: answer[1],
        "headline": lambda answer: answer[2],
    }
    return Cell(system, "150 answers", answers.guards, lambda _: ((data, FILE_NAME), ()), figures, 1)


def score_cell(population: hard.HardScores, items: int) -> Cell:
    """Scores of one system with rare losses, and other hard populations."""
    return Cell(
        population.name,
        f"{items} items",
        answers.score,
        lambda generator: ((population.draw(generator, (items,)),), ()),
        {HOLDS: holds(float(population.draw(np.random.default_rng(0), (hard.ITEMS_OF_THE_TRUTH,)).mean())), **WIDTH},
    )


def board_cell(boards: hard.HardBoards, items: int) -> Cell:
    """Boards of two kinds of systems with equal means."""
    return Cell(
        boards.name,
        f"{items} items",
        answers.board,
        lambda generator: ((hard.hard_board_values(generator, boards, items, 1)[0],), ()),
        {"any two told apart": itself},
    )


def power_cell(boards: hard.HardBoards, items: int) -> Cell:
    """The same boards, each system a step better than the one before; both kinds in turn."""
    order = np.argsort(np.arange(boards.systems) % 2, kind="stable") if boards.steady < boards.systems else ...
    steps = STEP * (np.arange(boards.systems) - (boards.systems - 1) / 2)

    def draw(generator: np.random.Generator) -> Draw:
        values = hard.hard_board_values(generator, boards, items, 1)[0]
        in_turn = np.empty_like(values)
        in_turn[order] = values
        return (in_turn + steps[:, None],), ()

    figures = {"pairs told apart": itself}
    return Cell(f"{boards.name}, {STEP} apart", f"{items} items", answers.power, draw, figures, POWER_TRIALS)


def kappa_cell(rows: int, prevalence: float, right: float) -> Cell:
    """Kappa of single rows."""
    chances = agreement_chances(prevalence, right)

    def draw(generator: np.random.Generator) -> Draw:
        drawn = np.repeat(range(4), generator.multinomial(rows, chances)).tolist()
        return ([str(cell // 2) for cell in drawn], [str(cell % 2) for cell in drawn]), ()

    figures = {HOLDS: holds(float(kappas(1e6 * chances))), **WIDTH}
    return Cell(f"label of {prevalence}, right {right}", f"{rows} rows", answers.kappa, draw, figures)


def area_cell(topics: int, strength: float) -> Cell:
    """The AUC of a judge over topics."""
    return Cell(
        f"4 pairs a topic, {strength} apart",
        f"{topics} topics",
        answers.area,
        lambda generator: (topic_scores(generator, topics, strength), ()),
        {HOLDS: holds(true_auc(topics, strength)), **WIDTH},
    )


def topics_cell(topics: Topics) -> Cell:
    """Labels of whole topics; the present code is told the topics."""
    return Cell(
        f"alike {topics.alike}, prevalence {topics.prevalence}, judge {topics.judge}, {topics.others} others",
        labels_text(topics),
        answers.corrected_mean,
        lambda generator: log_of_topics(generator, topics),
        {f"PPI++: {HOLDS}": holds(topics.prevalence), **WIDTH},
    )


def chosen_cell(labels: int, prevalence: float, judge: tuple[float, float], choice: float) -> Cell:
    """Labels chosen by what the judge said."""
    held = holds(prevalence)
    return Cell(
        f"yes labelled {choice:g} times as often, prevalence {prevalence}, judge {judge}",
        f"{labels} labels",
        answers.chosen,
        lambda generator: (chosen_log(generator, labels, prevalence, judge, choice), ()),
        {"found to be chosen": lambda answer: answer[0], f"printed {HOLDS}": lambda answer: held(answer[1])},
    )


def equal_cell(labels: int, judge: tuple[float, float]) -> Cell:
    """Two equal systems, of which a judge with unlike errors prefers one."""
    return Cell(
        f"equal systems, judge {judge}",
        f"{labels} labels",
        answers.changes,
        lambda generator: (chosen_log(generator, labels, 0.5, judge, 1), ()),
        {
            "said: the better system changes": lambda answer: answer[0],
            "of these against its interval": lambda answer: answer[1] if answer[0] else None,
        },
    )


def ratings_cell(strengths: Sequence[float], voters: int, seldom: float) -> Cell:
    """Ratings of the lab; labs that do not show the strongest system at all are left out."""
    held = {f"s{place}": holds(strength) for place, strength in enumerate(centred(strengths))}
    strongest = f"s{int(np.argmax(strengths))}"

    def draw(generator: np.random.Generator) -> Draw:
        votes = drawn_votes(generator, strengths, voters, seldom)
        return ([(vote.first, vote.second, vote.outcome, vote.voter) for vote in votes],), ()

    def together(found: Mapping[str, Any]) -> float | None:
        return all(held[name](ends) for name, ends in found.items()) if strongest in found else None

    figures = {f"strongest: {HOLDS}": lambda found: held[strongest](found.get(strongest)), "all hold": together}
    population = f"strengths {', '.join(map(str, strengths))}, the strongest in {seldom:.0%}"
    return Cell(population, f"{voters} visitors", answers.ratings, draw, figures)


def attempts_cell(attempts: int, items: int) -> Cell:
    """The best of several attempts against an equal system; the present code is told the attempts."""

    def draw(generator: np.random.Generator) -> Draw:
        tried, other = equal_systems(generator, attempts, items)
        return (named(best_attempt(tried)), named(other)), ((attempts, 1),)

    return Cell(f"best of {attempts}", f"{items} items", answers.called_better, draw, {"called better": itself})


def noise_cell(questions: int, languages: int, passing: float) -> Cell:
    """The headline of 2026 of answers that are noise."""

    def draw(generator: np.random.Generator) -> Draw:
        run = noise_run(generator, questions, languages, passing)
        return ({name: {key: astuple(one) for key, one in own.items()} for name, own in run.items()},), ()

    population = f"{languages} languages, {passing:.0%} pass the gate"
    return Cell(population, f"{questions} questions", answers.headline, draw, {"headline": itself})


def canary_cell(spread: float, noise: str) -> Cell:
    """Canaries of version 1 ask their baseline at once, the present ones on several days."""
    weather, usual = Weather(spread), NOISES[noise]

    def draw(generator: np.random.Generator) -> Draw:
        days = weather.factors(generator, max(DAY_OF_ASKING) + 1)
        asked = generator.random((len(DAY_OF_ASKING), OWN_PAIRS))
        at_once = asked[:ASKED_AT_ONCE] < heard_chances(usual, float(days[0]))
        by_day = asked < heard_chances(usual, days[[*DAY_OF_ASKING], None])
        weekly = heard_chances(usual, weather.factors(generator, WEEKS + YEAR)[:, None])
        heard = generator.random(weekly.shape) < weekly
        altered = heard[WEEKS:] ^ (generator.random(OWN_PAIRS) < ALTERED)
        return (heard[:WEEKS], altered, at_once), (by_day,)

    figures: dict[str, Figure] = {
        f"false alarm in {WEEKS:,} weeks": lambda answer: answer and answer[0],
        f"change of {ALTERED:.0%} not found in a year": lambda answer: answer and answer[1],
    }
    return Cell(noise, f"days differ by {spread}", answers.canary, draw, figures, CANARIES)


STEP, POWER_TRIALS = 0.08, 300
ONE_KIND = hard.HardBoards("20 steady", 20)
EQUAL_ROWS = [(100, (0.9, 0.8)), (100, (0.8, 0.6)), (300, (0.9, 0.8))]
UNLIKE = [boards for boards in hard.HARD_BOARDS if boards.steady in (10, 18) and boards.lost == 0.2]
ROWS: Mapping[int, Sequence[tuple[Callable[..., Cell], Iterable[tuple[Any, ...]]]]] = {
    1: [(guards_cell, [("tide",), ("SmolLM2-135M",), ("noise",)])],
    2: [(score_cell, [(population, items) for population in hard.HARD_SCORES for items in population.items])],
    3: [
        (board_cell, [*product(UNLIKE, hard.HARD_BOARD_ITEMS)]),
        (power_cell, [*product((ONE_KIND, UNLIKE[0]), hard.HARD_BOARD_ITEMS)]),
    ],
    4: [(kappa_cell, KAPPA_ROWS)],
    5: [(area_cell, AUC_ROWS)],
    6: [
        (topics_cell, [(topics,) for topics in TOPICS]),
        (chosen_cell, [row for row in CHOSEN_ROWS if row[-1] != 1]),
        (equal_cell, EQUAL_ROWS),
    ],
    7: [(ratings_cell, RATING_ROWS)],
    8: [(attempts_cell, [row for row in ATTEMPTS_ROWS if row[0] >= 10])],
    9: [(noise_cell, NOISE_ROWS)],
    10: [(canary_cell, [*product((0.5, 0.0), NOISES)])],
}
"""Row of the table of faults -> how its cells are made, and the arguments of each."""


def checked(checkout: Path) -> Path:
    """Return the checkout if it is of version 1; otherwise end the command with what was found and what to do."""
    found = commit(checkout)
    if found[:7] != VERSION_1[:7] or not (checkout / "evaluator").is_dir():
        stop(
            f"{checkout}: found commit {found}, expected the root of a checkout of {VERSION_1}; make one with "
            f"git worktree add ../before {VERSION_1}"
        )
    return checkout.resolve()


def old_code(checkout: Path) -> Popen[bytes]:
    """Start the old code, which reads draws and writes answers."""
    command = [sys.executable, "-P", str(answers.__file__)]  # -P: without the modules of our own folder
    return Popen(command, stdin=PIPE, stdout=PIPE, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)})


def both_answers(old: Popen[bytes], cell: Cell, draws: Sequence[Draw]) -> tuple[list[Any], list[Any]]:
    """Return what version 1 and what the present code says of each draw."""
    assert old.stdin is not None
    assert old.stdout is not None
    plain = [(*arguments,) for arguments, _ in draws]  # no class of ours, which the old code lacks
    pickle.dump((cell.answer.__name__, plain), old.stdin)
    old.stdin.flush()
    now = [cell.answer(*arguments, *more) for arguments, more in draws]
    return pickle.load(old.stdout), now


def figure_text(outcomes: Sequence[float]) -> str:
    """Return a share or a mean with its Monte Carlo error; a single number has none.

    >>> figure_text([True, False] * 50), figure_text([0.5, 1.5]), figure_text([20]), figure_text([])
    ('50.0 ± 5.0%', '1.000 ± 0.354', '20', 'n/a')
    """
    if len(outcomes) < 2:
        return f"{outcomes[0]:.3g}" if outcomes else "n/a"
    mean = float(np.mean(outcomes))
    if all(isinstance(outcome, bool) for outcome in outcomes):
        return hard.with_error(mean, len(outcomes))
    return f"{mean:.3f} ± {float(np.std(outcomes)) / len(outcomes) ** 0.5:.3f}"


def cell_lines(cell: Cell, seed: Sequence[int], trials: int, old: Popen[bytes]) -> Iterator[str]:
    """Draw the trials of a cell, and return the columns behind that of the row, a line for each figure."""
    generator, trials = np.random.default_rng(seed), min(trials, cell.most_trials)
    before: list[Any] = []
    now: list[Any] = []
    while len(now) < trials:
        print(f"{cell.population}, {cell.size}: {len(now):,} of {trials:,}", end="\r", file=sys.stderr, flush=True)
        draws = [cell.draw(generator) for _ in range(min(BATCH, trials - len(now)))]
        for version, said in zip((before, now), both_answers(old, cell, draws), strict=True):
            version += said
    for name, figure in cell.figures.items():
        counted = [[one for one in map(figure, version) if one is not None] for version in (before, now)]
        numbers = " / ".join(f"{number:,}" for number in dict.fromkeys(map(len, counted)))
        yield " | ".join([cell.population, cell.size, name, *map(figure_text, counted), numbers])


@dataclass(frozen=True, slots=True)
class Shown:
    """The headline of a row that an installation shows."""

    board: str
    row: str
    parts: FloatArray
    """Of each unit, between the ends of the scale times its whole."""
    wholes: FloatArray
    ends: tuple[float, float] = (0.0, 5.0)
    by_unit: Mapping[str, float] = field(default_factory=dict)
    """Of entries of a board of scores, which are ranked by these."""


def shown_rows(data: Path) -> Iterator[Shown]:
    """Read the headlines that lie between two ends and that version 2 changed: of 2024, 2025 and Personalization.

    The headline of 2026 is another figure; those of the other boards have the interval that they had.
    """
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    for ticket, text in store.results():
        name = " ".join(filter(None, (ticket.names.system, ticket.names.run)))
        match json.loads(text)["board"]:
            case "robustness":
                by_item = RobustnessResult.model_validate_json(text).views["english"].item_values[HEADLINE]
                yield of_scores("Robustness", name, by_item, is_entry=ticket.role != "baseline")
            case "consistency":
                by_question = ConsistencyResult.model_validate_json(text).question_values[CONSISTENCY_HEADLINE]
                yield of_scores("Consistency", name, by_question, is_entry=ticket.role != "baseline")
            case "personalization":
                outcomes = PersonalizationResult.model_validate_json(text).outcomes
                ranked = [row for row in outcome_rows(outcomes) if row.setting == "irrelevant"]
                for method in dict.fromkeys(row.method for row in ranked):
                    tallies = unit_tallies((row for row in ranked if row.method == method), "irrelevant")
                    of = Tally(*tallies.counts[tallies.counts[:, Tally._fields.index("qstar")] > 0].T)
                    yield Shown("Personalization", f"{name}, {method}", of.broken, of.qstar, (0.0, 1.0))
    store.close()


def of_scores(board: str, row: str, values: Mapping[str, float], *, is_entry: bool) -> Shown:
    """Make a row of scores, one for each unit."""
    numbers = np.array([*values.values()])
    return Shown(board, row, numbers, np.ones(len(numbers)), by_unit=values if is_entry else {})


def shown_lines(data: Path, old: Popen[bytes]) -> Iterator[str]:
    """Return a line for each row whose headline has an interval: value, and the interval in both versions."""
    yield "| board | row | headline | before | now | units |"
    yield "|---" * 6 + "|"
    rows = {f"{row.board} | {row.row}": row for row in shown_rows(data) if len(row.parts)}
    cell = Cell("", "", answers.share, lambda _: ((), ()), {})
    draws = [((row.parts, row.wholes, row.ends), ()) for row in rows.values()]
    lines = []
    for (name, row), *intervals in zip(rows.items(), *both_answers(old, cell, draws), strict=True):
        value = row.parts.sum() / row.wholes.sum()
        before, now = ("none" if ends is None else f"[{ends[0]:.2f}, {ends[1]:.2f}]" for ends in intervals)
        lines.append((row.board, -value, f"| {name} | {value:.2f} | {before} | {now} | {len(row.parts)} |"))
    yield from (line for *_, line in sorted(lines))
    for board in dict.fromkeys(row.board for row in rows.values() if row.by_unit):
        yield from place_lines([row for row in rows.values() if row.board == board and row.by_unit], old)


def place_lines(rows: Sequence[Shown], old: Popen[bytes]) -> Iterator[str]:
    """Return the places of the entries of a board in both versions, by the units that all of them have."""
    units = sorted(set.intersection(*(set(row.by_unit) for row in rows)))
    values = np.array([[row.by_unit[unit] for unit in units] for row in rows])
    cell = Cell("", "", answers.places, lambda _: ((), ()), {})
    [before], [now] = both_answers(old, cell, [((values,), ())])
    yield f"\n{rows[0].board}, places of the entries, before and now:"
    for row, *places in sorted(zip(rows, before, now, strict=True), key=lambda line: line[-1]):
        yield f"{row.row}: {' and '.join(f'{low}-{high}' for low, high in places)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, line by line."""
    parser = OneLineParser(prog="python -m benchmarks.version_1", description=__doc__)
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help=f"of {VERSION_1}")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"of each line (default {TRIALS:,})")
    parser.add_argument("--row", type=int, choices=ROWS, help="one row of the table of faults alone")
    parser.add_argument(
        "--shown", type=Path, metavar="DATA", help="the rows that an installation shows, instead: its data folder"
    )
    options = parser.parse_args(arguments)
    with old_code(checked(options.checkout)) as old:
        if options.shown:
            print("\n".join(shown_lines(options.shown, old)))
            return 0
        print(f"commit {commit()}, before: {VERSION_1}\n\n| row | population | size | figure | before | now | trials |")
        print("|---" * 7 + "|", flush=True)
        for row in (options.row,) if options.row else ROWS:
            cells = (kind(*arguments) for kind, rows in ROWS[row] for arguments in rows)
            for place, cell in enumerate(cells):
                for line in cell_lines(cell, [SEED, row, place], options.trials, old):
                    print(f"| {row} | {line} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
