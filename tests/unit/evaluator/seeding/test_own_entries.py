"""What the house enters by itself, once."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.seeding.null_rows import null_submissions
from evaluator.seeding.own_entries import House
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import DEMONSTRATION_2025, DEMONSTRATION_2026, ELOQUENT_2025, ELOQUENT_2026, PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped


def house(folder: Path, prompt_sets: PromptSets) -> tuple[Store, Desk]:
    store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
    return store, Desk(store, Archive(folder / "archive"), prompt_sets)


def test_null_rows_and_examples_are_entered_once(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for _ in range(2):
        House(desk, store).open(demonstration=True)
    roles = [ticket.role for ticket in store.tickets()]
    nulls = null_submissions(PromptSets.load(None).demonstration)
    # four on the demonstration board, three files of one run of 2025, a zip of 2026: all to questions of ours
    assert (roles.count("example"), roles.count("baseline")) == (4 + 3 + 1, len(nulls))
    later = [ticket for ticket in store.tickets() if ticket.set_id != "demonstration"]
    assert {(ticket.set_id, ticket.role, ticket.names.system) for ticket in later} == {
        (DEMONSTRATION_2025, "example", "tide"),
        (DEMONSTRATION_2026, "example", "tide"),
    }
    store.close()


def test_null_rows_stand_beside_the_first_scored_run_on_our_questions_of_2025_and_2026(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    kept = House(desk, store)
    kept.open(demonstration=True)
    kept.look()
    of_ours = (DEMONSTRATION_2025, DEMONSTRATION_2026)
    assert not any(store.files_of_set(set_id, "baseline") for set_id in of_ours)
    while job := store.claim("w"):
        store.finish(job.id, "w", json.dumps({"prompt_set": {"sha256": None}}))
    for _ in range(2):
        kept.look()
    nulls = [{file.file_name for file in store.files_of_set(set_id, "baseline")} for set_id in of_ours]
    # five that know no prompt, seven made of its words, noise and another language, each in German and English;
    # of 2026 the nine recipes as zips
    assert [len(names) for names in nulls] == [2 * (5 + 7 + 2), 9]
    assert {"null_topic_de.json", "null_topic_en.json"} <= nulls[0]
    store.close()


def test_an_organiser_may_leave_the_demonstration_board_to_the_null_rows(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    House(desk, store).open(demonstration=False)
    assert {ticket.role for ticket in store.tickets()} == {"baseline"}
    store.close()


def test_recorded_answers_are_entered_once_and_before_everything_else_of_the_house(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for _ in range(2):
        House(desk, store).open(demonstration=True, recorded=True)
    entered = sorted(store.tickets(), key=lambda ticket: ticket.received_at)
    recorded = [ticket for ticket in entered if ticket.role == "recorded"]
    later = [*["demonstration-2025"] * 3, "demonstration-2026"]
    assert [ticket.set_id for ticket in recorded] == ["personalization", *["demonstration"] * 4, *later]
    assert len({ticket.names.system for ticket in recorded}) == 5  # so that none takes another's row of its set
    claimed = store.claim("w")
    assert claimed is not None
    assert claimed.set_id == "personalization"
    store.close()


def test_rows_scored_without_prompts_are_judged_again_once_the_prompts_are_here(tmp_path: Path, eloquent: Path) -> None:
    file = eloquent / "fixtures" / "valid" / "2024" / "aurora_consistent.json"
    without = PromptSets.load(None)
    store, desk = house(tmp_path, without)
    ticket = desk.submit(file.read_bytes(), file.name, owner="local").ticket
    store.claim("w")
    result = evaluate_payload(
        file.read_bytes(),
        file.name,
        edition="2024",
        names=Names(),
        prompt_sets=without,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    store.finish(ticket.id, "w", result.model_dump_json())
    House(desk, store).open(demonstration=False)
    assert store.require(ticket.id).status is JobStatus.SCORED

    with_prompts = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(eloquent / "official"))
    House(with_prompts, store).open(demonstration=False)
    assert store.require(ticket.id).status is JobStatus.QUEUED
    store.close()


def test_results_of_other_boards_are_left_alone(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    table = b"judge,benchmark,task,model,query,order,verdict\nj,demo,t,m,1,original,A\nj,demo,t,m,1,swapped,B\n"
    desk.submit(table, "v.csv", owner="local", names=Names("aurora"), choices=VerdictChoices(options=3))
    job = store.claim("w")
    assert job is not None
    store.finish(job.id, "w", '{"board": "judges"}')
    House(desk, store).open(demonstration=False)
    assert store.require(job.id).status is JobStatus.SCORED
    store.close()


def question_file(language: str, questions: int = 20) -> bytes:
    document = {
        "team": "aurora",
        "system": "aurora",
        "submissionid": "1",
        "language": language,
        "date": "2025",
        "label": "eloquent-2025-robustness",
        "questions": [
            {"questionid": number, "turns": [{"question": f"{language} {number}?", "answer": f"ok {number}"}]}
            for number in range(questions)
        ],
    }
    return json.dumps(document).encode()


def submit_scored(store: Store, desk: Desk, data: bytes, name: str) -> None:
    ticket = desk.submit(data, name, owner="local").ticket
    store.claim("w")
    store.finish(ticket.id, "w", "{}")


def test_2025_runs_bring_null_rows_to_the_questions_they_were_asked_once(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    submit_scored(store, desk, question_file("en"), "en.json")
    House(desk, store).open(demonstration=False)
    of_2025 = [one for one in store.tickets() if one.set_id == ELOQUENT_2025 and one.role == "baseline"]
    assert of_2025 == []  # one language has no pairs
    store, desk = house(tmp_path / "another", PromptSets.load(None))
    for language in ("en", "fi"):
        submit_scored(store, desk, question_file(language), f"{language}.json")
    for _ in range(2):
        House(desk, store).open(demonstration=False)
    of_2025 = [one for one in store.tickets() if one.set_id == ELOQUENT_2025 and one.role == "baseline"]
    assert len(of_2025) == 14 * 2
    (constant,) = {one.id for one in of_2025 if one.file_name == "null_constant_en.json"}
    assert [one.file_name for one in store.run_files(constant)] == ["null_constant_en.json", "null_constant_fi.json"]
    store.close()


def test_2026_null_rows_are_entered_where_its_prompts_are_at_hand(tmp_path: Path, eloquent: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(eloquent / "official"))
    House(desk, store).open(demonstration=False)
    of_2026 = [one for one in store.tickets() if one.set_id == ELOQUENT_2026]
    assert {one.role for one in of_2026} == {"baseline"}
    assert len(of_2026) == 9
    store.close()


def null_rows_of_2025(store: Store) -> list[str]:
    return sorted(one.file_name for one in store.files_of_set(ELOQUENT_2025, "baseline"))


def null_files(*languages: str) -> list[str]:
    recipes = (
        *("constant", "echo", "empty", "refusal", "verdict", "topic", "topic_refusal", "next_prompt", "yes_no"),
        *("advice", "shell", "courtesy", "noise", "foreign"),
    )
    return sorted(f"null_{recipe}_{language}.json" for recipe in recipes for language in languages)


def test_2025_null_rows_come_with_the_runs_without_another_start(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    of_house = House(desk, store)
    of_house.open(demonstration=False)
    submit_scored_entry(store, desk, question_file("en"), "en.json")
    of_house.look()
    assert null_rows_of_2025(store) == []  # one language has no pairs
    submit_scored_entry(store, desk, question_file("fi"), "fi.json")
    of_house.look()
    of_house.look()
    assert null_rows_of_2025(store) == null_files("en", "fi")
    submit_scored_entry(store, desk, question_file("sv"), "sv.json")
    of_house.look()
    assert null_rows_of_2025(store) == null_files("en", "fi", "sv")
    store.close()


def submit_scored_entry(store: Store, desk: Desk, data: bytes, name: str, owner: str = "local") -> None:
    """Scores a team's file, whatever baselines wait before it."""
    ticket = desk.submit(data, name, owner=owner).ticket
    while (job := store.claim("w")) is not None:
        store.finish(job.id, "w", "{}" if job.id == ticket.id else '{"prompt_set": {"sha256": "ab"}}')


