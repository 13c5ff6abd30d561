// Stands for @ethersproject/pbkdf2: two thousand HMACs a mnemonic are one native call.
import { arrayify } from "@ethersproject/bytes";
import { pbkdf2 as derive, toHex } from "./natives.js";

export function pbkdf2(password, salt, iterations, keyLength, hashAlgorithm) {
  return `0x${derive(hashAlgorithm, toHex(arrayify(password)), toHex(arrayify(salt)), iterations, keyLength)}`;
}
