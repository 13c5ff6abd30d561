// Signs a message with a wallet whose key never enters the script: the node signs.
// js_params: { pkpId, message }
const main = async ({ pkpId, message }) => {
  const signature = await Svc.Actions.signMessage({ pkpId, message });
  return { message, signer: ethers.utils.verifyMessage(message, signature), signature };
};
