/**
 * Payment of credit with tokens of the wallet: an allowance for the deposit contract, then the deposit (docs/billing.md).
 * @module
 */
import { readAddress, sameAddress, u256Hex } from "./bytes.mjs";
import { ContractInterface } from "./contract.mjs";
import { WalletError } from "./wallet.mjs";

/** @typedef {import("./abi.mjs").AbiValue} AbiValue */
/** @typedef {import("./transactions.mjs").Target} Target */
/** @typedef {import("./wallet.mjs").Receipt} Receipt */
/** @typedef {{address: string, symbol: string, decimals: number}} Token */
/**
 * Order of a payment: `account` is the hash of the account to pay for, `amount` counts base units of the token,
 * `confirmations` those after which the node credits the deposit.
 * @typedef {{account: bigint, token: Token, amount: bigint, deposit: string, confirmations: number}} Order
 */
/**
 * @typedef {{
 *   wallet: import("./wallet.mjs").Wallet, contract: import("./account-contract.mjs").AccountContract,
 *   transactions: import("./transactions.mjs").Transactions
 * }} Session
 */

const TOKEN = new ContractInterface(
  [
    "approve(address spender, uint256 amount)",
    "allowance(address owner, address spender) returns (uint256)",
    "balanceOf(address account) returns (uint256)",
    "decimals() returns (uint8)",
  ],
  [
    "ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  ],
);
const DEPOSIT = new ContractInterface(
  [
    "deposit(uint256 accountHash, address token, uint256 amount) returns (uint256 received)",
    "accountConfig() returns (address)",
    "acceptedTokens(address token) returns (bool)",
  ],
  [
    "AccountDoesNotExist(uint256 accountHash)",
    "NothingReceived()",
    "SafeERC20FailedOperation(address token)",
    "TokenNotAccepted(address token)",
    "ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  ],
);

/**
 * Returns base units of an amount that a person typed, for instance `12.5`; null for anything else, and for nothing.
 * @param {string} text
 * @param {number} decimals
 * @returns {bigint | null}
 */
export function baseUnits(text, decimals) {
  const found = /^([0-9]{1,30})(?:\.([0-9]*))?$/.exec(text.trim());
  const part = found?.[2] ?? "";
  if (!found || part.length > decimals) return null;
  return BigInt(found[1] + part.padEnd(decimals, "0")) || null;
}

/**
 * Returns an amount of base units in whole tokens, for instance `12.5 USDC`.
 * @param {bigint} amount
 * @param {Token} token
 * @returns {string}
 */
export function tokenAmount(amount, { decimals, symbol }) {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${whole}${part && `.${part}`} ${symbol}`;
}

/**
 * Pays tokens for an account's credit, and returns the deposit's receipt once it is in a block; the node credits it after
 * its confirmations. The deposit contract must be the one that `config`, the attested configuration, names, and belong to
 * the node's account contract. Throws WalletError.
 * @param {Session} session
 * @param {Order} order
 * @param {Record<string, any> | null} config
 * @returns {Promise<Receipt>}
 */
export async function payTokens({ wallet, contract, transactions }, order, config) {
  const token = tokenTarget(order, config, transactions);
  const deposit = depositTarget(order, config, contract, transactions);
  await wallet.require(transactions.chainId);
  await deposit.verify();
  const held = /** @type {bigint} */ (await transactions.read(token, "balanceOf", [wallet.address]));
  if (held < order.amount) {
    throw new WalletError("refused", `The wallet holds ${tokenAmount(held, order.token)}, which is less than ${tokenAmount(order.amount, order.token)}.`);
  }
  const allowed = /** @type {bigint} */ (await transactions.read(token, "allowance", [wallet.address, deposit.address]));
  if (allowed < order.amount) {
    // Some tokens refuse to change an allowance that is not zero.
    if (allowed > 0n) await transactions.send(token, "approve", [deposit.address, 0n]);
    await transactions.send(token, "approve", [deposit.address, order.amount]);
  }
  return transactions.send(deposit, "deposit", [order.account, token.address, order.amount], order.confirmations);
}

/**
 * @param {Order} order
 * @param {Record<string, any> | null} config
 * @param {import("./transactions.mjs").Transactions} transactions
 * @returns {Target}
 */
function tokenTarget({ token }, config, transactions) {
  const address = readAddress(token.address);
  /** @type {Target} */
  const target = {
    label: `the token ${token.symbol}`,
    address,
    contract: TOKEN,
    inWords: { amount: (value) => `exactly ${tokenAmount(/** @type {bigint} */ (value), token)}` },
    async verify() {
      /** @type {string[]} */
      const prices = config?.["settings"]?.["token_prices"] ?? [];
      const priced = prices.some((price) => sameAddress(price.split(":")[0] ?? "", address) && price.split(":")[2] === String(token.decimals));
      if (!priced) throw refused(`the node's attestation names no price for a token at ${address}`);
      if ((await transactions.read(target, "decimals", [])) !== BigInt(token.decimals)) throw refused("the token has other decimals on this chain");
      return "The node's attestation names this token and its decimals; the token's code is not compared.";
    },
  };
  return target;
}

/**
 * @param {Order} order
 * @param {Record<string, any> | null} config
 * @param {import("./account-contract.mjs").AccountContract} account
 * @param {import("./transactions.mjs").Transactions} transactions
 * @returns {Target}
 */
function depositTarget(order, config, account, transactions) {
  const address = readAddress(order.deposit);
  /** @type {Target} */
  const target = {
    label: "the deposit contract",
    address,
    contract: DEPOSIT,
    inWords: {
      amount: (value) => tokenAmount(/** @type {bigint} */ (value), order.token),
      token: (value) => `${order.token.symbol} at ${value}`,
      accountHash: (value) => u256Hex(/** @type {bigint} */ (value)),
    },
    async verify() {
      const attested = config?.["settings"]?.["token_deposit_contract"];
      if (!sameAddress(String(attested), address)) throw refused("the node's attestation names another deposit contract");
      await account.verify();
      const owner = await transactions.read(target, "accountConfig", []);
      if (owner !== account.address) throw refused("the deposit contract belongs to another account contract");
      if (!(await transactions.read(target, "acceptedTokens", [readAddress(order.token.address)]))) throw refused("the deposit contract does not accept this token");
      return "The node's attestation names this deposit contract, and it belongs to the node's account contract. Its own code is not compared.";
    },
  };
  return target;
}

/** @param {string} why */
function refused(why) {
  return new WalletError("refused", `Nothing was sent: ${why}.`);
}
