// expect: ActionTimeout
function main() {
  for (;;) try { ethers6.pbkdf2('0x', '0x', 2 ** 52, 32, 'sha512'); } catch {}
}
