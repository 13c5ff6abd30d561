"""The language of an action (spec 5): main, params, results, logs, errors with the caller's lines."""

import asyncio
import base64
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
from pydantic import JsonValue

from node.api.errors import ErrorCode, as_node_error
from node.engine.admission.admission import Admission
from node.engine.port import ActionError, ActionOutcome, HostCallError, HostCalls
from node.engine.process_engine import ProcessEngine
from node.errors import DomainError
from node.settings.execution import ActionSettings
from tests.engine.hosts import LIMITS, EchoHost, job_of, never, run
from tests.support.settings import changed

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def response_of(engine: ProcessEngine, code: str, **params: JsonValue) -> JsonValue:
    outcome = await run(engine, code, params)
    assert outcome.error is None, outcome
    return outcome.response


async def error_of(engine: ProcessEngine, code: str) -> ActionError:
    outcome = await run(engine, code)
    assert outcome.error is not None, outcome
    assert outcome.response is None
    return outcome.error


@pytest.mark.parametrize(
    "code",
    [
        "function main(p) { return p; }",
        "async function main(p) { return p; }",
        "const main = (p) => p;",
        "const main = async (p) => { await null; return p; }",
        "let main = function (p) { return p; };",
        "'use strict'; var main = (p) => Promise.resolve(p);",
        "async function main({ a, b, ...rest }) { return { a, b, ...rest }; }",
        "globalThis.main = (p) => p;",
        "class main { static call(p) {} }; main = (p) => p;",
        "// a comment at the end is no trap\nfunction main(p) { return p; } // here",
        "#!/usr/bin/env action\nfunction main(p) { return p; }",
    ],
)
async def test_forms_of_main(engine: ProcessEngine, code: str) -> None:
    params: dict[str, JsonValue] = {"a": 1, "b": [None, True, "é🚀\u2028"], "c": {"d": 0.5}}
    assert await response_of(engine, code, **params) == params


@pytest.mark.parametrize(
    ("returned", "response"),
    [
        ("undefined", None),
        ("null", None),
        ("'text'", "text"),
        ("NaN", None),
        ("[1, undefined, () => 1]", [1, None, None]),
        ("{ a: undefined, b: 1 }", {"b": 1}),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("{ toJSON: () => 7 }", 7),
        ("2 ** 53", 2**53),
        ("-0", 0),
        ("'x'.repeat(3000) + 'y'.repeat(3000)", "x" * 3000 + "y" * 3000),
        ("JSON.rawJSON('12345678901234567890')", 12345678901234567890),
    ],
)
async def test_what_is_returned_is_json(engine: ProcessEngine, returned: str, response: JsonValue) -> None:
    assert await response_of(engine, f"const main = () => ({returned});") == response


async def test_set_response_is_the_older_way_and_loses(engine: ProcessEngine) -> None:
    assert await response_of(engine, "function main() { Svc.Actions.setResponse({ response: { a: 1 } }); }") == {"a": 1}
    assert await response_of(engine, "function main() { SvcActions.setResponse({ response: 1 }); return 2; }") == 2
    assert (
        await response_of(engine, "function main() { SvcActions.setResponse({ response: 1 }); return null; }") is None
    )
    assert (await error_of(engine, "function main() { SvcActions.setResponse({ response: 1n }); }")).name == "NotJson"


async def test_logs_are_a_line_a_call(engine: ProcessEngine) -> None:
    code = """async function main() {
      console.log('a', 1, true, null, undefined);
      console.info({ b: [1, 2], n: 1n });
      console.warn(Symbol('s'), () => 1, 10n);
      await null;
      console.error(new TypeError('bad'));
      const round = { name: 'r' }; round.self = round;
      console.debug(round, { twice: [round.name, round.name] });
      console.log();
    }"""
    lines = (await run(engine, code)).logs.split("\n")
    assert lines == [
        "a 1 true null undefined",
        '{"b":[1,2],"n":"1n"}',
        "Symbol(s) [function] 10n",
        "TypeError: bad",
        "    at main (action.js:6:25)",
        '{"name":"r","self":"[circular]"} {"twice":["r","r"]}',
        "",
    ]


