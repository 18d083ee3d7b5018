"""Findings: complete counts, bounded memory."""

from __future__ import annotations

from submissions.findings import Findings, ProblemTally


def filled(count: int, code: str = "response_type") -> Findings:
    findings = Findings()
    for index in range(count):
        findings.add(code, f"$[{index}]", "message", "hint")
    return findings


def test_all_are_counted_and_the_first_two_hundred_of_a_code_kept() -> None:
    findings = filled(1_000)
    assert findings.counts == {"response_type": 1_000}
    assert [problem.path for problem in findings.problems] == [f"$[{index}]" for index in range(200)]


def test_extending_adds_up_counts() -> None:
    findings = filled(150)
    findings.extend(filled(1_000))
    assert findings.counts == {"response_type": 1_150}
    assert len(findings.problems) == 200


def test_severity_is_the_codes_and_decides() -> None:
    assert filled(0).decision == "accepted"
    assert filled(1, "crlf").decision == "accepted"
    assert filled(1, "utf8_bom").decision == "accepted_with_warnings"
    assert filled(1).decision == "refused"
    assert filled(1).has_error


def test_leaving_out_a_code_leaves_the_rest() -> None:
    findings = filled(3)
    findings.extend(filled(2, "crlf"))
    rest = findings.without("response_type")
    assert rest.counts == {"crlf": 2}
    assert not rest.has_error
    assert findings.counts == {"crlf": 2, "response_type": 3}


def test_a_tally_tells_each_group_once_at_its_first_place() -> None:
    tally = ProblemTally()
    for index, group in enumerate("abab"):
        tally.note("extra_key", f"$[{index}]".__str__, group=group, detail=group)
    assert [(mark.path, mark.detail, mark.count) for mark in tally.marks] == [("$[0]", "a", 2), ("$[1]", "b", 2)]


def test_after_two_hundred_groups_the_rest_shares_one() -> None:
    tally = ProblemTally()
    for index in range(1_000):
        tally.note("extra_key", lambda: "$", group=str(index), detail=str(index))
    # 200 groups of their own, and 800 together.
    assert len(tally.marks) == 201
    assert tally.marks[-1].count == 800
