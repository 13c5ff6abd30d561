"""The engine alone: a fresh context for one action, in this process, with nothing between its bugs and the caller.

Started with an argument it is the program of the process-per-action baseline: the request on stdin, the answer on stdout.
"""

import json
import sys
from collections.abc import Callable, Mapping

import _quickjs

_CALL = """(function (text) {
  Promise.resolve(JSON.parse(text)).then(main).then(
    (value) => { globalThis.outcome = JSON.stringify({ response: value, has_error: false }); },
    (error) => { globalThis.outcome = JSON.stringify({ response: String(error), has_error: true }); });
})"""
_SIGNING = "const Svc = { Actions: { signMessage: ({ message }) => hostSignMessage(message) } };"


def evaluate(request: str | bytes, host: Mapping[str, Callable[[str], str]] | None = None) -> str:
    """The answer, as JSON, to the JSON of `{code, js_params}`; `host` are functions the script finds by name."""
    told = json.loads(request)
    context = _quickjs.Context()
    for name, function in (host or {}).items():
        context.add_callable(name, function)
    context.eval(_SIGNING)
    context.eval(told["code"])
    context.eval(_CALL)(json.dumps(told["js_params"]))
    while context.execute_pending_job():
        pass
    return str(context.eval("outcome"))


if __name__ == "__main__":
    sys.stdout.write(evaluate(sys.stdin.buffer.read()))
