// expect: ActionOutOfMemory RangeError
async function main() {
  const form = new FormData();
  const blob = new Blob(['x'.repeat(8 << 20)]);
  for (let i = 0; i < 100; i += 1) form.append('a', blob);
  return (await new Response(form).bytes()).length;
}
