"""Names the Python that is measured, since its build alone moves figures by a quarter and more."""

import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

_OPTIONS: Final = {"'--enable-optimizations": "PGO", "'--with-lto": "LTO", "'--with-pydebug": "debug"}
"""Beginnings of options of CPython's configure, in the quotes of CONFIG_ARGS."""


def interpreter() -> str:
    """Returns version, compiler and kind of build of this Python, which the nodes share."""
    # The program itself and not the link to it in a virtual environment.
    program = Path(sys.base_exec_prefix, "bin", f"python{sysconfig.get_python_version()}").resolve()
    options, flags = (str(sysconfig.get_config_var(name) or "") for name in ("CONFIG_ARGS", "OPT"))
    version = f"{platform.python_implementation()} {platform.python_version()}, {platform.python_compiler()}"
    return f"{version}, {kind_of_build(options, flags, debian_package(program))}"


def kind_of_build(options: str, flags: str, package: str) -> str:
    """Returns the kind by CONFIG_ARGS and OPT of sysconfig, and the Debian package if any."""
    kinds = [kind for beginning, kind in _OPTIONS.items() if beginning in options]
    told = f"{' and '.join(kinds) or 'without PGO and LTO'} by sysconfig ({flags})"
    # Debian's rules pass the options to the compiler and keep them out of sysconfig.
    return f"{told}; {package} of Debian, whose rules add PGO and LTO" if package else told


def debian_package(program: Path) -> str:
    """Returns name and version of the package that a file is of; empty without one, or dpkg."""
    owner = _dpkg_query("--search", str(program)).partition(":")[0]
    return _dpkg_query("--show", "--showformat=${Package} ${Version}", owner) if owner else ""


def _dpkg_query(*arguments: str) -> str:
    try:
        asked = subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout.strip()
