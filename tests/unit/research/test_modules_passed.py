"""What `research.modules_passed` counts, on a small package that is made here."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from pathlib import Path

import pytest

from research.modules_passed import Passed, text

TILL = """
from shop import prices

class Till:
    kinds = [kind for kind in ("cash",)]

    def pay(self, pieces):
        return sum(prices.of(piece) for piece in pieces)

def close():
    return Till().pay([])
"""
PRICES = """
def of(piece):
    return rounded(piece)

def rounded(piece):
    return int(piece)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, source in {"__init__": "", "till": TILL, "prices": PRICES}.items():
        (tmp_path / "shop").mkdir(exist_ok=True)
        (tmp_path / "shop" / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "shop"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def test_functions_stand_in_order_of_first_entry_with_the_number_of_calls(shop: Path) -> None:
    passed = Passed(shop, ("shop",))
    with passed.counting():
        import_module("shop.till").Till().pay([2, 3])
    # Imports, the body of the class and comprehensions are no functions; two pieces are priced.
    assert passed.calls == {
        ("shop/till.py", "Till.pay"): 1,
        ("shop/prices.py", "of"): 2,
        ("shop/prices.py", "rounded"): 2,
    }
    assert text("A sale", passed) == (
        "A sale: 2 modules, 3 functions\n  shop/till.py: Till.pay\n  shop/prices.py: of, rounded"
    )


def test_other_packages_do_not_count_and_threads_that_begin_meanwhile_do(shop: Path) -> None:
    till = import_module("shop.till")
    other, passed = Passed(shop, ("house",)), Passed(shop, ("shop",))
    with other.counting():
        till.close()
    with passed.counting():
        thread = threading.Thread(target=till.close)
        thread.start()
        thread.join()
    till.Till().pay([1])  # after the end
    assert other.calls == {}
    assert passed.modules == {"shop/till.py": ["close", "Till.pay"]}
