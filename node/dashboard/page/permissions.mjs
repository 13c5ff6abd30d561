/**
 * Decision on what a usage key may do, computed from lists as the node and its contract decide it (docs/api.md, Permissions).
 * Pure. A test compares it with the node's own rules on generated accounts.
 */

import { EVERY_ACTION, EVERY_GROUP, EVERY_WALLET, MASTER_WALLET, groupName } from "./account.mjs";
import { counted, dollars, timeText } from "./format.mjs";

/** @typedef {import("./account.mjs").Group} Group */
/** @typedef {import("./account.mjs").Wallet} Wallet */
/** @typedef {import("./account.mjs").KeyGrants} KeyGrants */

/**
 * `group`: of an allowed call the group that permits it, EVERY_GROUP for the grant of every group; of a refused call the group
 * whose grant would permit it, null for none.
 * @typedef {object} Decision
 * @property {boolean} allowed
 * @property {"execute_in_groups" | "wallet_in_group" | null} missing
 * @property {string | null} group
 */

/** Action that no list names: any other code. */
export const OTHER_CODE = "other";

/**
 * Returns whether a key that has not expired may run an action, and use a wallet in it if one is named.
 * @param {KeyGrants} key
 * @param {string} action hash, or OTHER_CODE
 * @param {string | null} wallet address
 * @param {{groups: readonly Group[], wallets: readonly Wallet[]}} account
 * @returns {Decision}
 */
export function decide(key, action, wallet, { groups, wallets }) {
  const sorted = [...groups].sort(byId);
  const named = wallet === null ? null : wallets.find((each) => each.address === wallet);
  const listing = sorted.filter((group) => listsAction(group, action));
  const granted = listing.filter((group) => isListed(key.executeIn, group.id));
  const usable = (/** @type {readonly Group[]} */ among) => (named ? among.find((group) => listsWallet(group, named)) : undefined);
  if (!key.executeIn.includes(EVERY_GROUP) && granted.length === 0) {
    const others = [...key.manageActionsIn, ...key.addWalletsIn, ...key.removeWalletsFrom];
    const known = listing.filter((group) => isListed(others, group.id));
    return { allowed: false, missing: "execute_in_groups", group: (usable(known) ?? known[0])?.id ?? null };
  }
  if (wallet === null) {
    const group = key.executeIn.includes(EVERY_GROUP) ? EVERY_GROUP : (granted[0]?.id ?? null);
    return { allowed: true, missing: null, group };
  }
  const using = usable(granted);
  if (using !== undefined) return { allowed: true, missing: null, group: using.id };
  return { allowed: false, missing: "wallet_in_group", group: granted[0]?.id ?? null };
}

/**
 * @param {readonly string[]} list of group ids
 * @param {string} id
 */
function isListed(list, id) {
  return list.includes(EVERY_GROUP) || list.includes(id);
}

/** @param {Group} group @param {string} action */
function listsAction(group, action) {
  return group.actions.includes(action) || group.actions.includes(EVERY_ACTION);
}

/** @param {Group} group @param {Wallet} wallet */
function listsWallet(group, wallet) {
  if (group.wallets.includes(wallet.address)) return true;
  // The wildcard never means the master wallet, which a group must list itself.
  return group.wallets.includes(EVERY_WALLET) && wallet.id !== MASTER_WALLET;
}

/** @param {Group} one @param {Group} other */
function byId(one, other) {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}

/**
 * Returns a decision in words.
 * @param {Decision} decision
 * @param {readonly Group[]} groups
 */
export function decisionText({ allowed, missing, group }, groups) {
  const name = group === null ? null : groupName(group, groups);
  if (allowed) {
    return group === EVERY_GROUP ? "Allowed: the key may run any code." : `Allowed through the group ${name}.`;
  }
  if (missing === "execute_in_groups") {
    const advice = name === null ? "Let the key run a group that lists it." : `The group ${name} lists it: let the key run that group.`;
    return `Refused: no group that the key runs lists this action. ${advice}`;
  }
  const advice = name === null ? "Make a group of both, and let the key run it." : `Add the wallet to the group ${name}.`;
  return `Refused: no group that the key runs lists this action and this wallet together. ${advice}`;
}

/**
 * Returns whether a key has expired by a clock in unix seconds; the first moment of its expiration counts as expired.
 * @param {KeyGrants} key
 * @param {number} now
 */
export function isExpired(key, now) {
  return key.expires > 0 && key.expires <= now;
}

/**
 * Returns what a key may do as short phrases, wildcards spelled out.
 * @param {KeyGrants} key
 * @param {readonly Group[]} groups
 * @returns {string[]}
 */
export function grantPhrases(key, groups) {
  const phrases = [
    listPhrase("run actions of", key.executeIn, groups, "run any code, with the wallets of any group that lists both"),
    listPhrase("change the actions of", key.manageActionsIn, groups),
    listPhrase("add wallets to", key.addWalletsIn, groups),
    listPhrase("remove wallets from", key.removeWalletsFrom, groups),
    key.createWallets ? "create wallets" : null,
    key.createGroups ? "create groups" : null,
    key.deleteGroups ? "remove groups" : null,
  ].filter((phrase) => phrase !== null);
  return phrases.length === 0 ? ["nothing"] : phrases;
}

/**
 * @param {string} verb
 * @param {readonly string[]} ids
 * @param {readonly Group[]} groups
 * @param {string} [every] phrase for all groups
 */
function listPhrase(verb, ids, groups, every = `${verb} ${groupName(EVERY_GROUP, groups)}`) {
  if (ids.includes(EVERY_GROUP)) return every;
  if (ids.length === 0) return null;
  const names = ids.slice(0, 3).map((id) => groupName(id, groups));
  const rest = ids.length > 3 ? ` and ${counted(ids.length - 3, "other group")}` : "";
  return `${verb} ${names.join(", ")}${rest}`;
}

/**
 * Returns expiry and cap of a key in words.
 * @param {KeyGrants} key
 * @param {number} now unix seconds
 */
export function limitPhrases(key, now) {
  const expiry = key.expires === 0 ? "never expires" : `${isExpired(key, now) ? "expired" : "expires"} ${timeText(key.expires)}`;
  return [expiry, key.capCents === 0 ? "no cap" : `cap ${dollars(key.capCents)}`];
}
