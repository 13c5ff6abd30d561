// Stands for js-sha3 in ethers v5: the one function of it that is used.
import { keccak256, toHex } from "./natives.js";

export default { keccak_256: (bytes) => keccak256(toHex(bytes)) };
