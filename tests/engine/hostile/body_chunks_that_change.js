// expect: ok "a\u0000\u0000\u0000b"
async function main() {
  const buffer = new ArrayBuffer(4, { maxByteLength: 1 << 16 });
  const first = new Uint8Array(buffer);
  first[0] = 97;
  let pulls = 0;
  const stream = new ReadableStream({ pull(c) { pulls += 1; if (pulls === 1) c.enqueue(first); else if (pulls === 2) { buffer.resize(1 << 16); first[0] = 98; c.enqueue(new Uint8Array([98])); } else c.close(); } }, { highWaterMark: 0 });
  return new Response(stream).text();
}
