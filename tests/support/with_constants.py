"""Runs a command with other values of module constants: `python -m tests.support.with_constants JSON node serve ...`.

JSON maps dotted names to values. They are set before the modules that use them are imported.
"""

import importlib
import json
import sys


def main() -> None:
    """Set the constants and run the command line of the package that is named."""
    constants, package = json.loads(sys.argv.pop(1)), sys.argv.pop(1)
    for dotted, value in constants.items():
        module_name, name = dotted.rsplit(".", 1)
        module = importlib.import_module(module_name)
        assert hasattr(module, name), dotted
        setattr(module, name, value)
    importlib.import_module(f"{package}.__main__").main()


if __name__ == "__main__":
    main()
