"""How anybody makes a number of the Robustness boards anew, from the manifest of its row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReproductionStep:
    """One step, with what to type where something is typed."""

    words: str
    command: str = ""


STEPS: tuple[ReproductionStep, ...] = (
    ReproductionStep(
        "Open the system on the board and press Download manifest; save it as manifest.json. It holds the number with "
        "all its digits, the SHA-256 of the file it was made from, the prompt set, the judge and the code version."
    ),
    ReproductionStep(
        "Get the file: your own, or one its team gives you. The files of our example systems are in "
        "submissions/promptsets/examples, those of SmolLM2 in submissions/recorded. In the commands FILE stands for it."
    ),
    ReproductionStep(
        "Install the code version of the manifest. For an official ELOQUENT set let PLUMBLINE_ELOQUENT_DIR name the "
        "folder of its files; the demonstration set is part of the program."
    ),
    ReproductionStep(
        "Reproduce the score. The command sees that the file is the very one, judges every pair again, prints both "
        "numbers and whatever differs in judge, prompt set or code, and ends with “The same number.” A row of the "
        "embedded judge takes seconds and needs neither a GPU nor a network; for other judges say --judge.",
        "python -m evaluator reproduce manifest.json FILE",
    ),
    ReproductionStep(
        "A run of 2025 or 2026 has its own Download manifest. Give all files of the run, in any order: the command "
        "says of every figure whether it is the same.",
        "python -m evaluator reproduce manifest.json en.json fi.json",
    ),
    ReproductionStep(
        "For everything the number is made of, down to every pair, write out the whole result; the manifest names this "
        "command for its judge, here the embedded one:",
        "python -m evaluator evaluate FILE --json --judge pair > result.json",
    ),
    ReproductionStep(
        "The number stands in it under its view and figure:",
        "python -c \"import json; views = json.load(open('result.json'))['views']; "
        "print(views['english']['figures']['pair_mean_gated']['mean']['value'])\"",
    ),
)
