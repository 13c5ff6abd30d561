"""An amount that a person types is paid as it is meant, or is refused."""

from pathlib import Path

from tests.support.javascript import ran_javascript

READ = """
import { centsOf } from "./format.mjs";
console.log(JSON.stringify(given.map(centsOf)));
"""
AMOUNTS = {
    "50": 5_000,
    " $50.5 ": 5_050,
    "1,234.05": 123_405,
    "1,000,000": 100_000_000,
    "50,00": None,
    "1.234,05": None,
    ",500": None,
    "1,2345": None,
    "1234,567": None,
    "5.005": None,
    "": None,
    "-5": None,
    "1e3": None,
}


def test_commas_separate_thousands_alone(modules: Path) -> None:
    assert ran_javascript(READ, list(AMOUNTS), modules) == list(AMOUNTS.values())
