"""The program behind `make golden-data`, on small made-up files."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import pickle
import subprocess
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from http.client import IncompleteRead
from pathlib import Path

import pytest

from tests import golden_data
from tests.golden_data import TableChanged, TableMissing, __main__, behavior_alignment, human, personalization
from tests.golden_data.behavior_alignment import inspired, redial
from tests.golden_data.position_bias import MTBENCH, compared, plain_values, verdicts
from tests.golden_data.upstream import Source, SourceFailed, Upstream, downloaded, from_clones, listed_sources
from tests.golden_data.workbook import rows_of

COMMIT = "c" * 40


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def upstream_of(files: Mapping[str, bytes]) -> Upstream:
    """A repository with these files, all of one commit."""
    sources = tuple(Source("owner/name", COMMIT, path, sha256_of(data)) for path, data in files.items())
    return Upstream(sources, lambda source: files[source.path])


# --- files of repositories -------------------------------------------------------------------------------------------


def test_a_source_is_named_by_checksum_repository_commit_and_path() -> None:
    (source,) = listed_sources(f"{'a' * 64}  owner/name@{COMMIT} folder/a file.csv\n")
    assert source == Source("owner/name", COMMIT, "folder/a file.csv", "a" * 64)


def test_every_source_and_table_has_a_checksum_and_every_repository_sources() -> None:
    text = Path(golden_data.__file__).with_name("sources.txt").read_text("utf-8")
    sources = listed_sources(text)
    assert len(sources) == len(text.splitlines())
    assert {source.repository for source in sources} == {name for name, _ in __main__.REPOSITORIES}
    assert len({(source.commit, source.path) for source in sources}) == len(sources)
    assert len(golden_data.checksums()) == 33


def test_a_file_with_another_checksum_is_not_read() -> None:
    upstream = Upstream((Source("owner/name", COMMIT, "a.csv", "0" * 64),), lambda _: b"a")
    with pytest.raises(SourceFailed, match=rf"owner/name a\.csv: sha256 {sha256_of(b'a')}, expected 0000"):
        upstream.read("a.csv")


def test_a_file_is_read_from_a_clone_at_its_commit(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(tmp_path / "name"), *names, *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()

    (tmp_path / "name").mkdir()
    git("init", "--quiet")
    (tmp_path / "name" / "a.csv").write_text("first\n")
    git("add", "a.csv")
    git("commit", "--quiet", "--message", "first")
    commit = git("rev-parse", "HEAD")
    (tmp_path / "name" / "a.csv").write_text("second\n")
    git("commit", "--quiet", "--all", "--message", "second")
    fetch = from_clones(tmp_path)
    assert fetch(Source("owner/name", commit, "a.csv", "")) == b"first\n"
    with pytest.raises(SourceFailed, match="other"):
        fetch(Source("owner/other", commit, "a.csv", ""))


def test_a_file_is_fetched_from_github_at_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(url: str, timeout: float) -> io.BytesIO:
        asked.append(url)
        return io.BytesIO(b"a")

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    assert downloaded(Source("owner/name", COMMIT, "folder/a file.csv", "")) == b"a"
    assert asked == [f"https://raw.githubusercontent.com/owner/name/{COMMIT}/folder/a%20file.csv"]


@pytest.mark.parametrize("error", [TimeoutError("too late"), IncompleteRead(b"a", 5)])
def test_a_file_that_does_not_come_is_told_with_its_address(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(url: str, timeout: float) -> io.BytesIO:
        raise error

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    with pytest.raises(SourceFailed, match=r"raw\.githubusercontent\.com/owner/name/.*/a\.csv: "):
        downloaded(Source("owner/name", COMMIT, "a.csv", ""))


# --- tables ----------------------------------------------------------------------------------------------------------


def test_dialogues_are_numbered_and_what_is_not_needed_is_emptied() -> None:
    columns = ["dialog_id", "utt_id", "text", "movies", "expert_label"]
    lines = [columns, ["x.pkl", "1", 'Say "hi', "Heat", "no_strategy"], ["y.pkl", "1", "Hi", "", ""]]
    lines.append(["x.pkl", "2", "Bye", "", "credibility"])
    text = "".join("\t".join(line) + "\n" for line in lines)
    (table,) = inspired(upstream_of({"data/dialog_data/dev.tsv": text.encode()})).values()
    assert table.decode().splitlines() == [
        "dialog_id\tutt_id\ttext\tmovies\texpert_label",
        'dev-000\t1\tSay "hi\t\tno_strategy',
        "dev-001\t1\tHi\t\t",
        "dev-000\t2\tBye\t\tcredibility",
    ]


def test_sentences_are_numbered_in_alphabetical_order_and_picked_pairs_keep_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.txt").write_text("a\n")  # 1010: the first and the third
    monkeypatch.setattr(behavior_alignment, "PICKED_ROWS", tmp_path / "rows.txt")
    stem = "evaluation/OOD_inference_result/redial_evaluation_results"
    header = b"one,two,label,prediction\n"
    files = {
        f"{stem}_original.csv": header + b'"no, bye",good night,1,1\nb,good night,0,1\nb,"no, bye",0,0\n',
        f"{stem}_mixedhard.csv": header + b'"no, bye",good night,1,0\nb,good night,0,1\nb,"no, bye",0,1\n',
    }
    tables = redial(upstream_of(files))
    assert tables["behavior_alignment/redial_sentences.csv"] == b'sid,text\n0,b\n1,good night\n2,"no, bye"\n'
    assert tables["behavior_alignment/redial_pairs.csv"] == (
        b"row,a,b,label,pred_original,pred_mixedhard\n0,2,1,1,1,0\n2,0,2,0,0,1\n"
    )


def workbook(*rows: list[str]) -> bytes:
    """An Excel file of texts; "" is a cell that is not there."""
    cells = "".join(
        "<row>"
        + "".join(
            f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for column, text in enumerate(row)
            if text
        )
        + "</row>"
        for number, row in enumerate(rows, start=1)
    )
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{space}">{cells}</worksheet>')
    return buffer.getvalue()


def test_a_sheet_is_read_by_its_titles_with_empty_cells() -> None:
    assert rows_of(workbook(["index", "task"], ["81"], ["82", "a &amp; b"])) == [
        {"index": "81", "task": ""},
        {"index": "82", "task": "a & b"},
    ]


def test_both_orders_of_a_pair_are_compared_with_the_reference_in_slot_a() -> None:
    answers = {"81;vicuna-13b-v1.3;aurora": "[[A]]", "81;aurora;vicuna-13b-v1.3": "neither"}
    assert list(compared(answers, MTBENCH, {"81": "writing"})) == [["writing", "aurora", "81", "A", "N"]]


def test_verdicts_of_all_questions_and_of_half_of_them_become_tables() -> None:
    columns = ["question_1", "question_2", "index", "task", "answer_1-aurora", "answer_2-aurora"]
    questions = workbook(columns, ["Why?", "", "81", "writing", "So", " no "], ["Who?", "I", "82", "writing", "A", "B"])
    of_devbench = workbook(["question", "index", "task", "answer-human"])
    pair = "{0};vicuna-13b-v1.3;aurora", "{0};aurora;vicuna-13b-v1.3"
    answers = {key.format(query): "[[C]]" for query in (81, 82) for key in pair}
    folder = "judgment_data/data_MTBench"
    files = {
        MTBENCH.workbook: questions,
        MTBENCH.sampled_workbook: workbook(
            columns, *(["Why?", "", query, "writing", "So", ""] for query in ("86", "89"))
        ),
        "QA_data/full_data/DevBench/human_4gpts_6opens_detailedTasks.xlsx": of_devbench,
        "QA_data/repetition_sampled_data/DevBench/Repetition1-human_4gpts_6opens_sample-3q-4m-human.xlsx": of_devbench,
        f"{folder}_position_bias/MTBench_data_record0_gauge-1_3/tmp.pkl": pickle.dumps(answers),
        f"{folder}_repetition/Repetition2-MTBench_record0_gauge-1_3/tmp.pkl": pickle.dumps(
            {key.format(query): "[[B]]" for query in (86, 89) for key in pair}
        ),
    }
    tables = verdicts(upstream_of(files))
    rows = {name: content.count(b"\n") - 1 for name, content in tables.items() if name.startswith("published/")}
    assert rows == {
        f"published/position_bias/{benchmark}_{kind}.csv": 2 if benchmark == "mtbench" else 0
        for benchmark in ("mtbench", "devbench")
        for kind in ("pairs", "repetitions", "lengths")
    }
    assert tables["position_bias/mtbench_pairs.csv"].decode().splitlines()[1:] == ["gauge-1,writing,aurora,81,C,C"]
    assert tables["position_bias/mtbench_repetitions.csv"].decode().splitlines()[1:] == [
        "gauge-1,2,writing,aurora,86,B,B"
    ]
    # "Why?" and an empty cell, counted as "nan": 4 + 3; "So" and "no": 2 + 2.
    assert tables["position_bias/mtbench_lengths.csv"].decode().splitlines()[1:] == ["mtbench,writing,81,aurora,7,4"]
    assert tables["position_bias/devbench_pairs.csv"].count(b"\n") == 1


def test_a_pickle_that_calls_something_is_refused() -> None:
    assert plain_values(pickle.dumps({"a": ["b", 1]})) == {"a": ["b", 1]}
    with pytest.raises(pickle.UnpicklingError, match=r"pathlib.*only dictionaries"):
        plain_values(pickle.dumps({"a": Path()}))


def answered(gold: str, control: str, *by_preference: str) -> bytes:
    """A file with one question, of which every answer is published."""
    letters = [control, *by_preference]
    header = ["options", *(f"profile_{number}_answer" for number in range(len(letters))), "gold_option"]
    return ",".join(header).encode() + b"\n\"['a', 'b']\"," + ",".join([*letters, gold]).encode() + b"\n"


def test_letters_become_rows_of_the_assigned_preference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    controlled = b"options,no_pref_ans,pref_ans,gold_option\n" + b"\"['a', 'b']\",A,B,A\n" * 2
    mixtral, folder = personalization.MIXTRAL, personalization.FOLDER
    every = ["A"] * 14
    one = answered("A", "None", *every)
    files = {f"{folder}/{kind}/truthful_qa/{mixtral}_{n}.csv": one for kind in ("direct", "cot") for n in range(10)}
    files |= {f"{folder}/icl/mmlu/Llama-3.1-8B-Instruct_{n}.csv": answered("A", "A", *every[:11]) for n in range(30)}
    files |= {
        f"{folder}/direct/commonsense_qa/{mixtral}_{n}.csv": answered("B", "B", *"ABABABABABAB")
        for n in range(10)
        if n != 4
    }
    files[f"{folder}/icl/full/{mixtral}_0_1442_0.5.csv"] = controlled
    files[f"{folder}/direct/full/Llama-3.3-70B-Instruct_0_1442_0.5.csv"] = controlled
    runs = {("naive", "truthful_qa"): 10, ("naive", "commonsense_qa"): 9, ("cot", "truthful_qa"): 10}
    ratings = [f"{mixtral} {method} {dataset} relevant {'5' * count}" for (method, dataset), count in runs.items()]
    ratings.append(f"Llama-3.1-8B-Instruct icl mmlu relevant {'u' * 30}")
    ratings += [
        f"{personalization.LLAMA_70B} naive {dataset} {setting} {rating}"
        for dataset in ("truthful_qa", "commonsense_qa")
        for setting, rating in (("relevant", "1"), ("mixed", "2"), ("irrelevant", "-"))
    ]
    (tmp_path / "ratings.txt").write_text("\n".join(ratings) + "\n")
    monkeypatch.setattr(personalization, "RATINGS", tmp_path / "ratings.txt")
    monkeypatch.setattr(personalization, "TRUTHFUL_QA_ROWS", 1)

    tables = {name: gzip.decompress(data) for name, data in personalization.answers(upstream_of(files)).items()}
    real = tables["personalization/real_rows.csv.gz"].decode().splitlines()
    assert len(real) == 1 + 10 + 30 + 9 + 10 + 2
    assert real[1] == f"{mixtral},1,naive,truthful_qa,relevant,tqa-0000,1,2,A,,A,0,1,"
    # The first question has a second control run; the fifth of ten parts, with 123 questions, is not public: the next
    # stands at 4 + 123 = 127, with preference 127 % 12 + 1 = 8.
    assert real[41] == f"{mixtral},1,naive,commonsense_qa,relevant,cqa-0000,1,2,B,B,A,1,0,1"
    assert real[45] == f"{mixtral},1,naive,commonsense_qa,relevant,cqa-0127,8,2,B,B,B,1,1,"
    synthetic = tables["personalization/synthetic_rows.csv.gz"].decode().splitlines()
    assert [line.rpartition(",")[2] for line in synthetic[-3:]] == ["1", "2", ""]
    assert synthetic[11].endswith("mmlu-0000,1,1,unparsable")
    per_preference = tables["personalization/per_preference.csv.gz"].decode().splitlines()
    assert per_preference[41] == f"{mixtral},naive,commonsense_qa,cqa-0000,1,010101010101"
    assert len(per_preference) == 1 + 10 + 30 + 9 + 10


def lines_of(table: bytes) -> list[dict[str, object]]:
    """The rows of a packed table of JSON lines."""
    return [json.loads(line) for line in gzip.decompress(table).decode().splitlines()]


def test_picked_questions_keep_their_place_and_every_answer_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.txt").write_text("6\n")  # 0110: the second and the third
    monkeypatch.setattr(human, "PICKED_ROWS", tmp_path / "rows.txt")
    first = {"question": "who", "golden_answer": "Ann", "improper": False}
    for system in human.SYSTEMS:
        first |= {f"answer_{system}": f"Ann, says {system}", f"judge_{system}": system != "fid"}
    silent = first | {"question": "whence", "answer_newbing": ""}
    content = json.dumps([{}, first, silent, {}]).encode()
    (table,) = human.same_answer(upstream_of({"EVOUNA/NQ.json": content})).values()
    one, other = lines_of(table)
    assert (one["id"], one["question"], one["gold"]) == ("nq1", "who", "Ann")
    assert one["answers"] == {
        system: {"text": f"Ann, says {system}", "correct": system != "fid"} for system in human.SYSTEMS
    }
    assert other["id"] == "nq2"
    assert list(other["answers"]) == ["gpt35", "chatgpt", "gpt4", "fid"]  # type: ignore[call-overload]


def test_sentence_pairs_of_every_language_follow_each_other_by_split() -> None:
    files = {
        f"data/stsb-{language}-{split}.csv": f'"A {split}, in {language}",b,2.50\r\nc,d,0.000\r\n'.encode()
        for language in human.LANGUAGES
        for split in ("train", "dev", "test")
    }
    files["data/stsb-zh-test.csv"] = "一,二,5.0\n".encode()
    tables = {name: lines_of(table) for name, table in human.likeness(upstream_of(files)).items()}
    assert {name: len(rows) for name, rows in tables.items()} == {
        "human/sts_train.jsonl.gz": 14,
        "human/sts_dev.jsonl.gz": 14,
        "human/sts_test.jsonl.gz": 15,  # and the one in Chinese
    }
    assert tables["human/sts_dev.jsonl.gz"][2] == {
        "id": "de-dev-0",
        "a": "A dev, in de",
        "b": "b",
        "score": 2.5,
        "language": "de",
    }
    assert tables["human/sts_test.jsonl.gz"][-1] == {
        "id": "zh-test-0",
        "a": "一",
        "b": "二",
        "score": 5.0,
        "language": "zh",
    }


def test_every_third_prompt_stands_beside_its_answer_and_one_to_another_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human, "PROMPTS", range(0, 6, 3))
    outputs = [{"instruction": f"prompt {place}", "output": f"{place} " * 2000} for place in range(11)]
    files = {f"results/{system}/model_outputs.json": json.dumps(outputs).encode() for system in human.ANSWERING}
    (table,) = human.prompted_answers(upstream_of(files)).values()
    rows = lines_of(table)
    assert [row["id"] for row in rows[:4]] == [
        f"{human.ANSWERING[0]}-{end}" for end in ("0-real", "0-answ", "3-real", "3-answ")
    ]
    # The answer to another prompt is that of seven prompts on; both are cut.
    assert [(row["prompt"], str(row["answer"])[:3], row["answers"]) for row in rows[2:4]] == [
        ("prompt 3", "3 3", True),
        ("prompt 3", "10 ", False),
    ]
    assert {len(str(row["answer"])) for row in rows} == {3000}


# --- the program, and who asks for a table ---------------------------------------------------------------------------


@pytest.fixture
def one_table(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Makes the program know one repository, whose only table has this content; the expected content is `right`."""

    def known(content: bytes) -> None:
        monkeypatch.setattr(__main__, "REPOSITORIES", (("owner/name", lambda _: {"a/table.csv.gz": content}),))

    monkeypatch.setattr(golden_data, "checksums", lambda: {"a/table.csv.gz": sha256_of(b"right")})
    return known


