"""The SQL of token payments, for both databases; values are never written into it."""

from typing import Final

_COLUMNS: Final = (
    *("chain_id", "tx", "log_index", "contract", "block_number", "block_hash", "account", "payer", "token", "amount"),
    *("seen_at", "status", "reason", "symbol", "decimals", "microdollars_per_token", "microdollars"),
)
_KEPT: Final = frozenset({"chain_id", "tx", "log_index", "seen_at"})
_CHANGED: Final = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name not in _KEPT)
_PUT: Final = (
    f"INSERT INTO token_deposit ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' for _ in _COLUMNS)})"  # noqa: S608 - names
    f" ON CONFLICT (chain_id, tx, log_index) DO UPDATE SET {_CHANGED}"
)
PUT_FINAL: Final = f"{_PUT} WHERE token_deposit.status <> 'credited'"
"""Values in the order of the columns; a row that is credited stays as it is."""
PUT_PENDING: Final = f"{_PUT} WHERE token_deposit.status IN ('pending', 'dropped')"
"""Likewise; a row that is final stays as it is."""
DROP: Final = (
    "UPDATE token_deposit SET status = 'dropped' WHERE chain_id = ? AND tx = ? AND log_index = ? AND status = 'pending'"
)
CREDITED_OF: Final = (
    "SELECT tx, log_index, block_hash FROM token_deposit WHERE chain_id = ? AND tx = ? AND status = 'credited'"
)
PENDING: Final = (
    "SELECT tx, log_index, block_number, block_hash FROM token_deposit"
    " WHERE chain_id = ? AND contract = ? AND status = 'pending'"
)
IGNORED_FOR: Final = (
    "SELECT tx, log_index, block_number, block_hash, account, payer, token, amount FROM token_deposit"
    " WHERE chain_id = ? AND contract = ? AND status = 'ignored' AND reason = ?"
)
PAYMENTS: Final = (
    "SELECT tx, log_index, block_number, payer, token, amount, seen_at, status, reason, symbol, decimals,"
    " microdollars_per_token, microdollars FROM token_deposit WHERE account = ? AND chain_id = ?"
    " ORDER BY block_number, log_index, tx LIMIT ? OFFSET ?"
)
COUNT: Final = "SELECT count(*) FROM token_deposit WHERE account = ? AND chain_id = ?"
READ_TO: Final = "SELECT block_number, block_hash FROM token_cursor WHERE chain_id = ? AND contract = ?"
STAND_AT: Final = (
    "INSERT INTO token_cursor (chain_id, contract, block_number, block_hash) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (chain_id, contract) DO UPDATE SET block_number = excluded.block_number,"
    " block_hash = excluded.block_hash WHERE token_cursor.block_number = ? AND token_cursor.block_hash = ?"
)
"""Where to, and from where alone."""
