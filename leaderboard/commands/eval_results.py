"""`python -m leaderboard eval-results`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from leaderboard.boards import registry
from leaderboard.commands.opened import opened_services
from leaderboard.eval_results.model_card import FILE, description, entries, yaml_of
from leaderboard.eval_results.pull_request import NO_TOKEN, NotOpened, StillOpen, open_pull_request
from leaderboard.eval_results.results import NoResults, RunResults, run_results
from leaderboard.eval_results.tasks import NO_FRAMEWORK
from leaderboard.page.registered import BoardTools
from leaderboard.parts.export_components import site_address
from submissions.commands.command_line import stop
from submissions.reading.quoting import quoted
from submissions.settings import Settings, is_repository


def add_commands(commands: Any) -> None:
    """Adds the command to the subparsers of `python -m leaderboard`."""
    card = commands.add_parser(
        "eval-results", help="the ranked results of a submission as a file for a model card, or as a pull request on it"
    )
    card.add_argument("ticket", metavar="TICKET")
    card.add_argument(
        "--dataset", metavar="OWNER/NAME", help="dataset of the benchmark (default: PLUMBLINE_RESULTS_DATASET)"
    )
    card.add_argument("--model", metavar="OWNER/MODEL", help="repository of the model")
    card.add_argument("--row", default="", help="name of the row that is the model's, where a submission has several")
    card.add_argument("--address", metavar="URL", help="where this site is (default: of the Space it runs in)")
    card.add_argument("--out", type=Path, metavar="FOLDER", help=f"write {FILE} below it; else it is printed")
    card.add_argument(
        "--pull-request", action="store_true", help="open a pull request on the model's page with your own token"
    )
    card.set_defaults(command=_eval_results)


def _eval_results(options: argparse.Namespace, settings: Settings) -> int:
    dataset = _repository("--dataset", options.dataset or settings.results_dataset)
    if options.model:
        _repository("--model", options.model)
    address = _address(options.address, settings)
    with opened_services(settings) as services:
        tools = BoardTools(services)
        tools.open(registry.BOARDS)
        try:
            results = run_results(tools, options.ticket, options.row)
        except NoResults as error:
            stop(str(error))
    for line in results.unranked:
        _say(f"no entry for {line}")
    if not results.ranked:
        stop("nothing is ranked, so there is nothing for a model card")
    result_entries = entries(results, dataset, address)
    if options.out:
        path = options.out / FILE
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml_of(result_entries), encoding="utf-8")
        except OSError as error:
            stop(f"{error.filename}: {error.strerror}")
        _say(f"{len(result_entries)} entries written to {path}")
    if options.pull_request:
        return _pull_request(options, results, result_entries, address)
    if not options.out:
        sys.stdout.write(yaml_of(result_entries))
    _say(NO_FRAMEWORK)
    _say(
        f"To go on: put the file into the model's repository as {FILE}, or run this again with --model OWNER/MODEL "
        "--pull-request and a token of yours that may open pull requests"
    )
    return 0


def _pull_request(options: argparse.Namespace, results: RunResults, result_entries: list[Any], address: str) -> int:
    from huggingface_hub import get_token

    if not options.model:
        stated = results.ticket.names.model
        said = f"; the submission states {quoted(stated)}" if stated else ""
        stop(f"a pull request is public: name the repository it is for with --model OWNER/MODEL{said}")
    if not address:
        stop("a pull request leads to the row: say with --address where this site is")
    token = get_token()
    if not token:
        stop(NO_TOKEN)
    try:
        opened = open_pull_request(options.model, result_entries, description(results, address), token=token)
    except NotOpened as error:
        stop(str(error))
    except StillOpen as waiting:
        print(waiting)
        return 0
    if opened:
        print(f"opened: {opened}")
    else:
        print(f"{options.model} says the same already: nothing to propose")
    _say(NO_FRAMEWORK)
    return 0


def _repository(option: str, name: str) -> str:
    if not is_repository(name):
        stop(f"{option}: found {quoted(name)}, expected OWNER/NAME")
    return name


def _address(stated: str | None, settings: Settings) -> str:
    """Of the site; blank where it is not known."""
    if stated is None:
        return settings.site_address
    address = site_address(stated)
    if not address:
        stop(f"--address: found {quoted(stated)}, expected http:// or https:// and a name, without a query")
    return address


def _say(line: str) -> None:
    """Beside the file, which may be piped on."""
    sys.stderr.write(f"{line}\n")
