// expect: ActionOutOfMemory RangeError
async function main() {
  return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 20)); } })).text();
}
