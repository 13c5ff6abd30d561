// expect: ActionTimeout ActionOutOfMemory
function main() {
  const word = (number) => number.toString(16).padStart(64, '0');
  const depth = 8;
  const width = 24;
  let data = word(32);
  for (let level = 0; level < depth; level += 1) data += word(width) + word(32 * width).repeat(width);
  return ethers.utils.defaultAbiCoder.decode([`uint256${'[]'.repeat(depth)}`], `0x${data}${word(0)}`).length;
}
