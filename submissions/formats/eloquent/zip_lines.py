"""Lines of problems in the entries of a zip, as `source_lines` finds them in a file.

The entries are expanded once more for this, only those with a place inside, and with the limits of the first time.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import partial
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.eloquent.cultural_metadata import METADATA_FILE
from submissions.problems import Problem
from submissions.reading.limits import Limits
from submissions.reading.source_lines import Spot, at_spots, json_spots, text_spots
from submissions.reading.zip_members import Member, ZipMembers


def located_in_zip(
    listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, limits: Limits
) -> list[Problem]:
    """The problems with their lines, each in the entry its path names (`sv_specific.jsonl:17`).

    Args:
        listed: Those that are shown; of others no line is looked for.
        problems: All of them.
        stream: The zip.
        limits: Those it was read with.
    """
    inside: dict[str, list[Problem]] = {}
    for problem in listed:
        name, _, place = problem.path.partition(":")
        if place:
            inside.setdefault(name, []).append(problem)
    located_problems = list(problems)
    if not inside:
        return located_problems
    stream.seek(0)
    members = ZipMembers(stream.read(), Findings(), limits)
    whole = {member.name for member in members}
    for name, named in inside.items():
        member = entry_named(members, name)
        # An entry may be called like a place in another one.
        places = [problem for problem in named if problem.path not in whole]
        if member is not None and places:
            spots = members.reread(member, entry_bytes(name, limits), partial(_spots, name, places))
            located_problems = at_spots(located_problems, spots or {}, name)
    return located_problems


def entry_named(members: Iterable[Member], name: str) -> Member | None:
    """The member that is read under a name: the first, as the reader of the format takes them."""
    wanted = name.casefold() if name == METADATA_FILE else None
    return next(
        (
            member
            for member in members
            if not member.is_junk and (member.name == name or member.name.casefold() == wanted)
        ),
        None,
    )


def entry_bytes(name: str, limits: Limits) -> int:
    """So many bytes an entry may have."""
    return limits.metadata_bytes if name == METADATA_FILE else limits.zip_entry_bytes


def _spots(name: str, problems: Sequence[Problem], stream: BinaryIO) -> dict[str, Spot]:
    """`spot_key` of a problem -> where in the entry it stands; paths into a JSON document, only the metadata have."""
    paths = {problem.path: inner for problem in problems if (inner := problem.path[len(name) + 1 :]).startswith("$")}
    if not paths:
        return text_spots(stream, name, problems)
    data = stream.read()
    inner_spots = json_spots(data, paths.values())
    of_paths = {path: inner_spots[inner] for path, inner in paths.items() if inner in inner_spots}
    return text_spots(io.BytesIO(data), name, problems) | of_paths