async def test_errors_have_the_callers_lines_and_no_others(engine: ProcessEngine) -> None:
    code = "\n\nfunction inner() {\n  throw new RangeError('too far');\n}\nasync function main() {\n  inner();\n}\n"
    error = await error_of(engine, code)
    assert (error.name, error.message) == ("RangeError", "too far")
    frames = error.stack.split("\n")
    assert frames[0] == "RangeError: too far"
    assert frames[1].startswith("    at inner (action.js:4:")
    assert frames[2].startswith("    at main (action.js:7:")
    assert len(frames) == 3


@pytest.mark.parametrize(
    ("code", "name", "place"),
    [
        ("function main() {\n  let x = ;\n}", "SyntaxError", "action.js:2:"),
        ("throw new Error('at the top');\nfunction main() {}", "Error", "action.js:1:"),
        ("const main = () =>\n  undefinedName;", "ReferenceError", "action.js:2:"),
        ("\n\nconst main = () => [1].map(() => null.x);", "TypeError", "action.js:3:"),
        ("const main = async () => {\n await Svc.Actions.Decrypt({});\n}", "DecryptionFailed", "action.js:2:"),
        ("const main = () => new Promise(() => setTimeout(() => {\nnull.x }));", "TypeError", "action.js:2:"),
        ("import fs from 'fs';\nfunction main() {}", "SyntaxError", "action.js:1:"),
    ],
)
async def test_where_it_went_wrong(engine: ProcessEngine, code: str, name: str, place: str) -> None:
    error = await error_of(engine, code)
    assert error.name == name
    assert place in error.stack
    assert set(re.findall(r"[\w<>]+\.js|<\w+>(?=:)", error.stack)) == {"action.js"}


async def test_line_numbers_hold_far_down(engine: ProcessEngine) -> None:
    for lines in (99_999, 100_000, 100_010, 1_000_000):
        error = await error_of(engine, "\n" * lines + "function main() { null.x; }")
        assert f"action.js:{lines + 1}:" in error.stack


async def test_an_error_of_the_actions_own(engine: ProcessEngine) -> None:
    code = "class PriceError extends Error { get name() { return 'PriceError'; } }\nfunction main() { throw new PriceError('stale'); }"
    error = await error_of(engine, code)
    assert (error.name, error.message) == ("PriceError", "stale")
    thrown = await error_of(engine, "function main() { throw { code: 7 }; }")
    assert (thrown.name, thrown.message, thrown.stack) == ("Uncaught", '{"code":7}', "")


async def test_a_library_of_the_actions_own_takes_its_place(engine: ProcessEngine) -> None:
    assert await response_of(engine, "const ethers = { version: 1 };\nconst main = () => ethers.version;") == 1
    assert (
        await response_of(engine, "globalThis.ethers = { version: 2 };\nfunction main() { return ethers.version; }")
        == 2
    )


async def test_texts_and_bytes(engine: ProcessEngine) -> None:
    code = """function main({ text, base64 }) {
      const bytes = new TextEncoder().encode(text);
      const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
      const back = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      return { base64: btoa(binary), same: new TextDecoder().decode(back) === text,
               view: new TextDecoder().decode(new DataView(bytes.buffer, 0, 1)) };
    }"""
    text = "aé✓🚀\u0000\ufffd"
    base64_text = base64.b64encode(text.encode()).decode()
    seen = await response_of(engine, code, text=text, base64=base64_text)
    assert seen == {"base64": base64_text, "same": True, "view": "a"}


