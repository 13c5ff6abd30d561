"""Every domain error has one response: status, code, message and fix."""

import importlib
import pkgutil
import uuid
from collections.abc import Iterator

import pytest

import node
from node.api.errors import NODE_FAULTS, RESPONSES, ErrorCode, NodeError, as_node_error
from node.chain.errors import ContractConflictError, HeadNotReachedError, JournalUnavailableError, ViewNotComputedError
from node.database.port import DatabaseUnavailableError
from node.engine.errors import EngineStoppingError
from node.errors import DomainError
from node.http.answers import STATUS_OF
from node.keyring.port import UnsignableTypedDataError
from node.ledger.errors import InsufficientCreditError, LedgerUnavailableError, SpendingCapReachedError
from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server


class UnlistedError(DomainError):
    """A class that the table does not know."""


def _below(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def test_every_domain_error_is_in_the_table() -> None:
    """Or is a subclass of one that is, or only a base of such."""
    for module in pkgutil.walk_packages(node.__path__, "node."):
        if module.name.endswith(".errors"):
            importlib.import_module(module.name)
    leaves = {kind for kind in _below(DomainError) if not kind.__subclasses__() and kind.__module__.startswith("node.")}
    missing = {
        kind.__name__ for kind in leaves if not issubclass(kind, NodeError) and not RESPONSES.keys() & {*kind.__mro__}
    }
    assert not missing
    assert len(leaves) > 20


def test_every_code_has_a_status() -> None:
    assert STATUS_OF.keys() == {*ErrorCode}
    # 501 and 505 are the client's: it may send the request otherwise (RFC 9110, 15.6).
    of_the_client = {501, 505}
    assert {code for code, status in STATUS_OF.items() if status >= 500 and status not in of_the_client} == NODE_FAULTS


@pytest.mark.parametrize(
    ("error", "status", "code", "message", "fix"),
    [
        (HeadNotReachedError(9, 7), 503, "chain_unavailable", "up to block 7, not yet block 9", "leave `min_block`"),
        (ViewNotComputedError(), 503, "chain_unavailable", "nothing was charged", "ask for less at a time"),
        (ContractConflictError("Taken.", fix="Another."), 409, "conflict", "Taken.", "Another."),
        (JournalUnavailableError(3), 503, "database_unavailable", "so this one was not sent", "`Retry-After`"),
        (DatabaseUnavailableError(3), 503, "database_unavailable", "cannot be reached", "`Retry-After`"),
        (LedgerUnavailableError(3), 503, "billing_unavailable", "The ledger's database", "`Retry-After`"),
        (InsufficientCreditError(20_000, 0), 402, "payment_required", "enough credit", "create_payment_intent"),
        (SpendingCapReachedError(20_000, 0, 1), 402, "payment_required", "spending cap", "update_usage_api_key"),
        (UnsignableTypedDataError("x"), 400, "bad_request", "cannot be signed: x.", "EIP-712"),
    ],
)
def test_the_table_says_what_to_do(error: DomainError, status: int, code: str, message: str, fix: str) -> None:
    shown = as_node_error(error)
    assert (STATUS_OF[shown.code], shown.code) == (status, code)
    assert message in shown.message
    assert fix in (shown.fix or "")
    assert (shown.details, shown.retry_after_s) == (error.details, error.retry_after_s)


def test_a_node_error_is_shown_as_it_is() -> None:
    error = NodeError(ErrorCode.CONFLICT, "It exists.")
    assert as_node_error(error) is error


def test_an_outage_of_the_engine_has_no_fix_when_there_is_none() -> None:
    shown = as_node_error(EngineStoppingError())
    assert (shown.code, shown.fix, shown.retry_after_s) == (ErrorCode.RUNNER_UNAVAILABLE, None, 5)


async def test_a_handler_may_raise_a_domain_error(server: Server, desk: Desk, keys: Keys) -> None:
    desk.fail_with = HeadNotReachedError(9, 7)
    for headers in ({}, {"Idempotency-Key": uuid.uuid4().hex}):
        reply = await server.call("POST", "/owner", key=keys.account, body={}, headers=headers)
        assert (reply.status, reply.body["error"]) == (503, "chain_unavailable")
        assert reply.body["details"] == {"min_block": 9, "block_number": 7}
        assert reply.headers["Retry-After"] == "2"


async def test_a_final_domain_error_is_replayed(server: Server, desk: Desk, keys: Keys) -> None:
    desk.fail_with = ContractConflictError("Taken.", fix="Use another.")
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    replies = [await server.call("POST", "/owner", key=keys.account, body={}, headers=headers) for _ in range(2)]
    assert [(reply.status, reply.body["fix"]) for reply in replies] == [(409, "Use another.")] * 2
    assert [reply.headers.get("Idempotency-Replayed") for reply in replies] == [None, "true"]


async def test_an_unlisted_domain_error_is_a_bug(server: Server, desk: Desk, keys: Keys) -> None:
    desk.fail_with = UnlistedError("A text that nobody thought of for clients.")
    reply = await server.call("POST", "/owner", key=keys.account, body={})
    assert (reply.status, reply.body["error"]) == (500, "internal_error")
    assert "nobody thought" not in reply.raw.decode()
