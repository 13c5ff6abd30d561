"""Whatever well-typed values an endpoint sends for a view, the records are made of them or nothing is: no foreign error."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.chain import records
from node.chain.abi import AbiDecodeError, account_config_abi
from node.chain.port import ActionRecord, Authorisation, GroupRecord, Head, Slice, UsageKeyRecord, WalletRecord
from node.permissions.grants import Caller
from tests.support.contract import ARTIFACT

ABI = account_config_abi()
OUTPUTS = {entry["name"]: entry["outputs"] for entry in ARTIFACT["abi"] if "outputs" in entry}
HEAD = Head(7, "0x" + "77" * 32, "0x" + "66" * 32, 1_700_000_000)

MAKERS: dict[str, tuple[Any, type | tuple[type, ...]]] = {
    "getUsageApiKey": (lambda returned: records.usage_key_record(returned[0]), UsageKeyRecord),
    "getPkp": (lambda returned: records.wallet_record(returned[0]), WalletRecord),
    "getPkpById": (lambda returned: records.wallet_record(returned[0]), WalletRecord),
    "listGroupContents": (lambda returned: records.group_record(returned[0]), GroupRecord),
    "getAction": (lambda returned: records.action_record(returned[0]), ActionRecord),
    "authorisation": (lambda returned: records.authorisation_of(returned, HEAD), Authorisation),
    "getAccount": (lambda returned: records.caller_of(1, returned), (Caller, type(None))),
    "listApiKeys": (lambda returned: records.slice_of(returned, records.usage_key_record), Slice),
    "listPkps": (lambda returned: records.slice_of(returned, records.wallet_record), Slice),
    "listWalletsInGroup": (lambda returned: records.slice_of(returned, records.wallet_record), Slice),
    "listGroups": (lambda returned: records.slice_of(returned, records.group_record), Slice),
    "listActions": (lambda returned: records.slice_of(returned, records.action_record), Slice),
    "listActionsInGroup": (lambda returned: records.slice_of(returned, records.action_record), Slice),
}


def values_of(parameter: Any) -> st.SearchStrategy[Any]:
    kind = parameter["type"]
    if kind.endswith("[]"):
        return st.lists(values_of({**parameter, "type": kind[:-2]}), max_size=3).map(tuple)
    if kind == "tuple":
        return st.tuples(*(values_of(component) for component in parameter["components"]))
    scalars: dict[str, st.SearchStrategy[Any]] = {
        "uint256": st.integers(0, 2**256 - 1),
        "uint64": st.integers(0, 2**64 - 1),
        "bool": st.booleans(),
        "string": st.text(max_size=10),
        "address": st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex()),
    }
    return scalars[kind]


@pytest.mark.parametrize("view", MAKERS)
@given(data=st.data())
def test_every_well_typed_answer_becomes_a_record(view: str, data: st.DataObject) -> None:
    make, kind = MAKERS[view]
    returned = data.draw(st.tuples(*(values_of(output) for output in OUTPUTS[view])))
    assert isinstance(make(returned), kind)


@pytest.mark.parametrize("view", MAKERS)
@given(words=st.lists(st.sampled_from([0, 1, 2, 32, 64, 96, 128, 288, 352, 384, 2**160, 2**256 - 1]), max_size=40))
def test_any_bytes_become_a_record_or_the_one_error(view: str, words: list[int]) -> None:
    make, kind = MAKERS[view]
    try:
        returned = ABI.decode_result(view, b"".join(word.to_bytes(32) for word in words))
    except AbiDecodeError:
        return
    assert isinstance(make(returned), kind)
