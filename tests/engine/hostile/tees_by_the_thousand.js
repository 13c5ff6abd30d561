// expect: NeverSettled ActionOutOfMemory InternalError RangeError ActionTimeout ok "done"
async function main() {
  let { body } = new Response('x');
  const kept = [];
  for (let i = 0; i < 5000; i += 1) { const [a, b] = body.tee(); kept.push(a); body = b; }
  await body.getReader().read();
  return 'done';
}
