// Signs as the action itself: the key follows from this very text, so whoever knows its CID knows what the signer does.
// js_params: { count }
async function main({ count }) {
  if (!Number.isSafeInteger(count) || count % 2 !== 0) throw new RangeError("this action vouches for even numbers alone");
  const wallet = new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey());
  const claim = `${count} is even`;
  return { claim, signer: wallet.address, signature: await wallet.signMessage(claim) };
}
