import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.api.errors import ErrorCode, NodeError, forbidden, require
from node.permissions.grants import Caller, Denial, Grants, Missing
from tests.permissions.strategies import LISTS, group_ids, usage_callers

OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)


@given(usage_callers, st.sampled_from(Missing), st.none() | group_ids)
def test_a_usage_key_is_told_only_of_groups_in_its_own_lists(
    caller: Caller, missing: Missing, group: int | None
) -> None:
    error = forbidden(Denial(missing, group), caller)
    own = frozenset[int]().union(*(getattr(caller.grants, name) for name in LISTS))
    assert error.code is ErrorCode.FORBIDDEN
    assert error.details["missing"] == missing.value
    told = error.details.get("group")
    assert told == (str(group) if group is not None and (group in own or 0 in own) else None)
    text = json.dumps([error.message, error.fix, dict(error.details)])
    assert f"{caller.key_hash:064x}" not in text


def test_the_account_key_is_told_the_group() -> None:
    assert forbidden(Denial(Missing.ACCOUNT_KEY, 5), OWNER).details == {"missing": "account_key", "group": "5"}


def test_only_a_denial_raises() -> None:
    caller = Caller(2, 1, managed=True, grants=Grants())
    require(None, caller)
    with pytest.raises(NodeError) as raised:
        require(Denial(Missing.CAN_CREATE_PKPS), caller)
    assert raised.value.code is ErrorCode.FORBIDDEN
    assert "can_create_pkps" in raised.value.message
