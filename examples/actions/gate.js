// Signs only if a server that needs a key says yes. Neither the key of the server nor that of the wallet leaves the action.
// js_params: { pkpId, url, encryptedApiKey, member, message }; encryptedApiKey is from encrypt.js
async function main({ pkpId, url, encryptedApiKey, member, message }) {
  const apiKey = await Svc.Actions.Decrypt({ pkpId, ciphertext: encryptedApiKey });
  const asked = new URL(url);
  asked.searchParams.set("member", member);

  try {
    const response = await fetch(asked, { headers: { "X-Api-Key": apiKey } });
    const { active } = await response.json();
    if (active !== true) return { signed: false, reason: `${member} is no active member` };
  } catch (error) {
    console.error("the members could not be asked:", error);
    return { signed: false, reason: error.message };
  }
  return { signed: true, signature: await Svc.Actions.signMessage({ pkpId, message }) };
}
