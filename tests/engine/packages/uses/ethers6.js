import { Contract, JsonRpcProvider, Network, Wallet, verifyMessage } from "ethers6";

export async function main({ url }) {
  const network = Network.from(1);
  const provider = new JsonRpcProvider(`${url}/rpc`, network, { staticNetwork: network, batchMaxCount: 1 });
  const wallet = new Wallet(`0x${"11".repeat(32)}`, provider);
  const signed = await wallet.signMessage("hi");
  const contract = new Contract(`0x${"22".repeat(20)}`, ["function total() view returns (uint256)"], provider);
  return [await provider.getBlockNumber(), String(await contract.total()), signed, verifyMessage("hi", signed) === wallet.address];
}
