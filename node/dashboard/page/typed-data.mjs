/**
 * Typed data that a wallet signs for the node (EIP-712; docs/chain-secured.md).
 * @module
 */
import { readAddress } from "./bytes.mjs";

/** @typedef {"CreateWallet" | "AddUsageApiKey" | "ConvertAccount" | "BillingAuth"} Purpose */
/** @typedef {{name: string, type: string}} Field */
/**
 * @typedef {{
 *   types: Record<string, Field[]>, primaryType: Purpose, domain: {name: string, version: string, chainId: string},
 *   message: {address: string, issuedAt: string}
 * }} TypedData
 */

/** Seconds for which the node accepts a signature. */
export const SIGNATURE_LIFETIME_S = 300;

const DOMAIN_FIELDS = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
];
const MESSAGE_FIELDS = [
  { name: "address", type: "address" },
  { name: "issuedAt", type: "uint256" },
];

/**
 * Returns the object to sign. The node accepts it for 300 seconds from `issuedAt` (unix seconds), for one purpose.
 * @param {Purpose} purpose
 * @param {string} address
 * @param {number} chainId
 * @param {number} issuedAt
 * @returns {TypedData}
 */
export function typedData(purpose, address, chainId, issuedAt) {
  return {
    types: { EIP712Domain: DOMAIN_FIELDS, [purpose]: MESSAGE_FIELDS },
    primaryType: purpose,
    domain: { name: "Service ChainSecured", version: "1", chainId: String(chainId) },
    message: { address: readAddress(address), issuedAt: String(issuedAt) },
  };
}
