// expect: ok "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
function main() {
  const odd = ['\ud800', 'a\0b', 1n, Symbol('s'), NaN, -1, 1e300, {}, () => 1, { get length() { throw 1; } }, new Proxy([], { get() { throw 2; } })];
  const attempts = [
    (value) => ethers6.pbkdf2(value, value, value, value, value), (value) => ethers6.pbkdf2('0x', '0x', value, 8, 'sha256'),
    (value) => ethers6.computeHmac(value, '0x', '0x'), (value) => ethers.utils.computeHmac('sha256', value, value),
    (value) => ethers.utils.keccak256(value), (value) => new ethers.utils.SigningKey(value), (value) => new ethers6.SigningKey(value),
    (value) => ethers.utils.recoverPublicKey(value, { r: value, s: value, recoveryParam: value }),
    (value) => ethers.utils.hexlify({ toHexString: () => value }), (value) => ethers.utils.keccak256({ toHexString: () => value }),
  ];
  for (const attempt of attempts) for (const value of odd) try { attempt(value); } catch {}
  return ethers.utils.sha256('0x');
}
