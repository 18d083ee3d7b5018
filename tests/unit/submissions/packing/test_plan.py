"""Which files become which run: the shapes of folders that teams have (tests/data/packing), and what is asked."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from submissions.packing.plan import Choices, PackingPlan, open_names, planned
from submissions.packing.sources import Gathering
from submissions.packing.writing import packed_files, prompt_lines
from submissions.promptsets import PromptSets
from submissions.promptsets.releases import Release
from submissions.schema import Names


@pytest.fixture(scope="session")
def packing(own_data: Path) -> Path:
    return own_data / "packing"


BARE = PromptSets.load(None)


def plan_of(*paths: Path, choices: Choices | None = None, prompt_sets: PromptSets = BARE) -> PackingPlan:
    gathering = Gathering()
    gathering.add_paths(paths)
    return planned(gathering.sources, gathering.aside, choices or Choices(), prompt_sets=prompt_sets)


def saved(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def zipped(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def rows(*answers: tuple[Any, str]) -> str:
    return "".join(json.dumps({"id": item_id, "answer": answer}) + "\n" for item_id, answer in answers)


def metadata(run: str, **more: Any) -> str:
    return json.dumps({"team": "Harbour", "system": "tide", "model": "m", "submissionid": run, **more})


def held(plan: PackingPlan) -> dict[str, dict[str, int]]:
    """Run -> `de specific` -> answers."""
    return {
        run.names.run or "": {f"{language} {kind}": len(of_slot) for (language, kind), of_slot in run.rows.items()}
        for run in plan.runs
    }


# --- the four shapes of folders --------------------------------------------------------------------------------------


def test_runs_mixed_in_one_folder_are_told_apart_by_their_names_and_a_copy_is_left_out(packing: Path) -> None:
    plan = plan_of(packing / "mixed")
    each = {"de specific": 3, "de unspecific": 2, "en specific": 3, "en unspecific": 2}
    assert held(plan) == {"cot_cultural_llama-3_3": each, "zero-shot_qwen-2_5": each}
    assert [run.names.model for run in plan.runs] == ["llama-3_3", "qwen-2_5"]
    copies = [change for run in plan.runs for change in run.changes if "same bytes" in change.what]
    assert [change.place.rpartition("/")[2] for change in copies] == ["de_specific_cot_cultural_llama-3_3.jsonl"]
    assert not plan.has_losses


def test_one_list_per_language_with_integer_ids_keeps_its_metadata_and_loses_the_language_that_is_not_there(
    packing: Path,
) -> None:
    (run,) = plan_of(packing / "arrays").runs
    assert held(plan_of(packing / "arrays")) == {
        "greedy": {"en unspecific": 2, "en specific": 3, "de unspecific": 2, "de specific": 3}
    }
    assert run.names == Names("Harbour", "tidewater", "org/tide-1", "greedy")
    assert run.languages == ("de", "en")
    assert run.metadata["modifications"]["system_prompt"] == "Answer in one sentence."  # type: ignore[index]


def test_objects_of_ids_and_lines_called_json_are_read(packing: Path) -> None:
    (run,) = plan_of(packing / "objects").runs
    assert run.rows["de", "specific"]["1-1"].answer == "In Wien gegen zwölf."
    assert run.rows["en", "unspecific"]["2"].answer == "Many people keep their shoes on."
    assert open_names(plan_of(packing / "objects")) == {name: ["run-1"] for name in ("team", "system", "model")}


def test_folders_of_runs_with_settings_and_logs_are_runs_and_their_rewritten_prompts_stay(packing: Path) -> None:
    plan = plan_of(packing / "nested")
    assert held(plan) == {run: {"sv specific": 3, "sv unspecific": 2} for run in ("baseline", "with_persona")}
    assert plan.runs[0].rows["sv", "specific"]["1-2"].prompt == "Svara kort, som en granne: fråga 1-2?"
    assert Counter(one.has_answers for one in plan.aside) == {False: 8}


# --- archives --------------------------------------------------------------------------------------------------------


def test_specific_and_unspecific_answers_in_archives_of_their_own_are_one_run(tmp_path: Path) -> None:
    folder = saved(
        tmp_path,
        {
            "harbour_specific.zip": zipped({"de_specific.jsonl": rows(("1-1", "a"))}),
            "harbour_unspecific.zip": zipped({"out/de_unspecific.jsonl": rows(("1", "b"))}),
        },
    )
    assert held(plan_of(folder)) == {"harbour": {"de specific": 1, "de unspecific": 1}}


def test_archives_whose_metadata_name_one_run_are_one_whatever_they_are_called(tmp_path: Path) -> None:
    first = zipped({"submission_metadata.json": metadata("x_specific"), "de_specific.jsonl": rows(("1-1", "a"))})
    second = zipped({"submission_metadata.json": metadata("x_unspecific"), "de_unspecific.jsonl": rows(("1", "b"))})
    plan = plan_of(saved(tmp_path, {"one.zip": first, "other.zip": second}))
    assert held(plan) == {"x_specific": {"de specific": 1, "de unspecific": 1}}


def test_archives_that_differ_in_the_submissionid_alone_are_runs_of_their_own(tmp_path: Path) -> None:
    files = {
        f"{run}.zip": zipped({"submission_metadata.json": metadata(run), "de_specific.jsonl": rows(("1-1", run))})
        for run in ("v1", "v2")
    }
    assert held(plan_of(saved(tmp_path, files))) == {run: {"de specific": 1} for run in ("v1", "v2")}


def test_metadata_copied_from_another_run_do_not_make_two_runs_one(tmp_path: Path) -> None:
    files = {
        f"{run}.zip": zipped({"submission_metadata.json": metadata("same"), "de_specific.jsonl": rows(("1-1", run))})
        for run in ("v1", "v2")
    }
    plan = plan_of(saved(tmp_path, files))
    assert len({run.names.run for run in plan.runs}) == len(plan.runs) == 2
    assert any("another run has it" in change.what for change in plan.runs[1].changes)


def test_an_archive_within_an_archive_is_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("run.zip", zipped({"fi_specific.jsonl": rows(("7-108", "a"))}))
    assert held(plan_of(saved(tmp_path, {"all.zip": inner.getvalue()}))) == {"run": {"fi specific": 1}}


# --- what only the team knows ----------------------------------------------------------------------------------------


def test_two_different_answers_to_one_prompt_are_never_chosen_from(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_part1.jsonl": rows(("1-1", "a")), "de_part2.jsonl": rows(("1-1", "b"))})
    plan = plan_of(folder, choices=Choices(is_one_run=True))
    assert "two different answers" in plan.runs[0].faults[0]
    assert plan.has_losses


def test_parts_of_one_file_are_joined(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de_part1.jsonl": rows(("1-1", "a")), "de_part2.jsonl": rows(("1-2", "b"))})
    assert held(plan_of(folder)) == {"run-1": {"de specific": 2}}


def test_a_language_that_nothing_tells_is_asked_for(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"answers.jsonl": rows(("1-1", "a"))})
    (aside,) = plan_of(folder).aside
    assert aside.has_answers
    assert "--language answers.jsonl=xx" in aside.why
    assert held(plan_of(folder, choices=Choices(languages={"answers.jsonl": "te"}))) == {"run-1": {"te specific": 1}}


def test_the_same_file_named_twice_is_asked_about_once(tmp_path: Path) -> None:
    answers = rows(("1-1", "OK"))
    saved(tmp_path, {"a/answers.jsonl": answers, "b/answers.jsonl": answers, "c/answers.jsonl": rows(("1-1", "No"))})
    named = [tmp_path / folder / "answers.jsonl" for folder in "abc"]
    first, second, third = (f"answers.jsonl (file {number} of 3)" for number in (1, 2, 3))
    plan = plan_of(*named)
    assert plan.untold == (first, third)
    assert [one.why for one in plan.aside if one.place == second] == [f"the same bytes as {first}"]
    told = plan_of(*named, choices=Choices(places={first: "de", third: "sv"}))
    assert (held(told), told.has_losses) == ({"run-1": {"de specific": 1, "sv specific": 1}}, False)
    # Two languages may have the same short answers, where the team says so.
    both = plan_of(*named, choices=Choices(places={first: "de", second: "fi", third: "sv"}))
    assert held(both) == {"run-1": {"de specific": 1, "fi specific": 1, "sv specific": 1}}


def test_the_same_files_in_folders_of_their_own_are_each_looked_at(tmp_path: Path) -> None:
    saved(tmp_path, {"de/answers.jsonl": rows(("1-1", "OK")), "sv/answers.jsonl": rows(("1-1", "OK"))})
    assert held(plan_of(tmp_path)) == {"run-1": {"de specific": 1, "sv specific": 1}}


def test_official_prompts_tell_the_language_of_a_file(tmp_path: Path) -> None:
    row = json.dumps({"id": "1", "prompt": "Fråga 1?", "answer": "a"})
    release = Release("2026-01-27", {("sv", "1"): "Fråga 1?", ("en", "1"): "Question 1?"})
    sets = replace(BARE, further_2026=(release,))
    plan = plan_of(saved(tmp_path, {"x.jsonl": row}), prompt_sets=sets)
    assert held(plan) == {"x": {"sv unspecific": 1}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"1-1": "a", "1-1": "b"}', "stands twice"),
        ('{"id": "1-1", "answer": ["a", "b"]}', "a list of 2 values; expected one text"),
        ('{"id": "1-1", "answer": 7}', "the number 7; expected one text"),
        ('[{"id": "1-1", "answer": "a"},', "expecting value"),
        ('{"id": "1-1", "answer": "a", "answer": "b"}', "stands twice"),
    ],
)
def test_what_would_have_to_be_guessed_is_told_and_counts_as_lost(tmp_path: Path, content: str, why: str) -> None:
    plan = plan_of(saved(tmp_path, {"de_specific.json": content}))
    assert not plan.runs
    assert plan.has_losses
    assert why in plan.aside[0].why


def test_names_of_files_win_over_nothing_and_what_is_given_over_them(packing: Path) -> None:
    given = Choices(Names("Team", "{model}, {run}", "org/one", "ignored"))
    first, second = plan_of(packing / "mixed", choices=given).runs
    assert first.names == Names("Team", "org/one, cot_cultural_llama-3_3", "org/one", "cot_cultural_llama-3_3")
    assert second.names.run == "zero-shot_qwen-2_5"
    (stated,) = plan_of(packing / "arrays", choices=given).runs
    assert stated.names.system == "tidewater"


# --- editions --------------------------------------------------------------------------------------------------------


def of_2025(language: str, *answers: tuple[int, str], **more: Any) -> str:
    questions = [{"questionid": number, "turns": [{"question": "?", "answer": text}]} for number, text in answers]
    stated = {"team": "Harbour", "system": "tide", "submissionid": "greedy", "label": "eloquent-2025-robustness"}
    return json.dumps({**stated, "language": language, "questions": questions, **more})


def test_files_of_2025_in_several_languages_are_one_run_whatever_they_are_called(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"one.json": of_2025("en", (12, "a")), "b/zwei.json": of_2025("de", (12, "b"), (13, "c"))})
    (run,) = plan_of(folder).runs
    assert (run.edition, run.languages, run.names) == ("2025", ("de", "en"), Names("Harbour", "tide", None, "greedy"))
    assert run.rows["de", "question"]["13"].answer == "c"


def test_files_of_several_editions_in_one_folder_are_runs_of_their_own(tmp_path: Path) -> None:
    files = {"en.json": of_2025("en", (12, "a")), "x.json": of_2024((11, ["a", "b"])), "de.jsonl": rows(("1-1", "x"))}
    saved(tmp_path, files)
    assert sorted(run.edition for run in plan_of(tmp_path).runs) == ["2024", "2025", "2026"]


def test_turns_in_rows_of_their_own_are_put_in_order(tmp_path: Path) -> None:
    lines = [{"questionid": "12", "turn": turn, "question": "?", "answer": text} for turn, text in ((2, "b"), (1, "a"))]
    (run,) = plan_of(saved(tmp_path, {"sv_greedy.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})).runs
    assert (run.edition, run.rows["sv", "question"]["12"].answers) == ("2025", ("a", "b"))


@pytest.mark.parametrize(
    ("files", "edition"),
    [
        # Beside files that can only be of one edition, what may be of several is of that one.
        ({"de_a.json": '{"1": "x"}', "en_a.json": '{"1-1": "x"}'}, "2026"),
        ({"de_a.json": '{"1": "x"}', "en_a.json": of_2025("en", (1, "y"))}, "2025"),
        # Names of files, keys of rows, and ids that only one edition has.
        ({"de_unspecific.json": '{"1": "x"}'}, "2026"),
        ({"eloquent-2025/de.json": '{"1": "x"}'}, "2025"),
        ({"de.json": '[{"questionid": 1, "question": "?", "answer": "x"}]'}, "2025"),
        ({"de.json": '{"0": "x", "250": "y"}'}, "2025"),
        ({"de.json": '{"year": "2024", "items": [{"id": "011", "responses": ["a", "b"]}]}'}, "2024"),
        ({"en.json": '{"011": ["a", "b"]}'}, "2024"),
        ({"en.jsonl": '{"id": "011", "answer": "a"}\n{"id": "011", "answer": "b"}\n'}, "2024"),
    ],
)
def test_what_tells_the_edition(tmp_path: Path, files: dict[str, str], edition: str) -> None:
    plan = plan_of(saved(tmp_path, files))
    assert {run.edition for run in plan.runs} == {edition}
    assert not plan.has_losses
    assert not any("nothing says its edition" in change.what for run in plan.runs for change in run.changes)


def test_an_edition_that_nothing_tells_is_said_to_be_taken_and_can_be_given(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"de.json": '{"1": "x"}'})
    (run,) = plan_of(folder).runs
    assert run.edition == "2026"
    assert [change.what for change in run.changes if "edition" in change.what] == [
        "nothing says its edition: taken for 2026; --edition 2025 says another"
    ]
    (given,) = plan_of(folder, choices=Choices(edition="2025")).runs
    assert (given.edition, list(given.rows)) == ("2025", [("de", "question")])


def of_2024(*items: tuple[Any, list[Any]], key: str = "responses", **more: Any) -> str:
    listed = [{"id": item_id, key: answers} for item_id, answers in items]
    return json.dumps({"eloquent-robustness-results": {"source": "Harbour", "year": "2024", "items": listed, **more}})


def keys(plan: PackingPlan) -> dict[str, str]:
    """Variant -> answer, of the only run."""
    (run,) = plan.runs
    return {key: row.answer for found in run.rows.values() for key, row in found.items()}


def test_answers_of_2024_in_a_file_for_each_language_are_placed_within_their_language(tmp_path: Path) -> None:
    # Item 010 has two variants in Swedish, then two in English; the Swedish ones lie in a folder of that name.
    files = {"english.json": of_2024(("010", ["e1", "e2"])), "swedish/out.json": of_2024((10, ["s1", "s2"]))}
    assert keys(plan_of(saved(tmp_path, files))) == {"010-1": "s1", "010-2": "s2", "010-3": "e1", "010-4": "e2"}


def test_answers_of_2024_with_their_languages_or_prompts_beside_them_are_placed_by_these(tmp_path: Path) -> None:
    item = BARE.demonstration.items[0]
    by_prompt = [{"prompt": one.prompt, "response": str(one.number)} for one in reversed(item.variants)]
    by_language = [{"language": code, "response": code} for code in ("en", "en", "sv", "sv")]
    of_prompts = saved(tmp_path / "prompts", {"a.json": of_2024((item.id, by_prompt), key="variants")})
    of_languages = saved(tmp_path / "languages", {"b.json": of_2024(("010", by_language))})
    placed, in_order = keys(plan_of(of_prompts)), keys(plan_of(of_languages))
    assert placed == {f"{item.id}-{one.number}": str(one.number) for one in item.variants}
    assert in_order == {"010-1": "sv", "010-2": "sv", "010-3": "en", "010-4": "en"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (of_2024(("010", ["a", "b"])), "item 010 has 2 answers; expected 4 (sv 2, en 2)"),
        (of_2024(("010", ["a", "b", "c", "d"] * 2)), "item 010 has 8 answers; expected 4"),  # two samples
        (of_2024(("09", ["a", "b"])), "the id '09' has two digits, as the paper numbers its items"),
        (of_2024(("011", ["a", 5])), "the answer to 011-2 is the number 5; expected one text"),
        ('{"eloquent-robustness-results": {"items": [], "items": [{"id": "011", "responses": ["a", "b"]}]}}', "twice"),
    ],
)
def test_answers_of_2024_whose_variant_nothing_tells_are_not_guessed(tmp_path: Path, text: str, why: str) -> None:
    plan = plan_of(saved(tmp_path, {"x.json": text}))
    assert not plan.runs
    assert plan.has_losses
    assert why in plan.aside[0].why


def test_two_result_sets_in_one_file_of_2024_are_two_runs(tmp_path: Path) -> None:
    sets = [{"source": "Harbour", "system": name, "items": [{"id": "011", "responses": [name, ""]}]} for name in "ab"]
    plan = plan_of(saved(tmp_path, {"x.json": json.dumps({"eloquent-robustness-results": sets})}))
    assert [(run.names.team, run.names.system) for run in plan.runs] == [("Harbour", "a"), ("Harbour", "b")]


def test_items_of_the_demonstration_set_do_not_mix_with_those_of_2024(tmp_path: Path) -> None:
    # 901 has 8 variants.
    (run,) = plan_of(saved(tmp_path, {"x.json": of_2024(("011", ["a", "b"]), ("901", ["c"] * 8))})).runs
    assert "demonstration" in run.faults[0]


def test_prompts_of_2026_of_the_demonstration_set_are_known_and_do_not_mix_with_the_official_ones(
    tmp_path: Path,
) -> None:
    ours = {item.id: item for item in BARE.demonstration_2026.items}
    said = {item_id: ours[item_id].variants[0] for item_id in ("901", "901-2")}
    language = said["901"].language
    lines = {
        item_id: json.dumps({"id": item_id, "prompt": variant.prompt, "answer": "x"}) + "\n"
        for item_id, variant in said.items()
    }
    files = {"a_unspecific.jsonl": lines["901"], "a_specific.jsonl": lines["901-2"]}
    folder = saved(tmp_path / "ours", files | {"submission_metadata.json": metadata("a", date="2026-05-01")})
    plan = plan_of(folder, choices=Choices(edition="2026"))
    # No file names its language: the prompts do.
    assert list(held(plan).values()) == [{f"{language} unspecific": 1, f"{language} specific": 1}]
    (run,) = plan.runs
    assert not run.faults
    assert prompt_lines(run, BARE) == [f"{language}: all 2 prompts are those of Demonstration 2026"]
    (packed,) = packed_files(plan, date(2026, 5, 2), BARE).values()
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        written = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".jsonl")}
    assert {name: json.loads(text)["id"] for name, text in written.items()} == {
        f"{language}_specific.jsonl": "901-2",
        f"{language}_unspecific.jsonl": "901",
    }

    mixed = saved(tmp_path / "mixed", {"en_specific.jsonl": rows(("1-1", "a"), ("901-1", "b"))})
    (run,) = plan_of(mixed).runs
    assert run.faults == [
        "prompts of 2026 and of the demonstration set stand in one run: name the files of one of them only"
    ]


def test_questions_of_2025_of_the_demonstration_set_tell_the_language_and_are_compared(tmp_path: Path) -> None:
    swedish = {
        item.id: next(variant.prompt for variant in item.variants if variant.language == "sv")
        for item in BARE.demonstration_2025.items[:3]
    }
    questions = [
        {"questionid": int(item_id), "turns": [{"question": prompt, "answer": "x"}]}
        for item_id, prompt in swedish.items()
    ]
    (run,) = plan_of(saved(tmp_path, {"run.json": json.dumps({"questions": questions})})).runs
    assert (run.edition, list(run.rows)) == ("2025", [("sv", "question")])
    assert prompt_lines(run, BARE) == ["sv: all 3 prompts are those of Demonstration 2025"]


def test_a_file_that_answers_every_prompt_twice_is_never_dropped_in_silence(tmp_path: Path) -> None:
    plan = plan_of(saved(tmp_path, {"de_specific.jsonl": rows(("1-1", "a"), ("1-1", "b"), ("1-2", "c"), ("1-2", "d"))}))
    assert plan.has_losses
    assert "two different answers" in plan.runs[0].faults[0]


def test_all_files_can_be_said_to_be_of_one_run_of_their_edition(tmp_path: Path) -> None:
    saved(tmp_path, {"a.json": of_2024((11, ["a", "b"])), "b.json": of_2024((13, ["c", "d"]), system="other")})
    assert len(plan_of(tmp_path).runs) == 2
    assert set(keys(plan_of(tmp_path, choices=Choices(is_one_run=True)))) == {"011-1", "011-2", "013-1", "013-2"}


def test_an_answer_without_an_id_is_not_left_out_in_silence(tmp_path: Path) -> None:
    asked = [{"questionid": 1, "answer": "a"}, {"question": "?", "answer": "b"}]
    plan = plan_of(saved(tmp_path, {"x.json": json.dumps({"language": "de", "questions": asked})}))
    assert plan.has_losses
    assert plan.aside[0].why == "$.questions[1]: an answer has no id (1 in all)"
