"""What must hold of a ledger's file beside its books: that nothing reached past what keeps them."""

from typing import Final

from node.ledger.check import Rule
from node.ledger.sqlite.schema import STEPS

_MADE: Final = [step.strip() for step in STEPS]
"""The file keeps these texts, as long as no step changes what another made."""
_EACH_MADE: Final = " UNION ALL ".join(["SELECT ? AS made"] * len(_MADE))

FILE_RULES: Final = (
    Rule(
        "the tables and the triggers that keep them are as they were made",
        "ledger",
        f"""
        SELECT made FROM ({_EACH_MADE}) WHERE made NOT IN (
            SELECT RTRIM(sql, ' ' || CHAR(10)) FROM sqlite_schema WHERE sql IS NOT NULL
        )
        """,  # noqa: S608 - places alone
        ("missing",),
        _MADE,
    ),
    Rule(
        "entries are numbered without a gap",
        "ledger",
        "SELECT * FROM (SELECT COUNT(*) AS there, COALESCE(MAX(entry), 0) AS last FROM ledger_entry) WHERE there <> last",
        ("there", "last"),
    ),
    Rule(
        "the file is sound",
        "ledger",
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        ("fault",),
    ),
)
