// expect: ok "both"
async function main() {
  let controller;
  const source = new ReadableStream({ start(c) { controller = c; } });
  const [a, b] = source.tee();
  const [c, d] = a.tee();
  const round = c.pipeTo(new WritableStream({ write(chunk) { if (chunk < 50) controller.enqueue(chunk + 1); else controller.close(); } }));
  controller.enqueue(0);
  const count = async (stream) => { let n = 0; for await (const chunk of stream) n += 1; return n; };
  const counts = await Promise.all([count(b), count(d), round]);
  return counts[0] === 51 && counts[1] === 51 ? 'both' : counts;
}
