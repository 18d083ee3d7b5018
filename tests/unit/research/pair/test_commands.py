"""`train-pair-judge`: where it trains, and the mean of several trained parts."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from evaluator.judges.pair import judge
from evaluator.judges.pair.judge import ADAPTER, CALIBRATION
from evaluator.judges.pair.network import load_network
from research.__main__ import main
from tests.unit.evaluator.judge_quality.made_people import write_people

SHIPPED = Path(judge.__file__).parent


def test_the_mean_of_several_trained_parts_is_calibrated_and_can_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mean"
    people = write_people(tmp_path / "people", "en")
    command = ["train-pair-judge", "--people", str(people), "--from", str(SHIPPED), str(SHIPPED), "--calibrate"]
    assert main([*command, "--topics", "1", "--out", str(out)]) == 0
    assert "AUC" in capsys.readouterr().out
    assert (out / CALIBRATION).is_file()
    # the mean of a network and itself is that network, but for the rounding to half precision
    shipped, mean = load_network(SHIPPED / ADAPTER).state_dict(), load_network(out / ADAPTER).state_dict()
    for name, weight in shipped.items():
        assert torch.allclose(mean[name], weight, atol=2e-3), name
    assert set(load_file(out / ADAPTER)) == set(load_file(SHIPPED / ADAPTER))


def test_a_folder_without_a_trained_part_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train-pair-judge", "--people", str(write_people(tmp_path / "people", "en")), "--calibrate"]
    with pytest.raises(SystemExit):
        main([*command, "--from", str(SHIPPED), str(tmp_path), "--out", str(tmp_path / "out")])
    assert f"--from {tmp_path}: {ADAPTER} cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train-pair-judge", "train-multilingual-pair-judge"])
def test_a_gpu_is_asked_for_where_there_is_none(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        main([command, "--people", str(tmp_path), "--device", "cuda", "--out", str(tmp_path / "out")])
    assert "torch finds no GPU here" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["train-pair-judge", "train-multilingual-pair-judge"])
def test_a_folder_without_peoples_labels_is_named_before_anything_is_trained(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--people", str(tmp_path), "--out", str(tmp_path / "out")])
    assert f"--people {tmp_path / 'sts_train.jsonl.gz'}: not found" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
