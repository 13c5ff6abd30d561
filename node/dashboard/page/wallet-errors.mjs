/**
 * Errors of a wallet and of the chain behind it, in words.
 * @module
 */

/**
 * Fault of a wallet. `declined`: its owner said no. `account`, `chain`: it shows another account or chain. `silent`: no
 * answer. `unknown`: it was asked to send, and does not say whether it did. `refused`: anything else that it or its provider says.
 */
export class WalletError extends Error {
  name = "WalletError";

  /**
   * @param {"declined" | "account" | "chain" | "silent" | "unknown" | "refused"} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** Call that the contract refused; `data` is the revert data, 0x hex. */
export class CallReverted extends Error {
  name = "CallReverted";

  /** @param {string} data */
  constructor(data) {
    super("The contract refuses the call.");
    this.data = data;
  }
}

const DECLINED = 4001;
const UNAUTHORIZED = 4100;
const UNSUPPORTED = 4200;
const DISCONNECTED = [4900, 4901];
export const UNKNOWN_CHAIN = 4902;
const REVERT_DATA = /^0x(?:[0-9a-f]{2})*$/i;
const DATA_MAX_DIGITS = 20_000;
const NESTED_AT_MOST = 4;

/**
 * Returns the error for what a wallet's provider threw (EIP-1193, and the shapes in which wallets hand on a revert).
 * @param {unknown} thrown
 * @returns {WalletError | CallReverted}
 */
export function walletFault(thrown) {
  if (thrown instanceof WalletError || thrown instanceof CallReverted) return thrown;
  const code = codeOf(thrown);
  const message = String(member(thrown, "message") ?? "").slice(0, 200);
  if (code === DECLINED) return new WalletError("declined", "You declined in the wallet. Nothing was sent or signed.");
  if (code === UNAUTHORIZED) return new WalletError("account", "The wallet does not allow this site to use the account. Connect it again.");
  if (code === UNSUPPORTED) return new WalletError("refused", "The wallet does not support this request. Use another wallet.");
  if (typeof code === "number" && DISCONNECTED.includes(code)) return new WalletError("silent", "The wallet is not connected to the chain.");
  const data = revertData(thrown, NESTED_AT_MOST);
  if (data !== null || /revert/i.test(message)) return new CallReverted(data ?? "0x");
  return new WalletError("refused", message ? `The wallet answers: ${message}` : "The wallet refuses the request without a reason.");
}

/**
 * Returns the code of an error of EIP-1193, null where it has none.
 * @param {unknown} thrown
 * @returns {unknown}
 */
export function codeOf(thrown) {
  return member(thrown, "code") ?? null;
}

/**
 * @param {unknown} thrown
 * @param {number} depth
 * @returns {string | null}
 */
function revertData(thrown, depth) {
  const data = member(thrown, "data");
  if (typeof data === "string" && data.length <= DATA_MAX_DIGITS && REVERT_DATA.test(data)) return data;
  if (depth === 0) return null;
  for (const name of ["data", "error", "cause", "originalError", "info"]) {
    const inner = member(thrown, name);
    const found = typeof inner === "object" ? revertData(inner, depth - 1) : null;
    if (found !== null) return found;
  }
  return null;
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function member(value, name) {
  return typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value)[name] : undefined;
}
