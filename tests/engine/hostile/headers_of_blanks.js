// expect: ok 800224
// Blanks within the values of a server's headers, which a copy reads again, or within a label, took quadratic time.
async function main() {
  try { new TextDecoder('utf-8' + ' '.repeat(100000) + '8'); } catch (e) { if (!(e instanceof RangeError)) throw e; }
  const pairs = Array.from({ length: 100 }, (_, i) => ['x-' + i, 'a' + ' '.repeat(8000) + 'b']);
  return [...new Response('', { headers: pairs }).clone().headers.values()].join('').length;
}
