// expect: ActionOutOfMemory ActionTimeout
function main() {
  const kept = [];
  for (let size = 1e6; ; size *= 1.5) kept.push(ethers.utils.sha256(new Uint8Array(size)), new Uint8Array(size));
}
