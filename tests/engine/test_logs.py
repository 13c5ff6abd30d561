"""The logs of one action: what fits is kept, whatever its letters; neither bytes nor lines are without end."""

from hypothesis import given
from hypothesis import strategies as st

from node.engine.session import Logs


@given(st.lists(st.text(max_size=30), max_size=20), st.integers(0, 200), st.integers(1, 10))
def test_what_fits_is_kept_and_nothing_more(lines: list[str], bytes_max: int, lines_max: int) -> None:
    logs = Logs(bytes_max, lines_max)
    whole = []
    for line in lines:
        if not logs.add(line):
            break
        whole.append(line)
    assert len(logs.text.encode()) <= bytes_max
    assert len(whole) <= lines_max
    assert sum(len(line.encode()) + 1 for line in whole) <= bytes_max
    assert logs.text.startswith("\n".join(whole))


def test_a_letter_is_not_cut() -> None:
    logs = Logs(6, 10)
    assert not logs.add("éé€")
    assert logs.text == "éé"


def test_empty_lines_count() -> None:
    logs = Logs(1000, 3)
    assert [logs.add("") for _ in range(4)] == [True, True, True, False]
