/**
 * Calls and refusals of the account contract in words.
 * @module
 */
import { u256Hex, ZERO_ADDRESS } from "./bytes.mjs";
import { dollars } from "./format.mjs";

/** @typedef {import("./abi.mjs").AbiValue} AbiValue */
/** @typedef {import("./abi.mjs").Entry} Entry */
/** @typedef {{label: string, value: string}} Line */
/** @typedef {(value: AbiValue) => string} Shown */

export const EVERY_GROUP = "every group, present and future";
export const EVERY_ACTION = "every action (wildcard)";
export const EVERY_WALLET = "every wallet except the master wallet (wildcard)";
const LATEST_DATE_S = 8_640_000_000_000n;

/** Titles of the writes of an account's administrator. */
const TITLES = new Map(
  Object.entries({
    newChainSecuredAccount: "Open a ChainSecured account",
    transferChainSecuredAccountOwnership: "Transfer the account to another wallet, for good",
    addAction: "Register an action by its hash",
    addActionWithCid: "Register an action",
    updateActionMetadata: "Rename an action",
    removeAction: "Remove an action, also from every group",
    addGroup: "Create a group",
    updateGroup: "Replace a group's name, actions and wallets",
    updateGroupMetadata: "Rename a group",
    removeGroup: "Remove a group",
    addActionToGroup: "Add an action to a group",
    removeActionFromGroup: "Remove an action from a group",
    addPkpToGroup: "Add a wallet to a group",
    removePkpFromGroup: "Remove a wallet from a group",
    registerWalletDerivation: "Register a wallet with the account",
    setUsageApiKey: "Attach a usage key to the account",
    updateUsageApiKey: "Replace everything a usage key may do",
    updateUsageApiKeyMetadata: "Rename a usage key",
    removeUsageApiKey: "Remove a usage key, for good",
    clearUsageApiKeys: "Remove every usage key of the account, for good",
    approve: "Allow the deposit contract to take tokens",
    deposit: "Pay tokens for the credit of an account",
  }),
);

/** @type {Shown} */
const plain = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
/** @type {Shown} */
const quoted = (value) => (value === "" ? "(empty)" : `“${value}”`);
/** @type {Shown} */
const hash = (value) => u256Hex(BigInt(/** @type {bigint} */ (value)));
/**
 * Names of an account's groups by id, of its actions by hash, and of its wallets by address.
 * @typedef {{groups: Map<string, string>, actions: Map<string, string>, wallets: Map<string, string>}} Names
 */

/**
 * Returns the words for parameters that stand for groups, actions and wallets of an account: each with its name, if it is
 * known, behind what is sent.
 * @param {Names} names read anew at each call
 */
export function wordsWithNames(names) {
  /** @type {(text: string, known: Map<string, string>) => string} */
  const withName = (text, known) => (known.get(text) ? `${text} “${known.get(text)}”` : text);
  /** @type {Shown} */
  const group = (value) => withName(String(value), names.groups);
  /** @type {Shown} */
  const action = (value) => (value === 0n ? EVERY_ACTION : withName(hash(value), names.actions));
  /** @type {Shown} */
  const wallet = (value) => (value === ZERO_ADDRESS ? EVERY_WALLET : withName(String(value), names.wallets));
  /** @type {Shown} */
  const groups = (value) => {
    const ids = /** @type {bigint[]} */ (value);
    if (!ids.length) return "no group";
    return ids.includes(0n) ? EVERY_GROUP : ids.map((id) => `group ${group(id)}`).join(", ");
  };
  return {
    groupId: group,
    action,
    actionHash: action,
    cidHashes: listed(action),
    pkpId: wallet,
    pkpIds: listed(wallet),
    manageIPFSIdsInGroups: groups,
    addPkpToGroups: groups,
    removePkpFromGroups: groups,
    executeInGroups: groups,
  };
}

/**
 * @param {Shown} each
 * @returns {Shown}
 */
function listed(each) {
  return (value) => {
    const items = /** @type {AbiValue[]} */ (value);
    return items.length ? items.map(each).join(", ") : "none";
  };
}

const NAMELESS = wordsWithNames({ groups: new Map(), actions: new Map(), wallets: new Map() });

/** @type {Readonly<Record<string, readonly [string, Shown]>>} */
const PARAMETERS = {
  accountHash: ["Account", hash],
  apiKeyHash: ["Account", hash],
  usageHash: ["Hash of the usage key", hash],
  groupId: ["Group", NAMELESS.groupId],
  action: ["Action", NAMELESS.action],
  actionHash: ["Action", NAMELESS.actionHash],
  cid: ["CID", plain],
  cidHashes: ["Actions", NAMELESS.cidHashes],
  pkpId: ["Wallet", NAMELESS.pkpId],
  pkpIds: ["Wallets", NAMELESS.pkpIds],
  derivationPath: ["Derivation path", hash],
  newAdminWalletAddress: ["New administrator", plain],
  name: ["Name", quoted],
  description: ["Description", quoted],
  expiration: ["Expires", expiryInWords],
  balance: ["May spend in its whole life", capInWords],
  createGroups: ["May create groups", plain],
  deleteGroups: ["May delete groups", plain],
  createPKPs: ["May create wallets", plain],
  manageIPFSIdsInGroups: ["May add and remove actions in", NAMELESS.manageIPFSIdsInGroups],
  addPkpToGroups: ["May add wallets to", NAMELESS.addPkpToGroups],
  removePkpFromGroups: ["May remove wallets from", NAMELESS.removePkpFromGroups],
  executeInGroups: ["May run the actions of", NAMELESS.executeInGroups],
  spender: ["Deposit contract", plain],
  token: ["Token", plain],
  amount: ["Amount", plain],
};

