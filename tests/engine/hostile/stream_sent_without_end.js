// expect: TypeError
async function main() {
  await fetch('http://h/', { method: 'POST', body: new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 20)); } }), duplex: 'half' });
}
