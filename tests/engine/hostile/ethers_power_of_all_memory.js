// expect: ActionTimeout ActionOutOfMemory
function main() {
  let number = ethers.BigNumber.from(3);
  for (;;) number = number.pow(1e6);
}
