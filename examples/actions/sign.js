// Signs a message with a wallet, in the script, by ethers.
// js_params: { pkpId, message }
async function main({ pkpId, message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  return { message, signer: wallet.address, signature: await wallet.signMessage(message) };
}
