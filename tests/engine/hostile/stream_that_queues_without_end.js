// expect: ActionOutOfMemory
function main() {
  return new Promise(() => new ReadableStream({ start(c) { for (;;) c.enqueue({}); } }));
}