@pytest.mark.parametrize(
    "data",
    [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x82", b"\xff", b"\xf0\x9f\x92", b"\xe1\x80a\xc3\xa9"],
)
async def test_malformed_utf8_decodes_as_everywhere(engine: ProcessEngine, data: bytes) -> None:
    code = """function main({ bytes }) {
      const view = Uint8Array.from(bytes);
      let fatal;
      try { new TextDecoder('utf-8', { fatal: true }).decode(view); } catch (e) { fatal = e.name; }
      return [new TextDecoder().decode(view), fatal];
    }"""
    assert await response_of(engine, code, bytes=list(data)) == [data.decode(errors="replace"), "TypeError"]


async def test_timers_run_in_order_and_can_be_cleared(engine: ProcessEngine) -> None:
    code = """async function main() {
      const seen = [];
      const last = new Promise((resolve) => { setTimeout((x) => { seen.push(x); resolve(); }, 60, 'last'); });
      setTimeout(() => seen.push('second'), 20);
      setTimeout(() => seen.push('first'));
      clearTimeout(setTimeout(() => seen.push('never'), 10));
      let ticks = 0;
      await new Promise((resolve) => {
        const interval = setInterval(() => { ticks += 1; if (ticks === 3) { clearInterval(interval); resolve(); } }, 1);
      });
      await last;
      return [...seen, ticks];
    }"""
    assert await response_of(engine, code) == ["first", "second", "last", 3]


async def test_a_pending_timer_does_not_hold_the_answer(engine: ProcessEngine) -> None:
    outcome = await run(engine, "function main() { setTimeout(() => {}, 60000); return 1; }")
    assert outcome.response == 1
    assert outcome.duration_ms < 5000


async def test_structured_clone(engine: ProcessEngine) -> None:
    code = """function main() {
      const a = { list: [1, , 3], map: new Map([['k', new Set([1n])]]), when: new Date(5), re: /x/gi, bytes: new Uint8Array([1, 2]), no: undefined };
      a.self = a;
      const b = structuredClone(a);
      let refused;
      try { structuredClone(() => 1); } catch (e) { refused = e.name; }
      return [b !== a, b.self === b, 1 in b.list, b.list[2], [...b.map.get('k')][0] === 1n, b.when.getTime(), String(b.re),
              b.bytes !== a.bytes && b.bytes[1], 'no' in b, refused, structuredClone(new RangeError('r')).message];
    }"""
    assert await response_of(engine, code) == [True, True, False, 3, True, 5, "/x/gi", 2, True, "DataCloneError", "r"]


async def test_randomness_is_fresh_in_every_child(engine: ProcessEngine) -> None:
    code = """function main() {
      const words = crypto.getRandomValues(new Uint32Array(4));
      const numbers = Array.from({ length: 1000 }, Math.random);
      if (numbers.some((n) => !(n >= 0 && n < 1)) || new Set(numbers).size !== 1000) throw new Error('not random');
      return [crypto.randomUUID(), words.join(), numbers[0]];
    }"""
    seen = [await response_of(engine, code) for _ in range(4)]
    for column in zip(*(value for value in seen if isinstance(value, list)), strict=True):
        assert len(set(map(str, column))) == 4
    uuids = [value[0] for value in seen if isinstance(value, list)]
    assert all(
        re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", str(u)) for u in uuids
    )


async def test_random_numbers_fill_their_whole_range_evenly(engine: ProcessEngine) -> None:
    """Each of the 53 bits of a number is one as often as not, and follows from no other."""
    code = """function main() {
      const counts = Array(53).fill(0), pairs = Array(52).fill(0), tenths = Array(10).fill(0);
      for (let i = 0; i < 4000; i += 1) {
        let number = Math.random(), before = 0;
        tenths[Math.floor(number * 10)] += 1;
        for (let bit = 0; bit < 53; bit += 1) {
          number *= 2;
          const one = number >= 1 ? 1 : 0;
          number -= one;
          counts[bit] += one;
          if (bit > 0 && one === before) pairs[bit - 1] += 1;
          before = one;
        }
        if (number !== 0) throw new Error('more than 53 bits');
      }
      return [counts, pairs, tenths];
    }"""
    counts, pairs, tenths = cast("list[list[int]]", await response_of(engine, code))
    # Seven standard deviations, of 105 and ten figures: less than once in a thousand million runs.
    assert all(abs(count - 2000) < 7 * 32 for count in (*counts, *pairs))
    assert all(abs(count - 400) < 7 * 19 for count in tenths)


async def test_headers_and_aliases(engine: ProcessEngine) -> None:
    code = "function main() { return [SvcHeaders['X-Request-Id'], Svc.Actions === SvcActions, Object.isFrozen(Svc), Object.isFrozen(SvcHeaders)]; }"
    assert await response_of(engine, code) == ["the request", True, True, True]


async def test_host_calls_carry_json_big_integers_and_bytes(engine: ProcessEngine) -> None:
    code = """async function main() {
      const all = await Promise.all([
        Svc.Actions.signMessage({ pkpId: '0xAB', message: new Uint8Array([1, 255]) }),
        Svc.Actions.signTransaction({ transaction: { value: 10n ** 20n } }),
        Svc.Actions.getSvcActionPrivateKey(),
      ]);
      return all.map((answer) => answer.arguments);
    }"""
    assert await response_of(engine, code) == [
        [{"pkpId": "0xAB", "message": {"bytes": "0x01ff"}}],
        [{"transaction": {"value": 100000000000000000000}}],
        [{}],
    ]


async def test_more_calls_than_may_be_pending_are_all_answered(engine: ProcessEngine) -> None:
    host = EchoHost()
    code = "async function main() { return (await Promise.all(Array.from({ length: 60 }, (_, i) => Svc.Actions.getPrivateKey({ i })))).map((a) => a.arguments[0].i); }"
    outcome = await run(engine, code, host=host)
    assert outcome.response == list(range(60))
    assert len(host.calls) == 60


class BrokenHost:
    """Fails as the node does: with its own error, or with a bug."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        del name, arguments
        raise self.error


@pytest.mark.parametrize(
    ("raised", "name"),
    [
        (HostCallError("ChainUnavailable", "no answer"), "ChainUnavailable"),
        (DomainError("no agent; nothing was charged"), "NodeFault"),
        (ZeroDivisionError("a bug"), "NodeFault"),
    ],
)
async def test_the_nodes_own_fault_in_a_call_is_an_error_that_the_action_can_catch(
    engine: ProcessEngine, raised: Exception, name: str
) -> None:
    host: HostCalls = BrokenHost(raised)
    caught = "async function main() { try { await Svc.Actions.getPrivateKey({}); } catch (e) { return [e.name, e.message]; } }"
    outcome = await run(engine, caught, host=host)
    assert isinstance(outcome.response, list), outcome
    assert outcome.response[0] == name
    assert not any(word in str(outcome.response[1]) for word in ("a bug", "charged", "endpoint answers"))
    outcome = await run(engine, "async function main() { await Svc.Actions.getPrivateKey({}); }", host=host)
    assert outcome.error is not None
    assert outcome.error.name == name


async def test_big_code_and_params_arrive_whole(engine: ProcessEngine) -> None:
    filler = "é" * (1 << 20)
    outcome = await run(
        engine, f"const s = '{filler}';\nfunction main({{ t }}) {{ return [s.length, t.length]; }}", {"t": filler}
    )
    assert outcome.response == [1 << 20, 1 << 20]


async def test_logs_end_at_the_limit_with_what_fits() -> None:
    async with ProcessEngine(changed(LIMITS, action_log_bytes=10)) as engine:
        outcome = await run(engine, "function main() { console.log('12345'); console.log('éé67'); return 1; }")
        assert outcome.error is not None
        assert outcome.error.name == "ActionLogLimit"
        assert outcome.logs == "12345\néé"
        exact = await run(engine, "function main() { console.log('123456789'); return 1; }")
        assert exact.response == 1


async def test_the_response_may_be_as_large_as_the_limit() -> None:
    async with ProcessEngine(changed(LIMITS, action_response_bytes=100)) as engine:
        assert (await run(engine, "function main() { return 'x'.repeat(98); }")).response == "x" * 98
        beyond: ActionOutcome = await run(engine, "function main() { return 'x'.repeat(99); }")
        assert beyond.error is not None
        assert beyond.error.name == "ActionResponseLimit"


@pytest.mark.parametrize(
    ("timeout_s", "said"), [(60.0, "1 second, the max_seconds of its request."), (0.3, "0.3 seconds.")]
)
async def test_the_shorter_of_the_two_bounds_ends_an_action(timeout_s: float, said: str) -> None:
    async with ProcessEngine(changed(LIMITS, action_timeout_s=timeout_s)) as engine:
        job = replace(job_of("function main() { for (;;); }"), max_seconds=1)
        outcome = await engine.run(job, EchoHost(), never(), lambda: None)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("ActionTimeout", f"The action ran longer than {said}")
    assert outcome.duration_ms >= min(timeout_s, 1.0) * 1000


async def test_the_node_runs_no_more_than_it_may() -> None:
    admission = Admission(ActionSettings(action_concurrent_max=2, action_queue_max=0))
    async with ProcessEngine(changed(LIMITS, action_timeout_s=0.3), admission=admission) as engine:
        busy = [asyncio.create_task(run(engine, "function main() { for (;;); }")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(DomainError) as refused:
            await run(engine, "function main() {}")
        assert as_node_error(refused.value).code is ErrorCode.TOO_MANY_REQUESTS
        assert refused.value.retry_after_s
        for outcome in await asyncio.gather(*busy):
            assert json.dumps(outcome.error and outcome.error.name) == '"ActionTimeout"'
        assert (await run(engine, "function main() {}")).error is None
