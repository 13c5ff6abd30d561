"""The root comes from the guest agent at its one path, and from nobody but the pinned key service."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from attest.guest_agent import GuestAgent
from devkit.tee_simulator.server import TeeSimulator
from node.errors import StartupRefusedError
from node.keyring.enclave import EnclaveKeyring, obtain_root
from node.keyring.port import RootKeyUnavailableError
from tests.support.agents import guest_agent, silent, with_body

CALL_TIMEOUT_S = 0.3


@pytest.fixture
def sockets() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="svc") as directory:
        yield Path(directory)


async def test_the_root_is_the_key_at_svc_v1_root(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        root = await obtain_root(agent)
        assert root.reveal() == (await agent.get_key("svc/v1/root", "any")).key.get_secret_value()
        assert root.kms_public_key == simulator.platform.kms_root_public_key
        assert (await obtain_root(agent, root.kms_public_key)).reveal() == root.reveal()


async def test_wallets_survive_a_restart_of_the_platform(sockets: Path) -> None:
    addresses = []
    for _ in range(2):
        async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
            keyring = EnclaveKeyring((await obtain_root(agent)).reveal(), 31337, "0x" + "ab" * 20)
            addresses.append(keyring.wallet(1, 2).address)
    assert addresses[0] == addresses[1]


async def test_another_key_service_refuses_the_start(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        with pytest.raises(StartupRefusedError, match="not the pinned key"):
            await obtain_root(agent, b"\x02" * 33)


async def test_an_agent_out_of_reach_is_unavailable(sockets: Path) -> None:
    async with GuestAgent(str(sockets / "s"), call_timeout_s=CALL_TIMEOUT_S) as agent:
        with pytest.raises(RootKeyUnavailableError) as refused:
            await obtain_root(agent)
    assert refused.value.retry_after_s


async def test_an_agent_that_hangs_is_unavailable(sockets: Path) -> None:
    async with (
        guest_agent(sockets / "s", silent) as endpoint,
        GuestAgent(endpoint, call_timeout_s=CALL_TIMEOUT_S) as agent,
    ):
        with pytest.raises(RootKeyUnavailableError) as refused:
            await obtain_root(agent)
    assert refused.value.retry_after_s


@pytest.mark.parametrize("key", ["5e" * 31, "5e" * 33, "00" * 32, "ff" * 32])
async def test_a_key_that_is_no_root_refuses_the_start_without_quoting_it(sockets: Path, key: str) -> None:
    body = json.dumps({"key": key, "signature_chain": ["11" * 65, "22" * 65]}).encode()
    async with guest_agent(sockets / "s", with_body(body)) as endpoint, GuestAgent(endpoint) as agent:
        with pytest.raises(StartupRefusedError) as refused:
            await obtain_root(agent)
    assert refused.value.setting == "guest_agent"
    assert key not in str(refused.value)
