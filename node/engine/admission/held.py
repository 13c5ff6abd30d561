"""What each action's process holds by itself, and which one is ended when there is too little for all."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Held:
    """One running action's part. `began_at` is monotonic, in seconds."""

    index: int
    account: int
    held_bytes: int
    began_at: float


def anonymous_bytes(pid: int) -> int:
    """Resident memory of a process that is no file's, with what it still shares with its zygote; 0 when it is gone.

    From `statm`, which anybody may read: a process without dumps shows its finer maps to nobody.
    """
    try:
        with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:  # noqa: PTH123 - half the cost, a thousand times
            _, resident, shared, *_ = file.read().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


def greediest(held: Sequence[Held]) -> Held:
    """Of the account that holds most, the action that does; of equal ones the youngest. `held` is not empty."""
    accounts: Counter[int] = Counter()
    for each in held:
        accounts[each.account] += each.held_bytes
    account = max(accounts, key=lambda each: accounts[each])
    return max((each for each in held if each.account == account), key=lambda each: (each.held_bytes, each.began_at))
