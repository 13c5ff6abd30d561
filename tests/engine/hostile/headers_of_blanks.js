// expect: ok 800224
// A copy reads the values of a server's headers again, of which blanks within took quadratic time.
async function main() {
  const pairs = Array.from({ length: 100 }, (_, i) => ['x-' + i, 'a' + ' '.repeat(8000) + 'b']);
  return [...new Response('', { headers: pairs }).clone().headers.values()].join('').length;
}