def test_a_table_is_written_when_it_is_the_expected_one(
    one_table: Callable[[bytes], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one_table(gzip.compress(b"right"))
    assert __main__.main(["--into", str(tmp_path)]) == 0
    assert gzip.decompress((tmp_path / "a/table.csv.gz").read_bytes()) == b"right"
    assert "a/table.csv.gz: as expected" in capsys.readouterr().out


def test_another_table_is_not_written_and_told(
    one_table: Callable[[bytes], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one_table(gzip.compress(b"wrong"))
    assert __main__.main(["--into", str(tmp_path)]) == 1
    assert list(tmp_path.iterdir()) == []
    assert f"not rebuilt: a/table.csv.gz: sha256 {sha256_of(b'wrong')}" in capsys.readouterr().err


def test_who_asks_for_a_table_gets_the_rebuilt_one_or_the_command(
    one_table: Callable[[bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden_data, "REBUILT", tmp_path / "rebuilt")
    monkeypatch.setenv("PLUMBLINE_TEST_DATA", str(tmp_path / "beside"))
    with pytest.raises(TableMissing, match=r"a/table\.csv\.gz is not ours to keep here: `make golden-data` rebuilds"):
        golden_data.table_at_hand("a/table.csv.gz")
    for folder in ("beside", "rebuilt"):
        file = tmp_path / folder / "a" / "table.csv.gz"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress(b"right"))
        assert golden_data.table_at_hand("a/table.csv.gz") == file
    file.write_bytes(gzip.compress(b"wrong"))
    with pytest.raises(TableChanged, match="expected"):
        golden_data.table_at_hand("a/table.csv.gz")
