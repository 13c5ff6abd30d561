"""Statements, which sum the charges of a period by key and item."""

from collections import defaultdict
from typing import TypeAlias

from svc_client.models import Statement, StatementLine, Usage

_Line: TypeAlias = tuple[str, str, str | None]


class Sums:
    """Sums of charges. Keeps a row for each line of the statement, and the id of each charge."""

    def __init__(self) -> None:
        self._added: set[str] = set()
        self._sums: defaultdict[_Line, list[int]] = defaultdict(lambda: [0, 0, 0])

    def add(self, charge: Usage) -> None:
        """Adds a charge. One that is on two pages counts once."""
        if charge.id in self._added:
            return
        self._added.add(charge.id)
        item = charge.action_ipfs_cid if charge.service == "execution" else charge.operation
        sums = self._sums[charge.service, item or "", charge.api_key_hash]
        for place, more in enumerate((1, charge.duration_ms or 0, charge.charged_cents)):
            sums[place] += more

    def statement(self, from_time: str, to_time: str) -> Statement:
        """Returns the statement of all charges added."""
        lines = [
            StatementLine.model_validate(
                {
                    "service": service,
                    "item": item,
                    "api_key_hash": key,
                    "charges": charges,
                    "duration_ms": duration_ms,
                    "charged_cents": cents,
                }
            )
            for (service, item, key), (charges, duration_ms, cents) in self._sums.items()
        ]
        lines.sort(key=lambda line: (-line.charged_cents, line.service, line.item, line.api_key_hash or ""))
        return Statement(
            from_time=from_time,
            to_time=to_time,
            charged_cents=sum(line.charged_cents for line in lines),
            lines=tuple(lines),
        )
