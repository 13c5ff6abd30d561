"""The built image, run as a deployment runs it, on the nearest to a deployment's engine that this machine lets run."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from devkit.settings import DevelopmentSettings
from image.debian import USER
from node.settings import Settings
from tests.e2e.account import SIGNING_CODE, Account, new_account
from tests.e2e.conftest import client_of
from tests.support.contained import ContainedNode, Host, host
from tests.support.containers.container import no_namespaces_profile
from tests.support.node import NodeProcess, running_node
from tests.support.serving import lent_platform, serving, unchecked

pytestmark = pytest.mark.exhaustive

ETHERS_CODE = """async function main({ wallet, text }) {
  const signer = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet }));
  const signature = await signer.signMessage(text);
  return { signature, signer: ethers.utils.verifyMessage(text, signature), six: ethers6.verifyMessage(text, signature) };
}
"""
ONCE = "sent-before-and-after-the-kill"
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")


@dataclass(frozen=True)
class Outside:
    """The development node that lends chain, contract and guest agent, and the settings to point a node at them."""

    node: NodeProcess
    settings: Mapping[str, object]

    def account(self) -> Account:
        return new_account(client_of(self.node))


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    data = tmp_path_factory.mktemp("o")
    with running_node(data) as node:
        yield Outside(node, lent_platform(node, data))


@pytest.fixture(scope="module")
def here(image_out: Path, outside: Outside, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    if os.geteuid() != 0:
        pytest.skip("the image cannot be run here: only root may make containers with a network of their own")
    with host(image_out / "layout", tmp_path_factory.mktemp("e"), outside.settings) as found:
        if not isinstance(found, Host):
            pytest.skip(f"the image cannot be run here: {dict(found)}")
        yield found


@pytest.fixture(scope="module")
def inside(here: Host) -> Iterator[ContainedNode]:
    with here.serving(here.serve("shared")) as node:
        yield node


def code(body: str) -> str:
    """Statements whose `found` is printed."""
    return f"import json, os\n{body}\nprint(json.dumps(found))"


def found(node: ContainedNode, body: str) -> object:
    finished = node.python(code(body))
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def run_action(node: ContainedNode, account: Account, action: str) -> object:
    body = {"code": action, "js_params": {"wallet": account.wallet_address, "text": "hello"}}
    return node.api.with_key(account.key).post("svc_action", body).ok()["response"]


def test_it_serves_and_runs_actions_that_sign(outside: Outside, inside: ContainedNode) -> None:
    health = inside.api.get("health").ok()
    assert health["status"] == "ok", health
    account = outside.account()
    body = {"code": SIGNING_CODE, "js_params": {"wallet": account.wallet_address, "text": "hello"}}
    there = account.client.post("svc_action", body).ok()["response"]
    assert run_action(inside, account, SIGNING_CODE) == there, "the same key, derived by both"
    answer = run_action(inside, account, ETHERS_CODE)
    assert answer == {"signature": there, "signer": account.wallet_address, "six": account.wallet_address}
    inside.api.with_key(account.key).post("create_wallet").ok()


def test_actions_are_isolated_as_they_are_outside(outside: Outside, here: Host, tmp_path: Path) -> None:
    """By the engine's own seccomp profile, where it has one."""
    with serving(tmp_path, outside.settings) as url, here.serving(here.serve("isolation")) as node:
        taken = set(unchecked(url).get("health").ok()["action_isolation"])
        assert set(node.api.get("health").ok()["action_isolation"]) == taken
        assert "oom" in taken


def test_an_engine_that_refuses_namespaces_costs_those_alone(outside: Outside, here: Host, tmp_path: Path) -> None:
    if here.engine.name == "no engine":
        pytest.skip("the image cannot be run here by an engine that takes a seccomp profile")
    profile = tmp_path / "profile.json"
    profile.write_text(no_namespaces_profile())
    with here.serving(here.serve("strict", seccomp=profile)) as node:
        assert set(node.api.get("health").ok()["action_isolation"]) <= {"oom", "landlock"}
        account = outside.account()
        assert run_action(node, account, ETHERS_CODE)


def test_the_node_has_no_privilege(inside: ContainedNode) -> None:
    status = inside.status()
    assert status["Uid"].split() == [str(USER)] * 4
    assert status["Gid"].split() == [str(USER)] * 4
    assert status["Groups"] in {"", str(USER)}
    assert status["NoNewPrivs"] == "1"
    assert [int(status[name], 16) for name in CAPABILITIES] == [0] * len(CAPABILITIES)


