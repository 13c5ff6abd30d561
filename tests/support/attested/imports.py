"""Evidence in files, and what `svc-verify import` says of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner, Result

from svc_verifier.check import CATALOGUE
from svc_verifier.cli.group import commands
from tests.support.attested.look import Look
from tests.support.attested.td import APP_ID, NOW_S

NEVER_PROVEN: Final = {
    "tls.certificate",
    "tls.connection",
    "tls.web-pki",
    "freshness.statement",
    "freshness.evidence",
    "governance.chain",
}
SOON: Final = str(NOW_S)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["import", *map(str, arguments)])


def judged(*arguments: object) -> dict[str, Any]:
    """The JSON report of an import; it ends in 10 or 20, and a replay of its bundle says the same."""
    ran = run(*arguments, "--json")
    assert ran.exit_code in {10, 20}, ran.output
    report: dict[str, Any] = json.loads(ran.stdout)
    assert report["imported"]
    assert report["exit_code"] == ran.exit_code
    status = statuses(report)
    assert list(status) == list(CATALOGUE)
    assert all(status[name] == "unknown" for name in NEVER_PROVEN)
    assert all(c["why"].startswith("not proven: ") for c in report["checks"] if c["status"] == "unknown")
    return report


def in_one_line(shown: str) -> str:
    """A report as it is shown, without its line ends and the marks of development."""
    return " ".join(word for word in shown.split() if word != "DEV")


def statuses(report: dict[str, Any]) -> dict[str, str]:
    return {check["id"]: check["status"] for check in report["checks"]}


def why(report: dict[str, Any], identifier: str) -> str:
    text: str = next(check["why"] for check in report["checks"] if check["id"] == identifier)
    return text


class Files:
    """The good node's evidence in files; a test changes what is brought before it is written."""

    def __init__(self, folder: Path) -> None:
        self.look = Look()
        self.folder = folder
        self.root = self.put("root.pem", self.look.td.platform.root_pem.encode())
        self.trusted = ("--insecure-dev-root", self.root, "--app-id", f"0x{APP_ID.hex()}", "--at", SOON)

    def put(self, name: str, content: bytes | str | Any) -> Path:
        data = content if isinstance(content, bytes) else content if isinstance(content, str) else json.dumps(content)
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def collateral(self) -> Path:
        return self.put("collateral", self.look.collateral)

    def evidence_folder(self) -> Path:
        for name, content in self.look.files.items():
            self.put(f"evidences/{name}", content)
        return self.folder / "evidences"


def agent_info(look: Look) -> dict[str, Any]:
    """As a guest agent serves it under /prpc/Info: tcb_info is JSON in a text, and so is the log in it."""
    tcb = dict(look.info["tcb_info"])
    return {**look.info, "tcb_info": json.dumps({**tcb, "event_log": json.dumps(tcb["event_log"])})}


def report_of(look: Look, **more: Any) -> dict[str, Any]:
    """As a report endpoint returns it: everything together, under names of its own."""
    answer = look.attestation
    return {
        "intel_quote": answer["quote"],
        "event_log": json.loads(answer["event_log"]),
        "vm_config": json.loads(answer["vm_config"]),
        "info": look.info,
        **more,
    }


Shape = Callable[[Files], tuple[Path, ...]]
