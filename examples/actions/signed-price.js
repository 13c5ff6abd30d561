// Fetches a price and signs it as a contract would check it: keccak256 of the ABI coding, as an Ethereum message.
// js_params: { pkpId, url, pair }; the server answers {"price": "3123.45"}
const DECIMALS = 8;

async function main({ pkpId, url, pair }) {
  const response = await fetch(url, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) return { error: `the server answered ${response.status}` };
  const { price } = await response.json();

  const at = Math.floor(Date.now() / 1000);
  const value = ethers.utils.parseUnits(String(price), DECIMALS);
  const payload = ethers.utils.defaultAbiCoder.encode(["string", "uint256", "uint256"], [pair, value, at]);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  const signature = await wallet.signMessage(ethers.utils.arrayify(ethers.utils.keccak256(payload)));
  return { pair, price, at, payload, signature };
}
