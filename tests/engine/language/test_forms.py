"""Blob, File and FormData: Node's behaviour, the bytes of multipart, and what `formData()` refuses."""

import base64
import json
from typing import Final

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.engine.language.test_fetch import ANSWER, ScriptedWeb
from tests.engine.language.twin import differences, in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTE: Final = """
const seen = [];
const note = async (make) => { try { seen.push(await make()); } catch (e) { seen.push(e.name); } };
const kind = (v) => Object.prototype.toString.call(v);
"""

BLOBS = (
    NOTE
    + """async function main() {
  const view = new Uint16Array([1, 2, 3]).subarray(1);
  for (const args of [[], [[]], [['a', 'é', '\\ud800']], [['a', new Uint8Array([1, 255]), view, view.buffer, new DataView(view.buffer, 1, 2)]], [[new Blob(['in']), 5, null, undefined, {}]],
    [['x'], { type: 'Text/Plain' }], [['x'], { type: 'é' }], [['x'], { type: 'a\\tb' }], [['x'], { endings: 'transparent' }], [['x'], { endings: 'other' }], ['text'], [5], [null], [{}], [new Set(['a', 'b'])], [['a'], 5], [['a'], null], [new Uint8Array([49, 50])]])
    await note(async () => { const b = new Blob(...args); return [b.size, b.type, await b.text(), [...await b.bytes()], (await b.arrayBuffer()).byteLength, kind(b)]; });
  await note(async () => new Blob(['a\\r\\nb\\nc'], { endings: 'native' }).text());
  const blob = new Blob(['0123456789'], { type: 'a/b' });
  for (const range of [[], [2], [2, 4], [-3], [-3, -1], [4, 2], [0, 1e9], [-1e9], [NaN], ['3'], [2.5], [-0.5], [undefined, 3], [null, 3], [3, null], [0, 3, 'C/D'], [0, 3, '\\n']])
    await note(async () => { const s = blob.slice(...range); return [s.size, s.type, await s.text(), s instanceof Blob, s instanceof File]; });
  await note(async () => { const out = []; for await (const piece of new Blob(['ab', 'c']).stream()) out.push(...piece); return out; });
  await note(async () => { const copy = await blob.bytes(); copy[0] = 0; return blob.text(); });
  await note(async () => { const bytes = new Uint8Array([65]); const b = new Blob([bytes]); bytes[0] = 66; return b.text(); });
  await note(() => Blob(['x']));
  await note(() => Blob.prototype.text.call({}));
  await note(() => Object.getOwnPropertyDescriptor(Blob.prototype, 'size').get.call({}));
  for (const args of [[], [['a']], [['a'], 'n'], [['a'], 5], [['a'], 'n/\\ud800', { type: 'X/y', lastModified: 5 }], [['a'], 'n', { lastModified: NaN }], [['a'], 'n', { lastModified: '-7' }], [['a'], 'n', 5]])
    await note(async () => { const f = new File(...args); return [f.name, f.size, f.type, await f.text(), args[2] ? f.lastModified : typeof f.lastModified, kind(f), f instanceof Blob, JSON.stringify(f)]; });
  await note(() => { const before = Date.now(); const { lastModified } = new File([], 'n'); return lastModified >= before && lastModified <= Date.now(); });
  await note(async () => { const f = structuredClone({ f: new File(['abc'], 'n', { type: 'a/b', lastModified: 3 }), b: [blob, blob] });
    return [f.f instanceof File, f.f.name, f.f.type, f.f.lastModified, await f.f.text(), kind(f.b[0]), await f.b[0].text(), f.b[0] === f.b[1], f.b[0] !== blob]; });
  await note(() => JSON.stringify([blob, { f: new File([], 'n') }]));
  return seen;
}"""
)

