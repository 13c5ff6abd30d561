"""Constants of the product that a test replaces, in every module that has imported them."""

import sys
from typing import Any

import pytest


def replace_constants(monkeypatch: pytest.MonkeyPatch, package: str, **values: Any) -> None:
    """Set these constants in all loaded modules of `package` that hold them. Fails for a name that none holds."""
    modules = [
        module for name, module in sorted(sys.modules.items()) if name == package or name.startswith(package + ".")
    ]
    for name, value in values.items():
        holders = [module for module in modules if hasattr(module, name)]
        assert holders, f"no module of {package} holds {name}"
        for module in holders:
            monkeypatch.setattr(module, name, value)
