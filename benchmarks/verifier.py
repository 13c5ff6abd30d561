"""Measures a verification: replays a development node's bundle in this process and in its own.

Two baselines are unavoidable costs: Python's start with aiohttp, as in any client of a node, and
dcap-qvl's bare verification of one quote, of which a full replay needs two.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.aims import Finding
from svc_verifier.bundle import dump_bundle, load_bundle
from svc_verifier.check import Verdict
from svc_verifier.procedure import verify
from svc_verifier.tdx.dcap import verify_quote
from svc_verifier.trust_file import trust_text
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import Td
from tests.support.contract import REPOSITORY

CHECKS_CPU_MS: Final = 10.0
WHOLE_PROCESS_MS: Final = 500.0
ROUNDS: Final = 200
PROCESSES: Final = 9


def verifier_costs() -> list[Finding]:
    """Measures CPU of the checks and of reading the bundle, and whole processes by the clock."""
    return [*_in_process(), *_as_processes()]


def _in_process() -> list[Finding]:
    look, trust = Look(), development_trust()
    text = dump_bundle(look.material())
    material = load_bundle(text)
    quote, collateral = bytes.fromhex(look.attestation["quote"]), look.td.platform.collateral().text
    assert verify(material, trust).verdict is Verdict.ACCEPTED
    return [
        Finding("verifier: all checks of a bundle, CPU", _cpu_ms(lambda: verify(material, trust)), "ms", CHECKS_CPU_MS),
        Finding("verifier: reading the bundle, CPU", _cpu_ms(lambda: load_bundle(text)), "ms"),
        Finding(
            "dcap-qvl: bare verification of one quote, CPU",
            _cpu_ms(lambda: verify_quote(quote, collateral, look.td.root_der, look.now_s)),
            "ms",
        ),
    ]


def _cpu_ms(once: Callable[[], object]) -> float:
    """Returns CPU milliseconds of one call, the median of ten equal batches."""
    # The first call fills caches, which a long-lived verifier has filled.
    once()
    times = []
    for _ in range(10):
        started = time.process_time()
        for _ in range(ROUNDS // 10):
            once()
        times.append((time.process_time() - started) * 1000 * 10 / ROUNDS)
    return statistics.median(times)


def _as_processes() -> list[Finding]:
    with tempfile.TemporaryDirectory() as directory:
        replay = _replay_command(Path(directory))
        return [
            Finding("verifier: replay of a bundle, whole process", _wall_ms(replay), "ms", WHOLE_PROCESS_MS),
            Finding("Python importing aiohttp alone, whole process", _wall_ms(["-c", "import aiohttp"]), "ms"),
            Finding("Python importing dcap-qvl alone, whole process", _wall_ms(["-c", "import dcap_qvl"]), "ms"),
        ]


def _replay_command(directory: Path) -> list[str]:
    bundle, trust, root = directory / "bundle.json", directory / "trust.toml", directory / "root.pem"
    bundle.write_text(dump_bundle(Look().material()))
    trust.write_text(trust_text(development_trust()))
    root.write_text(Td().platform.root_pem)
    named = ["--trust", str(trust), "--insecure-dev-root", str(root)]
    return ["-m", "svc_verifier", "replay", str(bundle), *named]


def _wall_ms(arguments: list[str]) -> float:
    """Returns the median milliseconds of a Python process. The first run only fills caches."""
    times = []
    for _ in range(PROCESSES + 1):
        started = time.perf_counter()
        ran = subprocess.run([sys.executable, *arguments], cwd=REPOSITORY, capture_output=True, check=False, timeout=60)
        times.append((time.perf_counter() - started) * 1000)
        # A rejected replay ends early, and would look fast.
        assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()
    return statistics.median(times[1:])
