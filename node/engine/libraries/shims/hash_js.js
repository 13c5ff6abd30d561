// Replaces the part of hash.js that @ethersproject/sha2 uses. RIPEMD-160 is not native here.
import { ripemd160 as ripemd160Of } from "@noble/hashes/ripemd160";
import { digest, hmac, toHex } from "./natives.js";

const once = (answer) => () => ({ update: (bytes) => ({ digest: () => answer(bytes) }) });
const hashed = (name) => Object.assign(once((bytes) => digest(name, toHex(bytes))), { algorithm: name });

export default {
  ripemd160: once((bytes) => toHex(ripemd160Of(bytes))),
  sha256: hashed("sha256"),
  sha512: hashed("sha512"),
  hmac: (hash, key) => once((bytes) => hmac(hash.algorithm, toHex(key), toHex(bytes)))(),
};
