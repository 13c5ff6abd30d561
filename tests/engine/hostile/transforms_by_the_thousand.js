// expect: RangeError ActionTimeout ActionOutOfMemory
async function main() {
  let { body } = new Response('x'.repeat(1 << 20));
  for (let i = 0; i < 20000; i += 1) body = body.pipeThrough(new TransformStream());
  return new Response(body).text();
}
