// Signs a transaction that sends ether, and does not send it: whoever has it can, with eth_sendRawTransaction.
// js_params: { pkpId, to, amount, nonce, chainId }; amount is in ether, a string
async function main({ pkpId, to, amount, nonce, chainId }) {
  const fees = { maxFeePerGas: ethers.utils.parseUnits("30", "gwei"), maxPriorityFeePerGas: ethers.utils.parseUnits("1", "gwei") };
  const transaction = { type: 2, chainId, nonce, to, value: ethers.utils.parseEther(amount), gasLimit: 21_000, ...fees };
  const raw = await Svc.Actions.signTransaction({ pkpId, transaction });
  const { from, hash } = ethers.utils.parseTransaction(raw);
  return { raw, from, hash };
}
