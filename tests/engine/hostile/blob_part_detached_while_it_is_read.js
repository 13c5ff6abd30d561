// expect: TypeError
async function main() {
  const buffer = new ArrayBuffer(8, { maxByteLength: 1 << 20 });
  const grown = new Blob([new Uint8Array(buffer), { toString() { buffer.resize(0); return 'abc'; } }]);
  return [grown.size, await grown.text()];
}
