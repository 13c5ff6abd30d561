// Signs the message of a Solana transaction with an Ed25519 key of its own, derived from a wallet of the account.
// js_params: { pkpId, message } (base64 of the bytes that the transaction's signers sign); without it, only the address
import { ed25519 } from "@noble/curves/ed25519";
import { base58, base64 } from "@scure/base";

// The label keeps this key apart from whatever else is derived from the wallet.
async function seedOf(pkpId) {
  const secret = ethers.utils.arrayify(await Svc.Actions.getPrivateKey({ pkpId }));
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: new TextEncoder().encode("solana/v1") };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256));
}

export async function main({ pkpId, message }) {
  const seed = await seedOf(pkpId);
  const address = base58.encode(ed25519.getPublicKey(seed));
  if (message === undefined) return { address };
  return { address, signature: base58.encode(ed25519.sign(base64.decode(message), seed)) };
}
