"""Every error of the committed ABI has its answer (spec 3), and no revert at all breaks the mapping."""

import json
from typing import Any

import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from node.api.errors import ErrorCode, as_node_error
from node.chain.abi import ContractAbi, account_config_abi
from node.chain.contract_errors import ANSWERS, revert_to_error
from node.chain.errors import NotOnChainError, UnexpectedRevertError
from node.values import keccak256, u256_hex

ME = 0x1234
OTHER = 0x5678
WALLET = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"  # of EIP-55 itself
ZERO = "0x" + "00" * 20


def revert(signature: str, *arguments: Any) -> bytes:
    types = signature[signature.index("(") + 1 : -1]
    return keccak256(signature.encode())[:4] + encode(types.split(",") if types else [], arguments)


TABLE: list[tuple[bytes, ErrorCode, dict[str, Any]]] = [
    (revert("AccountDoesNotExist(uint256)", ME), ErrorCode.UNAUTHORIZED, {}),
    (revert("AccountDoesNotExist(uint256)", OTHER), ErrorCode.NOT_FOUND, {"api_key_hash": u256_hex(OTHER)}),
    (revert("NoAccountAccess(uint256,address)", ME, WALLET), ErrorCode.FORBIDDEN, {"missing": "admin_wallet"}),
    (revert("AccountAlreadyExists(uint256)", OTHER), ErrorCode.CONFLICT, {"hash": u256_hex(OTHER)}),
    (revert("GroupDoesNotExist(uint256,uint256)", ME, 7), ErrorCode.NOT_FOUND, {"group_id": "7"}),
    (
        revert("GroupLimitReached(uint256,uint256)", ME, 512),
        ErrorCode.CONFLICT,
        {"limit": "groups_max_per_account", "groups": 512},
    ),
    (
        revert("GroupLimitReached(uint256,uint256)", OTHER, 448),
        ErrorCode.CONFLICT,
        {"limit": "groups_max_per_account", "groups": 448},
    ),
    (revert("PkpDoesNotExist(uint256,uint256,address)", ME, 0, WALLET), ErrorCode.NOT_FOUND, {"pkp_id": CHECKSUMMED}),
    (revert("PkpDoesNotExist(uint256,uint256,address)", ME, 7, WALLET), ErrorCode.NOT_FOUND, {"pkp_id": CHECKSUMMED}),
    (revert("PkpDoesNotExist(uint256,uint256,address)", ME, 0, ZERO), ErrorCode.NOT_FOUND, {}),
    (
        revert("ActionDoesNotExist(uint256,uint256,uint256)", ME, 0, 9),
        ErrorCode.NOT_FOUND,
        {"hashed_cid": u256_hex(9)},
    ),
    (
        revert("ActionDoesNotExist(uint256,uint256,uint256)", ME, 7, 9),
        ErrorCode.NOT_FOUND,
        {"hashed_cid": u256_hex(9), "group_id": "7"},
    ),
    (revert("UsageApiKeyDoesNotExist(uint256,uint256)", ME, 9), ErrorCode.NOT_FOUND, {"api_key_hash": u256_hex(9)}),
    (revert("UsageApiKeyExpired(uint256)", ME), ErrorCode.UNAUTHORIZED, {}),
    (revert("NotMasterAccount(uint256)", ME), ErrorCode.FORBIDDEN, {"missing": "account_key"}),
    (revert("NotAllowedToCreateGroup(uint256)", ME), ErrorCode.FORBIDDEN, {"missing": "can_create_groups"}),
    (revert("NotAllowedToDeleteGroup(uint256)", ME), ErrorCode.FORBIDDEN, {"missing": "can_delete_groups"}),
    (revert("NotAllowedToCreatePkp(uint256)", ME), ErrorCode.FORBIDDEN, {"missing": "can_create_pkps"}),
    (
        revert("NotAllowedToAddPkpToGroup(uint256,uint256)", ME, 7),
        ErrorCode.FORBIDDEN,
        {"missing": "add_pkp_to_groups"},
    ),
    (
        revert("NotAllowedToRemovePkpFromGroup(uint256,uint256)", ME, 7),
        ErrorCode.FORBIDDEN,
        {"missing": "remove_pkp_from_groups"},
    ),
    (
        revert("NotAllowedToManageIPFSIdsInGroup(uint256,uint256)", ME, 7),
        ErrorCode.FORBIDDEN,
        {"missing": "manage_ipfs_ids_in_groups"},
    ),
    (revert("OnlyApiPayer(address)", WALLET), ErrorCode.CHAIN_UNAVAILABLE, {}),
    (revert("OnlyApiPayerOrOwner(address)", WALLET), ErrorCode.FORBIDDEN, {}),
    (revert("OnlyConfigOperatorOrOwner(address)", WALLET), ErrorCode.FORBIDDEN, {}),
    (revert("OwnableUnauthorizedAccount(address)", WALLET), ErrorCode.FORBIDDEN, {}),
    (revert("OwnableInvalidOwner(address)", WALLET), ErrorCode.BAD_REQUEST, {}),
    (revert("InvalidRequest(string)", "Already converted"), ErrorCode.BAD_REQUEST, {"reason": "Already converted"}),
    (revert("InvalidRequest(string)", "already ChainSecured"), ErrorCode.CONFLICT, {}),
]


