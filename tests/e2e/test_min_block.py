"""`min_block`: a call waits for its block, and holds one of its account's places while it does."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import pytest

from tests.e2e.account import TRIVIAL_CODE, Account


@pytest.mark.exhaustive
def test_calls_that_wait_for_a_block_are_running_ones_and_end_when_it_comes(account: Account) -> None:
    client = account.client
    most = client.get("get_svc_action_client_config").ok()["action_concurrent_max_per_account"]
    coming = client.post("add_group", {"group_name": "the newest"}).ok()["block_number"] + 1
    body = {"code": TRIVIAL_CODE, "min_block": coming}
    with ThreadPoolExecutor(most + 1) as pool:
        calls = {pool.submit(client.post, "svc_action", body) for _ in range(most + 1)}
        ended, waiting = wait(calls, return_when=FIRST_COMPLETED)
        (one_too_many,) = ended
        one_too_many.result().refused(429, "too_many_requests")
        client.post("svc_action", {"code": TRIVIAL_CODE}).refused(429, "too_many_requests")
        assert client.post("add_group", {"group_name": "another"}).ok()["block_number"] == coming
        answers = [call.result() for call in waiting]
    assert [each.ok()["has_error"] for each in answers] == [False] * most
    assert all(int(each.headers["X-Authorized-At-Block"]) >= coming for each in answers)
    client.post("svc_action", {"code": TRIVIAL_CODE}).ok()
