// The address that an action of a CID signs with: what to write into a contract before it has ever run.
// js_params: { ipfsId }
async function main({ ipfsId }) {
  return {
    address: await Svc.Actions.getSvcActionWalletAddress({ ipfsId }),
    publicKey: await Svc.Actions.getSvcActionPublicKey({ ipfsId }),
  };
}