@pytest.fixture(scope="module")
def abi() -> ContractAbi:
    return account_config_abi()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[1] if isinstance(row, tuple) else None)
def test_the_table(abi: ContractAbi, row: tuple[bytes, ErrorCode, dict[str, Any]]) -> None:
    data, code, details = row
    answer = as_node_error(revert_to_error(abi, data, ME))
    assert (answer.code, dict(answer.details)) == (code, details)
    assert answer.message
    assert answer.fix


WRITES: dict[str, str] = {
    "createManagedAccount": "account key",
    "convertToChainSecuredAccount": "admin of an account",
    "setUsageApiKey": "usage key",
    "registerWalletDerivation": "wallet",
    "addActionWithCid": "action",
    "a function that this node does not call": "It exists already",
}


@pytest.mark.parametrize("function", WRITES)
def test_what_is_taken_is_named_by_the_function_that_was_called(abi: ContractAbi, function: str) -> None:
    answer = revert_to_error(abi, revert("AccountAlreadyExists(uint256)", OTHER), ME, function)
    assert WRITES[function] in answer.message
    assert answer.fix
    assert sum(name in answer.message for name in ("usage key", "action", "admin of", "derivation path")) <= 1


def test_only_a_removal_misses_a_wallet_in_the_group(abi: ContractAbi) -> None:
    missing = revert("PkpDoesNotExist(uint256,uint256,address)", ME, 7, WALLET)
    removal = revert_to_error(abi, missing, ME, "removePkpFromGroup")
    assert removal.message == "The group has no such wallet."
    assert removal.details["group_id"] == "7"
    for function in ("addPkpToGroup", "addGroup", "updateGroup"):
        assert revert_to_error(abi, missing, ME, function).message == "The account has no such wallet."


def test_every_error_of_the_abi_has_an_answer_and_is_in_the_table(abi: ContractAbi) -> None:
    declared = {error.name for error in abi.errors.values()}
    tested = {abi.errors[data[:4]].name for data, _code, _details in TABLE}
    assert declared == set(ANSWERS) == tested


def test_an_account_that_is_not_the_callers_is_not_found_when_there_is_no_caller(abi: ContractAbi) -> None:
    assert isinstance(revert_to_error(abi, revert("AccountDoesNotExist(uint256)", ME)), NotOnChainError)


UNEXPECTED = {
    "bare": (b"", "without a reason"),
    "short": (b"\x12\x34", "0x1234"),
    "unknown selector": (bytes.fromhex("deadbeef") + bytes(32), "0xdeadbeef"),
    "Panic": (revert("Panic(uint256)", 0x11), "Panic 0x11"),
    "Error": (revert("Error(string)", "whatever"), "'whatever'"),
    "known selector, broken arguments": (revert("NotMasterAccount(uint256)", 1)[:20], "0x"),
}


@pytest.mark.parametrize("case", UNEXPECTED)
def test_what_the_contract_never_says_on_purpose_is_our_bug(abi: ContractAbi, case: str) -> None:
    data, shown = UNEXPECTED[case]
    answer = revert_to_error(abi, data, ME)
    assert isinstance(answer, UnexpectedRevertError)
    assert shown in answer.message


def test_a_long_reason_is_cut(abi: ContractAbi) -> None:
    answer = revert_to_error(abi, revert("InvalidRequest(string)", "x" * 5000))
    assert len(answer.message) < 300
    assert len(str(answer.details["reason"])) == 200


@given(data=st.binary(max_size=300), which=st.integers(0, 40), caller=st.none() | st.integers(0, 2**256 - 1))
def test_any_revert_becomes_an_answer_that_can_be_sent(data: bytes, which: int, caller: int | None) -> None:
    abi = account_config_abi()
    prefixes = [b"", bytes.fromhex("08c379a0"), bytes.fromhex("4e487b71"), *abi.errors]
    answer = revert_to_error(abi, prefixes[which % len(prefixes)] + data, caller)
    assert json.dumps([answer.message, answer.fix, dict(answer.details)])
    assert len(answer.message) < 1000