FORMS = (
    NOTE
    + """async function main() {
  const shown = (v) => (typeof v === 'string' ? v : v && [v.name, v.type, v.size, kind(v)]);
  const form = new FormData();
  for (const args of [['a', '1'], ['a', 2], ['b', null], ['c', undefined], ['d', {}], ['e\\ud800', '\\udc00x'], ['f', new Blob(['x'], { type: 'T/x' })], ['f', new Blob(['y']), 'own'], ['g', new File(['z'], 'n')], ['g', new File(['z'], 'n'), 'm'],
    ['h', 'text', 'name'], ['h', {}, 'name'], [], ['a'], [Symbol('s'), 'x']]) await note(() => { form.append(...args); return [...form].length; });
  await note(() => [...form].map(([k, v]) => [k, shown(v)]));
  for (const name of ['a', 'b', 'f', 'zz']) await note(() => [form.has(name), shown(form.get(name)), form.getAll(name).map(shown), Array.isArray(form.getAll(name))]);
  await note(() => { form.set('a', 'only'); form.set('new', new Blob(['q']), 'q.txt'); form.delete('c'); form.delete('none'); return [...form.entries()].map(([k, v]) => [k, shown(v)]); });
  await note(() => [[...form.keys()], [...form.values()].map(shown)]);
  await note(() => { const out = []; form.forEach(function (v, k, f) { out.push(k, f === form, this.x); }, { x: 1 }); return out; });
  await note(() => new FormData('x')); await note(() => FormData()); await note(() => form.forEach()); await note(() => form.set('x')); await note(() => form.get());
  await note(() => kind(form)); await note(() => JSON.stringify(form)); await note(() => structuredClone(form)); await note(() => FormData.prototype.get.call({}, 'a'));
  await note(() => { const file = new File(['z'], 'n'); const f = new FormData(); f.append('x', file); return f.get('x') === file; });
  const multipart = async (make) => { const response = new Response(make); const type = response.headers.get('content-type'); const boundary = type.split('boundary=')[1];
    return [type.replace(boundary, 'B'), (await response.text()).replaceAll(boundary, 'B')]; };
  await note(() => multipart(new FormData()));
  await note(() => { const f = new FormData(); f.append('na"me\\r\\n', 'l1\\nl2\\rl3\\r\\n'); f.append('é"', new File(['\\n'], 'q"\\n\\r.txt', { type: 'a/b' })); f.append('b', new Blob(['x'])); return multipart(f); });
  const back = async (body, type) => [...await new Response(body, type === undefined ? {} : { headers: { 'content-type': type } }).formData()].map(([k, v]) => [k, shown(v)]);
  await note(() => { const f = new FormData(); f.append('na"me\\r\\n', 'l1\\nl2\\rl3\\r\\n'); f.append('é"', new File(['\\n'], 'q".txt', { type: 'a/b' })); f.append('empty', ''); f.append('b', new Blob([])); return back(f); });
  await note(() => back(new URLSearchParams('a=1&b=%20+x&a=%C3%A9&=&q')));
  await note(() => back('a=1', 'application/x-www-form-urlencoded; charset=x'));
  for (const type of [undefined, 'text/plain', 'multipart/form-data', 'application/json', '', 'multipart/mixed; boundary=xxxxxxxxxxxxxxxxxxxxxxxxxxxx']) await note(() => back('a=1', type));
  const B = 'x'.repeat(30);
  const part = (head, content) => '--' + B + '\\r\\n' + head + '\\r\\n\\r\\n' + content + '\\r\\n';
  const end = '--' + B + '--\\r\\n';
  const field = 'Content-Disposition: form-data; name="a"';
  for (const body of ['', end, part(field, '1') + end, part(field, ''), part(field, '1'), part('Content-Disposition: form-data', '1') + end, part('Content-Type: a/b', '1') + end, part('nothing', '1') + end,
    part('CONTENT-DISPOSITION:form-data; name="a"', '1') + end, part(field + '; filename="f"', '1') + end, part(field + '; filename="f"\\r\\nContent-Type: a/B', '--' + B.slice(1)) + end,
    part('Content-Disposition: attachment; name="a"', '1') + end, part('Content-Disposition: form-data; name="%22%0A%0d%41"', '1') + end, part(field + '\\r\\nContent-Transfer-Encoding: binary', '\\r\\n\\r\\n--x') + end,
    'x\\r\\n' + part(field, '1') + end, part(field, '1') + '--' + B + 'x' + end]) await note(() => back(body, 'multipart/form-data; boundary=' + B));
  await note(() => back(part(field, '1') + end, 'Multipart/Form-Data; charset=x; Boundary="' + B + '"; boundary=no'));
  return seen;
}"""
)


async def test_blobs_and_files_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, BLOBS) == []


async def test_forms_are_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, FORMS) == []


async def test_a_form_is_sent_as_multipart(engine: ProcessEngine) -> None:
    web = ScriptedWeb(ANSWER, ANSWER, ANSWER)
    code = """async function main() {
      const form = new FormData();
      form.append('text', 'é');
      form.append('file', new File([new Uint8Array([0, 255, 13, 10])], 'a.bin'));
      for (let i = 0; i < 2; i += 1) await fetch('http://h/', { method: 'POST', body: form });
      await fetch('http://h/', { method: 'POST', body: new Blob(['x'], { type: 'image/PNG' }) });
    }"""
    await in_action(engine, code, host=web)
    boundaries = []
    for request in web.asked[:2]:
        kind, _, boundary = json.dumps(request["headers"]).partition("; boundary=")
        assert kind == '[["content-type", "multipart/form-data'
        boundary = boundary.removesuffix('"]]')
        assert (
            base64.b64decode(str(request["body"]))
            == (
                f'--{boundary}\r\nContent-Disposition: form-data; name="text"\r\n\r\né\r\n'
                f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
                "Content-Type: application/octet-stream\r\n\r\n"
            ).encode()
            + b"\0\xff\r\n\r\n"
            + f"--{boundary}--\r\n".encode()
        )
        boundaries.append(boundary)
    assert len(set(boundaries)) == 2, "a boundary that others know could be put into a value"
    assert web.asked[2]["headers"] == [["content-type", "image/png"]]
    assert web.asked[2]["body"] == "eA=="


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("'a=1&'.repeat(10000) + 'b=2'", "application/x-www-form-urlencoded"),
        ("part('a', '').repeat(10001) + end", "multipart/form-data; boundary=B"),
        ("part('a'.repeat(16384), '1') + end", "multipart/form-data; boundary=B"),
        ("part('a', '1') + end", "multipart/form-data; boundary=" + "B" * 71),
        ("part('a', '1') + end", 'multipart/form-data; boundary=""'),
    ],
)
async def test_a_form_over_a_bound_is_refused(engine: ProcessEngine, body: str, kind: str) -> None:
    code = f"""
    const part = (name, value) => `--B\\r\\nContent-Disposition: form-data; name="${{name}}"\\r\\n\\r\\n${{value}}\\r\\n`, end = '--B--';
    const main = () => new Response({body}, {{ headers: {{ 'content-type': '{kind}' }} }}).formData();"""
    outcome = await run(engine, code)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message[:20]) == ("TypeError", "The body is no form:")


async def test_ten_thousand_fields_are_read(engine: ProcessEngine) -> None:
    code = """
    const count = async (body, type) => [...await new Response(body, { headers: { 'content-type': type } }).formData()].length;
    const main = async () => [
      await count('a=1&'.repeat(9999) + 'b=2', 'application/x-www-form-urlencoded'),
      await count('--B\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\n\\r\\n'.repeat(10000) + '--B--', 'multipart/form-data; boundary=B'),
    ];"""
    assert await in_action(engine, code) == [10_000, 10_000]