def test_two_houses_and_another_start_enter_the_same_null_rows_once(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for language in ("en", "fi"):
        submit_scored_entry(store, desk, question_file(language), f"{language}.json")
    first, second = House(desk, store), House(desk, store)
    threads = [threading.Thread(target=one.look) for one in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    House(desk, store).open(demonstration=False)
    assert null_rows_of_2025(store) == null_files("en", "fi")
    store.close()


def test_null_rows_keep_their_bytes_where_later_runs_word_the_questions_otherwise(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for language in ("en", "fi"):
        submit_scored_entry(store, desk, question_file(language), f"{language}.json")
    House(desk, store).open(demonstration=False)
    before = {one.file_name: one.file_sha256 for one in store.files_of_set(ELOQUENT_2025, "baseline")}
    for language in ("en", "fi"):
        other = question_file(language).replace(b'"question": "', b'"question": "Please: ')
        submit_scored_entry(store, desk, other, f"other_{language}.json", owner="another")
    of_house = House(desk, store)
    of_house.open(demonstration=False)
    of_house.look()
    assert {one.file_name: one.file_sha256 for one in store.files_of_set(ELOQUENT_2025, "baseline")} == before
    assert len(null_rows_of_2025(store)) == 14 * 2
    store.close()


def registered(tmp_path: Path, *languages: str, said: str = "") -> PromptSets:
    """The questions of `question_file` as an organiser registers them."""
    folder = tmp_path / f"sets{said}"
    folder.mkdir()
    for language in languages:
        data = question_file(language).replace(b'"question": "', f'"question": "{said}'.encode())
        (folder / f"{language}_2025.json").write_bytes(data)
    return PromptSets.load(folder)


def test_null_rows_answer_the_registered_questions_whatever_a_run_says_was_asked(tmp_path: Path) -> None:
    store, desk = house(tmp_path, registered(tmp_path, "en", "fi", said="Registered: "))
    for language in ("en", "fi", "sv"):  # nobody registered Swedish questions
        submit_scored_entry(store, desk, question_file(language), f"{language}.json")
    House(desk, store).look()
    assert null_rows_of_2025(store) == null_files("en", "fi")
    (echo,) = [one for one in store.files_of_set(ELOQUENT_2025, "baseline") if one.file_name == "null_echo_en.json"]
    assert json.loads(store.payload(echo.file_sha256))["questions"][7]["turns"][0]["answer"] == "Registered: en 7?"
    store.close()


def test_runs_of_2025_are_judged_again_when_other_questions_are_registered(tmp_path: Path) -> None:
    sets = registered(tmp_path, "en", "fi")
    store, desk = house(tmp_path, sets)
    ticket = desk.submit(question_file("en"), "en.json", owner="local").ticket
    for sha256, status in (
        (sets.eloquent_2025.sha256, JobStatus.SCORED),
        ("another", JobStatus.QUEUED),
        (None, JobStatus.QUEUED),
    ):
        store.claim("w")
        store.finish(ticket.id, "w", json.dumps({"prompt_set": {"sha256": sha256}}))
        House(desk, store).open(demonstration=False)
        assert store.require(ticket.id).status is status, sha256
        if status is JobStatus.SCORED:
            store.requeue(ticket.id, "for the next turn")
    store.close()


def test_runs_of_2026_are_judged_again_when_other_prompts_are_installed(tmp_path: Path) -> None:
    (tmp_path / "en_unspecific.jsonl").write_text('{"id": "1", "prompt": "How does one greet a guest?"}\n')
    sets = PromptSets.load(tmp_path)
    store, desk = house(tmp_path, sets)
    ticket = desk.submit(zipped(run_files(("en", "fi"))), "aurora.zip", owner="local").ticket
    for sha256, is_current in ((sets.eloquent_2026.sha256, True), ("of a part of them", False), (None, False)):
        store.claim("w")
        store.finish(ticket.id, "w", json.dumps({"prompt_set": {"sha256": sha256}}))
        House(desk, store).open(demonstration=False)
        status = store.require(ticket.id).status
        assert status is (JobStatus.SCORED if is_current else JobStatus.QUEUED), sha256
        if is_current:
            store.requeue(ticket.id, "for the next turn")
    store.close()


def test_a_null_row_that_failed_is_not_entered_again_and_again(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for language in ("en", "fi"):
        submit_scored_entry(store, desk, question_file(language), f"{language}.json")
    of_house = House(desk, store)
    of_house.look()
    while (job := store.claim("w")) is not None:
        store.fail(job.id, "w", "the judge reads none of its languages")
        of_house.look()
    assert null_rows_of_2025(store) == null_files("en", "fi")
    store.close()


def test_a_question_longer_than_any_answer_costs_the_rows_that_repeat_it_and_nothing_else(tmp_path: Path) -> None:
    store, desk = house(tmp_path, PromptSets.load(None))
    for language in ("en", "fi"):
        data = question_file(language).replace(b" 7?", b" 7?" * 30_000)
        submit_scored_entry(store, desk, data, f"{language}.json")
    of_house = House(desk, store)
    of_house.look()
    of_house.look()
    assert null_rows_of_2025(store) == [
        name for name in null_files("en", "fi") if "echo" not in name and "next_prompt" not in name
    ]
    House(desk, store).open(demonstration=False)
    store.close()
