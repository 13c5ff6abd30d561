// Encrypts a text that only actions which may use the wallet can read again.
// js_params: { pkpId, secret }
async function main({ pkpId, secret }) {
  return { ciphertext: await Svc.Actions.Encrypt({ pkpId, message: secret }) };
}