def test_its_memory_is_closed_to_its_own_user_and_never_dumped(inside: ContainedNode) -> None:
    limits = Path(f"/proc/{inside.first}/limits").read_text().splitlines()
    (core,) = (line for line in limits if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    look = """
import ctypes, signal
libc = ctypes.CDLL(None, use_errno=True)
neighbour = os.fork()
if neighbour == 0:
    signal.pause()
found = []
for process in (1, neighbour):
    closed = ["cmdline", "mem", "environ", "maps", "trace"]
    for name in tuple(closed)[:4]:
        try:
            with open(f"/proc/{process}/{name}", "rb") as file:
                file.seek(0)
                file.read(0)
            closed.remove(name)
        except PermissionError:
            pass
    if libc.ptrace(16, process, 0, 0) == 0:
        closed.remove("trace")
    found.append(closed)
os.kill(neighbour, signal.SIGKILL)
"""
    assert found(inside, look) == [["mem", "environ", "maps", "trace"], []], (
        "closed, and open of one that is not hardened"
    )


def test_it_can_write_to_its_data_and_tmp_alone(inside: ContainedNode) -> None:
    walk = """
found = []
for folder, folders, _ in os.walk("/"):
    folders.sort()
    if not folder.startswith(("/proc", "/sys", "/dev")):
        try:
            name = os.path.join(folder, "written")
            open(name, "w").close()
            os.unlink(name)
            found.append(folder)
        except OSError:
            pass
"""
    assert found(inside, walk) == ["/data", "/tmp"]
    roots = "found = [line.split()[5] for line in open('/proc/self/mountinfo') if line.split()[4] == '/']"
    options = found(inside, roots)
    assert isinstance(options, list)
    assert "ro" in options[-1].split(","), "not even root could"


def test_it_sees_the_guest_agent_and_nothing_else_of_the_machine(inside: ContainedNode, outside: Outside) -> None:
    look = """
found = [line.split(" - ")[0].split()[4] + " " + line.split(" - ")[1].split()[0] for line in open("/proc/self/mountinfo")]
"""
    mounts = found(inside, look)
    assert isinstance(mounts, list)
    kernel = {"proc", "sysfs", "cgroup", "cgroup2", "tmpfs", "devpts", "mqueue", "devtmpfs"}
    of_machine = {place for place, kind in map(str.split, mounts) if kind not in kernel}
    assert of_machine <= {"/", "/data", "/run/dstack.sock", "/run/.containerenv", "/etc/hostname"}, mounts
    development_port = int(outside.node.url.rpartition(":")[2])
    reach = (
        f"import socket\nwith socket.socket() as one:\n    found = one.connect_ex(('127.0.0.1', {development_port}))"
    )
    assert found(inside, reach) == 111, "the machine's loopback is not the container's"
    numbers = "found = sorted(int(each) for each in os.listdir('/proc') if each.isdigit())"
    processes = found(inside, numbers)
    assert isinstance(processes, list)
    assert len(processes) < 40, "the processes of the machine are not the container's"


def test_its_python_has_no_pip_and_is_its_own(inside: ContainedNode) -> None:
    look = """
import importlib.util, sys
found = [importlib.util.find_spec(name) is not None for name in ("node", "pip", "ensurepip", "setuptools", "devkit", "pytest")]
found.append([path for path in sys.path if os.access(path, os.W_OK)])
"""
    assert found(inside, look) == [True, False, False, False, False, False, []]
    no_shell = "found = [name for name in os.listdir('/usr/bin') if name.endswith('sh')]"
    assert found(inside, no_shell) == []


def test_it_knows_its_user_its_certificates_and_utf_8(inside: ContainedNode) -> None:
    look = """
import locale, pwd, ssl, tempfile
roots = ssl.create_default_context().cert_store_stats()["x509_ca"]
found = [pwd.getpwuid(os.getuid()).pw_name, roots > 100, tempfile.gettempdir(), locale.getpreferredencoding().lower()]
"""
    assert found(inside, look) == ["svc-node", True, "/tmp", "utf-8"]


def test_it_has_no_stand_ins(inside: ContainedNode) -> None:
    for arguments in (["dev"], ["tee-simulator", "--directory", "/data"]):
        finished = inside.svc_node(*arguments)
        assert finished.returncode == 2
        assert "the development stand-ins are no part of the product" in " ".join(finished.stderr.split())


def test_no_setting_brings_a_stand_in(inside: ContainedNode, here: Host) -> None:
    known = {each["name"] for each in json.loads(inside.svc_node("settings", "--json").stdout)}
    assert known == set(Settings.model_fields)
    for name in ("egress_allow_loopback", "dev_starter_cents"):
        assert name in DevelopmentSettings.model_fields
        finished = inside.svc_node(*here.serve("any", {name: 1}).arguments)
        assert finished.returncode == 2, finished.stdout
        assert name in finished.stderr
        assert "Traceback" not in finished.stderr


def test_it_stops_when_asked_and_comes_back_when_killed(outside: Outside, here: Host) -> None:
    account = outside.account()
    with here.serving(here.serve("kept")) as first:
        payers = first.api.get("get_api_payers").ok()
        mine = first.api.with_key(account.key)
        answered = mine.post("create_wallet", idempotency_key=ONCE).ok()
        assert first.stop(signal.SIGKILL) == 128 + signal.SIGKILL
    with here.serving(here.serve("kept")) as second:
        assert set(second.api.get("get_api_payers").ok()) == set(payers), "its random instance id was in the volume"
        mine = second.api.with_key(account.key)
        assert mine.post("create_wallet", idempotency_key=ONCE).ok() == answered, "kept answers too"
        assert second.stop() == 0
    assert not [line for line in second.log if "Traceback" in line]


def test_without_a_guest_agent_it_says_so(here: Host) -> None:
    """And with the exit code of the container."""
    finished = here.run(here.serve("refused", {"guest_agent": "/var/run/other.sock"}))
    assert finished.returncode == 2
    assert "guest agent" in finished.stderr
