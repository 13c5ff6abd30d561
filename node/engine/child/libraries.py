"""`ethers` and `ethers6` inside an action: their sources, read before the process locks itself in, and their warming.

`install` stands before the prelude, which takes `eval` away. A library is evaluated when an action first names it,
or by `warm` once for every process forked after it.
"""

import os

import _quickjs

from node.engine.child import native

_FOLDER = f"{os.path.dirname(os.path.dirname(__file__))}/libraries"  # noqa: PTH120 - pathlib costs every process
_NAMES = ("ethers", "ethers6")
_WARMING = """(() => {
  let ended = "a library waits for something";
  const warm = async (library, coder, signTypedData) => {
    const wallet = new library.Wallet("0x" + "11".repeat(32));
    await wallet.signMessage("warm");
    await wallet[signTypedData]({ name: "warm" }, { Warm: [{ name: "up", type: "uint256" }] }, { up: 1 });
    coder.decode(["string"], coder.encode(["string"], ["warm"]));
  };
  warm(ethers, ethers.utils.defaultAbiCoder, "_signTypedData")
    .then(() => warm(ethers6, ethers6.AbiCoder.defaultAbiCoder(), "signTypedData"))
    .then(() => { ended = ""; }, (error) => { ended = [error].join(""); });
  return () => ended;
})()"""


class Libraries:
    """What one context can load. `lines_above` empty lines tell library frames from the action's own."""

    def __init__(self, lines_above: int) -> None:
        self._above = "\n" * lines_above
        self._sources = {name: self._above + _read(name) for name in _NAMES}

    def install(self, context: _quickjs.Context) -> None:
        """Give a fresh context the names; the prelude comes after it."""
        functions = native.functions()
        context.add_callable("librarySource", self._source)
        for name, function in functions.items():
            context.add_callable(name, function)
        # The text of a Python list of names is a JavaScript one too; json would cost every process its import.
        names = f"const NATIVES = {list(functions)}, LIBRARIES = {list(_NAMES)};"
        context.eval(f"{{ {names}{self._above}{_read('globals')} }}")

    def _source(self, name: str) -> str:
        return self._sources.get(name, "")


def warm(context: _quickjs.Context) -> None:
    """Load every library, sign with each, and collect: for a context that is then forked.

    Call it after the prelude and before any code of an action. It takes no randomness, so that none is shared by the
    processes forked later. Raises RuntimeError when a library does not work.
    """
    ending = context.eval(_WARMING)
    while context.execute_pending_job():
        pass
    failure: str = ending()
    if failure != "":
        raise RuntimeError(f"the libraries of actions do not work: {failure}")
    context.gc()


def _read(name: str) -> str:
    with open(f"{_FOLDER}/{name}.js", encoding="ascii") as file:  # noqa: PTH123 - pathlib costs every process
        return file.read()
