"""The chain is asked without the packages of the extra: `svc-compose` has none of them."""

import subprocess
import sys

import pytest

IMPORT = """
import importlib, pkgutil, sys
limit = sys.getrecursionlimit()
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for each in pkgutil.iter_modules(package.__path__, f"{name}."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
print(sys.getrecursionlimit() - limit, *sys.modules)
"""
"""Imports all modules of packages; prints how much the recursion limit rose, and all modules."""


@pytest.mark.parametrize(
    ("packages", "absent"),
    [
        (["svc_client.chain"], {"eth_account", "eth_keyfile", "eth_abi", "eth_utils", "hexbytes"}),
        (["compose", "compose.governance"], {"eth_account", "eth_keyfile", "svc_client.sovereign"}),
    ],
    ids=["chain", "compose"],
)
def test_it_loads_no_package_that_raises_the_recursion_limit(packages: list[str], absent: set[str]) -> None:
    ran = subprocess.run([sys.executable, "-c", IMPORT, *packages], capture_output=True, text=True, check=True)
    raised, *loaded = ran.stdout.split()
    assert raised == "0"
    assert {"svc_client.chain.providers", "svc_client.chain.sending"} <= set(loaded)
    assert not absent & set(loaded)
