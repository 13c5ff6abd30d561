/** Account that is administered with an API key. */

import { EXPIRES_AHEAD_MAX_S, LIST_MAX } from "./account.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").KeyGrants} KeyGrants */

/**
 * Account of the key that a client sends.
 * @implements {Account}
 */
export class ApiAccount {
  kind = /** @type {const} */ ("api");

  #client;

  /** @param {import("./svc-client.mjs").SvcClient} client */
  constructor(client) {
    this.#client = client;
  }

  async describe() {
    const wallets = await this.listWallets();
    return { hash: null, address: wallets.find((wallet) => wallet.id === "0")?.address ?? null };
  }

  async listWallets() {
    const wallets = await taken(this.#client.wallets.list());
    return wallets.map((each) => ({
      id: each.id,
      address: each.wallet_address,
      name: each.name,
      description: each.description,
    }));
  }

  /** @param {{name: string, description: string}} names */
  async createWallet({ name, description }) {
    const made = await this.#client.wallets.create(name, description);
    return { address: made.wallet_address };
  }

  async listGroups() {
    const groups = await taken(this.#client.groups.list());
    return groups.map((each) => ({
      id: each.id,
      name: each.name,
      description: each.description,
      actions: [...each.cid_hashes_permitted],
      wallets: [...each.pkp_ids_permitted],
    }));
  }

  /** @param {import("./account.mjs").GroupContents} contents */
  async createGroup({ name, description, actions, wallets }) {
    const made = await this.#client.groups.create(name, description, { actionHashes: actions, wallets });
    return { id: made.id };
  }

  /** @param {string} id @param {import("./account.mjs").GroupContents} contents */
  updateGroup(id, { name, description, actions, wallets }) {
    return this.#client.groups.update(id, name, description, wallets, actions);
  }

  /** @param {string} id */
  removeGroup(id) {
    return this.#client.groups.remove(id);
  }

  /** @param {string} id @param {{hash: string, cid: string | null}} action */
  addActionToGroup(id, { cid }) {
    if (cid === null) throw new Error("Only the hash of this action is known, and the node adds actions by their CID.");
    return this.#client.groups.addAction(id, cid);
  }

  /** @param {string} id @param {string} actionHash */
  removeActionFromGroup(id, actionHash) {
    return this.#client.groups.removeAction(id, actionHash);
  }

  /** @param {string} id @param {string} address */
  addWalletToGroup(id, address) {
    return this.#client.groups.addWallet(id, address);
  }

  /** @param {string} id @param {string} address */
  removeWalletFromGroup(id, address) {
    return this.#client.groups.removeWallet(id, address);
  }

  async listActions() {
    const actions = await taken(this.#client.actions.list());
    return actions.map((each) => ({
      hash: each.hashed_cid,
      cid: each.action_ipfs_cid,
      name: each.name,
      description: each.description,
    }));
  }

  /** @param {{cid: string, name: string, description: string}} action */
  addAction({ cid, name, description }) {
    return this.#client.actions.register(cid, name, description);
  }

  /** @param {string} hash @param {{name: string, description: string}} names */
  updateAction(hash, { name, description }) {
    return this.#client.actions.rename(hash, name, description);
  }

  /** @param {string} hash */
  removeAction(hash) {
    return this.#client.actions.delete(hash);
  }

  async listUsageKeys() {
    const keys = await taken(this.#client.usageKeys.list());
    return keys.map((each) => ({
      hash: each.api_key_hash,
      name: each.name,
      description: each.description,
      expires: Number(each.expiration),
      capCents: each.balance,
      createGroups: each.can_create_groups,
      deleteGroups: each.can_delete_groups,
      createWallets: each.can_create_pkps,
      manageActionsIn: [...each.can_manage_ipfs_ids_in_groups],
      addWalletsIn: [...each.can_add_pkp_to_groups],
      removeWalletsFrom: [...each.can_remove_pkp_from_groups],
      executeIn: [...each.can_execute_in_groups],
    }));
  }

  /** @param {KeyGrants} grants */
  async createUsageKey(grants) {
    const made = await this.#client.usageKeys.create(grants.name, rights(grants), texts(grants));
    return { key: made.usage_api_key, hash: null, walletAddress: null };
  }

  /** @param {string} hash @param {KeyGrants} grants */
  updateUsageKey(hash, grants) {
    return this.#client.usageKeys.update(hash, grants.name, rights(grants), texts(grants));
  }

  /** @param {string} hash */
  removeUsageKey(hash) {
    return this.#client.usageKeys.remove(hash);
  }

  async balance() {
    const balance = await this.#client.billing.balance();
    return { creditCents: balance.credit_cents, reservedCents: balance.reserved_cents };
  }

  /** @param {import("./account.mjs").Period} period */
  async usage(period) {
    const charges = await taken(this.#client.billing.usage(period));
    return charges.map((each) => ({
      time: each.time,
      service: each.service,
      chargedCents: each.charged_cents,
      keyHash: each.api_key_hash,
      cid: each.action_ipfs_cid,
      operation: each.operation,
      durationMs: each.duration_ms,
      requestId: each.request_id,
    }));
  }

  /** @param {import("./account.mjs").Period} period */
  usageCsv(period) {
    return this.#client.billing.usageCsv(period);
  }
}

/**
 * Returns the grants of a request. An expiration that the node would refuse as too far ahead is left out: the node then keeps it.
 * @param {KeyGrants} grants
 */
function rights({ createGroups, deleteGroups, createWallets, manageActionsIn, addWalletsIn, removeWalletsFrom, expires, capCents }) {
  const expiration = expires <= Date.now() / 1000 + EXPIRES_AHEAD_MAX_S ? { expires } : {};
  return { createGroups, deleteGroups, createWallets, manageActionsIn, addWalletsIn, removeWalletsIn: removeWalletsFrom, capCents, ...expiration };
}

/** @param {KeyGrants} grants */
function texts({ executeIn, description }) {
  return { executeIn, description };
}

/**
 * Reads a list to its end or to LIST_MAX.
 * @template T
 * @param {AsyncIterable<T>} items
 * @returns {Promise<T[]>}
 */
async function taken(items) {
  /** @type {T[]} */
  const list = [];
  for await (const item of items) {
    if (list.length === LIST_MAX) break;
    list.push(item);
  }
  return list;
}
