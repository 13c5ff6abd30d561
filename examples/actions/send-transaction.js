// Sends ether from a wallet and waits until it is in a block. The wallet pays the gas.
// js_params: { pkpId, rpcUrl, to, amount }; amount is in ether, a string
async function main({ pkpId, rpcUrl, to, amount }) {
  const provider = new ethers.providers.JsonRpcProvider(rpcUrl);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }), provider);
  const sent = await wallet.sendTransaction({ to, value: ethers.utils.parseEther(amount) });
  const receipt = await sent.wait();
  return { hash: receipt.transactionHash, from: wallet.address, block: receipt.blockNumber, status: receipt.status };
}
