// What the pages take from npm; `build.mjs` bundles it. By path where a package is found in several
// versions: the bundle shall have those of micro-eth-signer alone.
export { createContract, parseAbiItem } from "micro-eth-signer/abi.js";
export { keccak_256 } from "../../../node_modules/micro-eth-signer/node_modules/@noble/hashes/sha3.js";
export { bytesToHex, concatBytes, hexToBytes } from "../../../node_modules/micro-eth-signer/node_modules/@noble/hashes/utils.js";
export { base58 } from "../../../node_modules/micro-packed/node_modules/@scure/base/index.js";
