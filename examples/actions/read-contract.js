// Reads a token's balance from a chain and signs what it saw.
// js_params: { pkpId, rpcUrl, token, holder }
const TOKEN = ["function balanceOf(address owner) view returns (uint256)", "function decimals() view returns (uint8)"];

async function main({ pkpId, rpcUrl, token, holder }) {
  const provider = new ethers.providers.JsonRpcProvider(rpcUrl);
  const contract = new ethers.Contract(token, TOKEN, provider);
  const [balance, decimals, { chainId }] = await Promise.all([
    contract.balanceOf(holder),
    contract.decimals(),
    provider.getNetwork(),
  ]);
  const statement = `${holder} holds ${ethers.utils.formatUnits(balance, decimals)} of ${token} on chain ${chainId}`;
  return { statement, signature: await Svc.Actions.signMessage({ pkpId, message: statement }) };
}
