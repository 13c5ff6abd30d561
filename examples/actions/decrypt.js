// Decrypts what encrypt.js made with the same wallet.
// js_params: { pkpId, ciphertext }
async function main({ pkpId, ciphertext }) {
  return { secret: await Svc.Actions.Decrypt({ pkpId, ciphertext }) };
}
