/** Interface of an account to the pages, and the values that mean "all of them". */

/** In a usage key's list of groups: every group, present and future. */
export const EVERY_GROUP = "0";

/** In a group's actions: any action. */
export const EVERY_ACTION = `0x${"0".repeat(64)}`;

/** In a group's wallets: any wallet of the account but the master wallet. */
export const EVERY_WALLET = `0x${"0".repeat(40)}`;

/** Number of the account's master wallet, which the wallet wildcard never means. */
export const MASTER_WALLET = "0";

/** Most entries of a list that are read; the pages say so when there are more. */
export const LIST_MAX = 2_000;

/** Longest time, in seconds, after which a usage key may expire: a hundred years. */
export const EXPIRES_AHEAD_MAX_S = 100 * 31_556_952;

/** Most bytes of UTF-8 in a name. */
export const NAME_BYTES = 256;

/** Most bytes of UTF-8 in a description. */
export const DESCRIPTION_BYTES = 2_048;

/** @typedef {{id: string, address: string, name: string, description: string}} Wallet */
/** @typedef {{hash: string, cid: string | null, name: string, description: string}} Action */
/** @typedef {{name: string, description: string, actions: string[], wallets: string[]}} GroupContents actions by hash, wallets by address */
/** @typedef {GroupContents & {id: string}} Group */

/**
 * Grants of a usage key. Lists hold group ids, `EVERY_GROUP` among them for all. `expires`: unix seconds, 0 for never;
 * `capCents`: lifetime cap, 0 for none.
 * @typedef {object} KeyGrants
 * @property {string} name
 * @property {string} description
 * @property {number} expires
 * @property {number} capCents
 * @property {boolean} createGroups
 * @property {boolean} deleteGroups
 * @property {boolean} createWallets
 * @property {string[]} manageActionsIn
 * @property {string[]} addWalletsIn
 * @property {string[]} removeWalletsFrom
 * @property {string[]} executeIn
 */

/** @typedef {KeyGrants & {hash: string}} UsageKey */
/** @typedef {{key: string, hash: string | null, walletAddress: string | null}} NewKey */
/** @typedef {{creditCents: number, reservedCents: number}} Balance */
/** @typedef {{time: string, service: string, chargedCents: number, keyHash: string | null, cid: string | null, operation: string | null, durationMs: number | null, requestId: string | null}} Charge */
/** @typedef {{from?: string, to?: string}} Period RFC 3339 or unix seconds; `to` is not included */

/**
 * @typedef {object} Account
 * @property {"api" | "chain"} kind
 * @property {() => Promise<{hash: string | null, address: string | null}>} describe
 * @property {() => Promise<Wallet[]>} listWallets
 * @property {(names: {name: string, description: string}) => Promise<{address: string}>} createWallet
 * @property {() => Promise<Group[]>} listGroups
 * @property {(contents: GroupContents) => Promise<{id: string}>} createGroup
 * @property {(id: string, contents: GroupContents) => Promise<unknown>} updateGroup
 * @property {(id: string) => Promise<unknown>} removeGroup
 * @property {(id: string, action: {hash: string, cid: string | null}) => Promise<unknown>} addActionToGroup
 * @property {(id: string, actionHash: string) => Promise<unknown>} removeActionFromGroup
 * @property {(id: string, address: string) => Promise<unknown>} addWalletToGroup
 * @property {(id: string, address: string) => Promise<unknown>} removeWalletFromGroup
 * @property {() => Promise<Action[]>} listActions
 * @property {(action: {cid: string, name: string, description: string}) => Promise<unknown>} addAction
 * @property {(hash: string, names: {name: string, description: string}) => Promise<unknown>} updateAction
 * @property {(hash: string) => Promise<unknown>} removeAction
 * @property {() => Promise<UsageKey[]>} listUsageKeys
 * @property {(grants: KeyGrants) => Promise<NewKey>} createUsageKey
 * @property {(hash: string, grants: KeyGrants) => Promise<unknown>} updateUsageKey
 * @property {(hash: string) => Promise<unknown>} removeUsageKey
 * @property {() => Promise<Balance>} balance
 * @property {(period: Period) => Promise<Charge[]>} usage newest last
 * @property {(period: Period) => Promise<string>} usageCsv
 * @property {(newAdmin: string, wallet: import("./app.mjs").SigningWallet) => Promise<unknown>} [convert]
 * @property {(newAdmin: string) => Promise<unknown>} [transfer]
 */

/**
 * Name of a group in words.
 * @param {string} id
 * @param {readonly Group[]} groups
 */
export function groupName(id, groups) {
  if (id === EVERY_GROUP) return "every group, present and future";
  const group = groups.find((each) => each.id === id);
  if (group === undefined) return `group ${id} (removed)`;
  return group.name === "" ? `group ${id}` : group.name;
}

/**
 * Name of an action in words.
 * @param {string} hash
 * @param {readonly Action[]} actions
 */
export function actionName(hash, actions) {
  if (hash === EVERY_ACTION) return "any action";
  const action = actions.find((each) => each.hash === hash);
  if (action === undefined) return `unregistered action ${hash.slice(0, 10)}…`;
  return action.name === "" ? (action.cid ?? hash).slice(0, 12) : action.name;
}

/**
 * Name of a wallet in words.
 * @param {string} address
 * @param {readonly Wallet[]} wallets
 */
export function walletName(address, wallets) {
  if (address === EVERY_WALLET) return "every wallet but the master wallet";
  const wallet = wallets.find((each) => each.address === address);
  if (wallet === undefined) return `${address.slice(0, 10)}… (not a wallet of this account)`;
  if (wallet.name !== "") return wallet.name;
  return wallet.id === MASTER_WALLET ? "master wallet" : `wallet ${wallet.id} (${address.slice(0, 8)}…)`;
}
