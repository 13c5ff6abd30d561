// expect: ActionTimeout
async function main() {
  for await (const chunk of new ReadableStream({ pull(c) { c.enqueue(0); } }, { highWaterMark: 0 }));
}