/**
 * Returns a call in words: a title, and a line for each argument.
 * @param {Entry} entry
 * @param {readonly AbiValue[]} values
 * @param {Readonly<Record<string, Shown>>} [ownWords] of parameters whose words depend on the contract
 * @returns {{title: string, lines: Line[]}}
 */
export function callInWords(entry, values, ownWords = {}) {
  const lines = entry.inputs.map(({ name = "" }, i) => {
    const [label, shown] = PARAMETERS[name] ?? [name, plain];
    return { label, value: (ownWords[name] ?? shown)(/** @type {AbiValue} */ (values[i])) };
  });
  // Of updateActionMetadata: a group is asked for by older tools alone, and 0 names none.
  return { title: TITLES.get(entry.name) ?? entry.name, lines: lines.filter((line) => line.label !== "Group" || line.value !== "0") };
}

/**
 * Returns an expiry (unix seconds, 0: never) in words.
 * @param {AbiValue} value
 * @returns {string}
 */
export function expiryInWords(value) {
  const seconds = BigInt(/** @type {bigint} */ (value));
  if (seconds === 0n) return "never";
  if (seconds > LATEST_DATE_S) return "never (after the year 275,760)";
  return new Date(Number(seconds) * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC");
}

/**
 * Returns a usage key's cap (cents, 0: none) in words.
 * @param {AbiValue} value
 * @returns {string}
 */
export function capInWords(value) {
  const cents = BigInt(/** @type {bigint} */ (value));
  return cents === 0n ? "without a limit of its own" : dollars(Number(cents));
}

const NO_GRANT = "The usage key lacks this permission.";
/** @type {Readonly<Record<string, string | ((values: Record<string, AbiValue>) => string)>>} */
const REFUSALS = {
  AccountAlreadyExists: "It exists already, or existed and cannot be used again: this wallet, action, key or account is taken.",
  AccountDoesNotExist: "The contract has no such account. Open it first.",
  ActionDoesNotExist: "The account, or the group, has no such action. It may have been removed meanwhile.",
  GroupDoesNotExist: (values) => `The account has no group ${values["groupId"]}. It may have been removed meanwhile.`,
  GroupLimitReached: (values) => `The account has ${values["limit"]} groups, which is the most it may have. Remove one first.`,
  InvalidRequest: (values) => `The contract refuses this: ${bounded(values["reason"])}.`,
  NoAccountAccess: (values) => `The wallet ${values["sender"]} is not the administrator of this account.`,
  NotAllowedToAddPkpToGroup: NO_GRANT,
  NotAllowedToCreateGroup: NO_GRANT,
  NotAllowedToCreatePkp: NO_GRANT,
  NotAllowedToDeleteGroup: NO_GRANT,
  NotAllowedToManageIPFSIdsInGroup: NO_GRANT,
  NotAllowedToRemovePkpFromGroup: NO_GRANT,
  NotMasterAccount: "This needs the account's administrator, not a usage key.",
  PkpDoesNotExist: "The account, or the group, has no such wallet. It may have been removed meanwhile.",
  UsageApiKeyDoesNotExist: "The account has no such usage key. It may have been removed meanwhile.",
  UsageApiKeyExpired: "The usage key has expired.",
  TokenNotAccepted: "The deposit contract does not accept this token.",
  NothingReceived: "The deposit contract received no tokens.",
  SafeERC20FailedOperation: "The token refused the transfer: the wallet holds too little of it, or its allowance is too small.",
  ERC20InsufficientBalance: "The wallet holds too little of this token.",
  ERC20InsufficientAllowance: "The allowance for the deposit contract is too small.",
  Error: (values) => `The contract refuses this: ${bounded(values["reason"])}`,
  Panic: "The contract stopped with an internal error. Please report this.",
};

/**
 * Returns a refusal in words.
 * @param {import("./contract.mjs").Revert} revert
 * @returns {string}
 */
export function refusalInWords(revert) {
  const words = Object.hasOwn(REFUSALS, revert.name) ? REFUSALS[revert.name] : undefined;
  if (typeof words === "function") return words(revert.arguments);
  if (words !== undefined) return words;
  if (revert.name) return `The contract refuses this: ${revert.name}.`;
  return revert.data.length > 2 ? `The contract refuses this with an unknown error (${revert.data.slice(0, 10)}).` : "The contract refuses this, without a reason.";
}

/**
 * @param {AbiValue | undefined} text
 * @returns {string}
 */
function bounded(text) {
  return String(text).slice(0, 200);
}
