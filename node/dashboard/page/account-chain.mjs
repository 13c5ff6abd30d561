/** Account that its owner's wallet administers: read from the contract, written by transactions of the wallet. */

import { LIST_MAX } from "./account.mjs";
import { ApiAccount } from "./account-api.mjs";
import { hashOfText, hashOfWallet, keccak, readAddress, toHex, u256Hex, utf8 } from "./bytes.mjs";
import { wordsWithNames } from "./contract-words.mjs";
import { SIGNATURE_LIFETIME_S, typedData } from "./typed-data.mjs";
import { WalletError } from "./wallet.mjs";

/** @typedef {import("./account.mjs").KeyGrants} KeyGrants */
/** @typedef {import("./account.mjs").GroupContents} GroupContents */
/** @typedef {import("./abi.mjs").AbiValue} AbiValue */
/** @typedef {import("./typed-data.mjs").Purpose} Purpose */
/** @typedef {{name: string, description: string}} Names */
/** @typedef {{[name: string]: any}} Shown struct of a view, by field name */

const PAGE_SIZE = 100;
/** Seconds before its end at which a signature is renewed: clocks differ, and a request takes its time. */
const RENEWED_BEFORE_S = 60;
const GROUP_ADDED = keccak(utf8("GroupAdded(uint256,uint256)"));

/**
 * Returns a function that lets the wallet sign for the billing endpoints, and gives the same signature again while the
 * node accepts it. It is kept in memory alone.
 * @param {import("./wallet.mjs").Wallet} wallet
 * @param {number} chainId
 * @param {() => number} [now] milliseconds
 */
export function billingAuth(wallet, chainId, now = Date.now) {
  /** @type {Promise<{typed_data: any, signature: string}> | null} */
  let signed = null;
  let renewAt = 0;
  return () => {
    if (signed === null || now() >= renewAt) {
      renewAt = now() + (SIGNATURE_LIFETIME_S - RENEWED_BEFORE_S) * 1000;
      // One question at a time: pages ask for the balance and the charges together.
      signed = sign(wallet, chainId, "BillingAuth", now).catch((error) => {
        signed = null;
        throw error;
      });
    }
    return signed;
  };
}

/**
 * Lets the wallet sign for one purpose.
 * @param {import("./wallet.mjs").Wallet} wallet
 * @param {number} chainId
 * @param {Purpose} purpose
 * @param {() => number} [now] milliseconds
 */
export async function sign(wallet, chainId, purpose, now = Date.now) {
  const object = typedData(purpose, wallet.address, chainId, Math.floor(now() / 1000));
  return { typed_data: object, signature: await wallet.sign(object) };
}

/**
 * ChainSecured account of a wallet.
 * @implements {Account}
 */
export class ChainAccount {
  kind = /** @type {const} */ ("chain");

  #session;
  #client;
  #billing;
  /** Names of what was listed last, for previews of transactions. */
  #names = { groups: new Map(), actions: new Map(), wallets: new Map() };

  /**
   * @param {{wallet: import("./wallet.mjs").Wallet, contract: import("./account-contract.mjs").AccountContract,
   *   transactions: import("./transactions.mjs").Transactions}} session
   * @param {import("./svc-client.mjs").SvcClient} client whose `walletAuth` is that of `billingAuth`
   * @param {bigint} master hash of the account, from `masterOf`
   */
  constructor(session, client, master) {
    this.#session = session;
    this.#client = client;
    this.#billing = new ApiAccount(client);
    this.master = master;
    session.contract.inWords = wordsWithNames(this.#names);
  }

  /** Returns the account's hash and the admin wallet's address. */
  async describe() {
    return { hash: u256Hex(this.master), address: this.#session.wallet.address };
  }

  async listWallets() {
    const found = await this.#list("listPkps");
    for (const each of found) this.#names.wallets.set(each["pkpId"], each["name"]);
    return found.map((each) => ({ id: String(each["id"]), address: each["pkpId"], name: each["name"], description: each["description"] }));
  }

  /**
   * Lets the node mint a wallet for this account, and registers it.
   * @param {Names} names
   */
  async createWallet({ name, description }) {
    const signed = await this.#sign("CreateWallet");
    const minted = await this.#client.wallets.mintWithSignature(signed.typed_data, signed.signature);
    await this.#register(minted, name, description);
    return { address: minted.wallet_address };
  }

  async listGroups() {
    const found = await this.#list("listGroups");
    for (const each of found) this.#names.groups.set(String(each["id"]), each["name"]);
    return found.map((each) => ({
      id: String(each["id"]),
      name: each["name"],
      description: each["description"],
      actions: each["cidHashes"].map(u256Hex),
      wallets: each["pkpIds"],
    }));
  }

  /** @param {GroupContents} contents */
  async createGroup(contents) {
    const receipt = await this.#write("addGroup", ...groupValues(contents));
    const { address } = this.#session.contract;
    const added = receipt.logs.find((log) => log.address.toLowerCase() === address.toLowerCase() && log.topics[0] === GROUP_ADDED);
    if (added?.topics[2] === undefined) throw new WalletError("refused", "The group was made, and its number cannot be read. Look at the list of groups.");
    return { id: String(BigInt(added.topics[2])) };
  }

  /** @param {string} id @param {GroupContents} contents */
  updateGroup(id, contents) {
    return this.#write("updateGroup", BigInt(id), ...groupValues(contents));
  }

  /** @param {string} id */
  removeGroup(id) {
    return this.#write("removeGroup", BigInt(id));
  }

  /** @param {string} id @param {{hash: string}} action */
  addActionToGroup(id, { hash }) {
    return this.#write("addActionToGroup", BigInt(id), BigInt(hash));
  }

  /** @param {string} id @param {string} actionHash */
  removeActionFromGroup(id, actionHash) {
    return this.#write("removeActionFromGroup", BigInt(id), BigInt(actionHash));
  }

  /** @param {string} id @param {string} address */
  addWalletToGroup(id, address) {
    return this.#write("addPkpToGroup", BigInt(id), readAddress(address));
  }

  /** @param {string} id @param {string} address */
  removeWalletFromGroup(id, address) {
    return this.#write("removePkpFromGroup", BigInt(id), readAddress(address));
  }

  async listActions() {
    const found = await this.#list("listActions");
    for (const each of found) this.#names.actions.set(u256Hex(each["actionHash"]), each["name"]);
    return found.map((each) => ({ hash: u256Hex(each["actionHash"]), cid: each["cid"] || null, name: each["name"], description: each["description"] }));
  }

  /** @param {{cid: string} & Names} action */
  addAction({ cid, name, description }) {
    return this.#write("addActionWithCid", name, description, cid);
  }

  /** @param {string} hash @param {Names} names */
  updateAction(hash, { name, description }) {
    // A group is named by older tools alone; names belong to the account.
    return this.#write("updateActionMetadata", BigInt(hash), 0n, name, description);
  }

  /** @param {string} hash */
  removeAction(hash) {
    return this.#write("removeAction", BigInt(hash));
  }

  async listUsageKeys() {
    const found = await this.#list("listApiKeys");
    return found.map((each) => ({
      hash: u256Hex(each["apiKeyHash"]),
      name: each["name"],
      description: each["description"],
      expires: safeNumber(each["expiration"]),
      capCents: safeNumber(each["balance"]),
      createGroups: each["createGroups"],
      deleteGroups: each["deleteGroups"],
      createWallets: each["createPKPs"],
      manageActionsIn: each["manageIPFSIdsInGroups"].map(String),
      addWalletsIn: each["addPkpToGroups"].map(String),
      removeWalletsFrom: each["removePkpFromGroups"].map(String),
      executeIn: each["executeInGroups"].map(String),
    }));
  }

  /**
   * Lets the node mint a usage key and its wallet, registers the wallet, and attaches the key with its grants.
   * @param {KeyGrants} grants
   */
  async createUsageKey(grants) {
    const { transactions, contract } = this.#session;
    // Before the node is asked for a key: what the contract refuses of any key, it will refuse of the one that is minted.
    const anyHash = BigInt(toHex(crypto.getRandomValues(new Uint8Array(32))));
    await transactions.simulate(contract, "setUsageApiKey", [this.master, anyHash, ...grantValues(grants)]);
    const signed = await this.#sign("AddUsageApiKey");
    const minted = await this.#client.usageKeys.mintWithSignature(signed.typed_data, signed.signature);
    const hash = hashOfText(minted.usage_api_key);
    await this.#register(minted, grants.name, "wallet of a usage key");
    await this.#write("setUsageApiKey", BigInt(hash), ...grantValues(grants));
    return { key: minted.usage_api_key, hash, walletAddress: minted.wallet_address };
  }

  /** @param {string} hash @param {KeyGrants} grants */
  updateUsageKey(hash, grants) {
    return this.#write("updateUsageApiKey", BigInt(hash), ...grantValues(grants));
  }

  /** @param {string} hash */
  removeUsageKey(hash) {
    return this.#write("removeUsageApiKey", BigInt(hash));
  }

  /** Removes every usage key of the account. */
  clearUsageKeys() {
    return this.#write("clearUsageApiKeys");
  }

  /**
   * Makes another wallet the administrator, for good. This wallet administers nothing from then on.
   * @param {string} newAdmin
   */
  transfer(newAdmin) {
    return this.#write("transferChainSecuredAccountOwnership", readAddress(newAdmin));
  }

  balance() {
    return this.#billing.balance();
  }

  /** @param {import("./account.mjs").Period} period */
  usage(period) {
    return this.#billing.usage(period);
  }

  /** @param {import("./account.mjs").Period} period */
  usageCsv(period) {
    return this.#billing.usageCsv(period);
  }

  /** @param {Purpose} purpose */
  #sign(purpose) {
    return sign(this.#session.wallet, this.#session.contract.chainId, purpose);
  }

  /**
   * @param {{wallet_address: string, derivation_path: string}} minted
   * @param {string} name
   * @param {string} description
   */
  #register({ wallet_address, derivation_path }, name, description) {
    return this.#write("registerWalletDerivation", readAddress(wallet_address), BigInt(derivation_path), name, description);
  }

  /**
   * @param {string} name
   * @param {...AbiValue} values those behind the account's hash
   */
  #write(name, ...values) {
    return this.#session.transactions.send(this.#session.contract, name, [this.master, ...values]);
  }

  /**
   * Reads a list to its end or to LIST_MAX.
   * @param {string} name
   * @returns {Promise<Shown[]>}
   */
  async #list(name) {
    /** @type {Shown[]} */
    const all = [];
    for (let page = 0n; all.length < LIST_MAX; page++) {
      const read = await this.#session.transactions.read(this.#session.contract, name, [this.master, page, BigInt(PAGE_SIZE)]);
      const [items, total] = /** @type {[Shown[], bigint]} */ (read);
      all.push(...items);
      if (!items.length || BigInt(all.length) >= total) break;
    }
    return all.slice(0, LIST_MAX);
  }
}

/** @typedef {import("./account.mjs").Account} Account */

/**
 * Returns the hash of the account that the wallet administers now, null if there is none.
 * @param {{wallet: import("./wallet.mjs").Wallet, contract: import("./account-contract.mjs").AccountContract,
 *   transactions: import("./transactions.mjs").Transactions}} session
 * @returns {Promise<bigint | null>}
 */
export async function masterOf({ wallet, contract, transactions }) {
  const master = /** @type {bigint} */ (await transactions.read(contract, "masterOfWallet", [wallet.address]));
  if (master === 0n) return null;
  const shown = /** @type {Shown} */ (await transactions.read(contract, "getAccount", [master]));
  // A former admin's address still finds the account, and the payer's address of a managed account may be anybody's.
  return !shown["managed"] && shown["adminWallet"] === wallet.address ? master : null;
}

/**
 * Returns the hash of the account that a wallet opens.
 * @param {import("./wallet.mjs").Wallet} wallet
 * @returns {bigint}
 */
export function ownHash(wallet) {
  return BigInt(hashOfWallet(wallet.address));
}

/**
 * @param {GroupContents} contents
 * @returns {AbiValue[]}
 */
function groupValues({ name, description, actions, wallets }) {
  return [name, description, actions.map(BigInt), wallets.map(readAddress)];
}

/**
 * Returns the arguments of setUsageApiKey and updateUsageApiKey behind the two hashes.
 * @param {KeyGrants} grants
 * @returns {AbiValue[]}
 */
function grantValues(grants) {
  return [
    BigInt(grants.expires),
    BigInt(grants.capCents),
    grants.name,
    grants.description,
    grants.createGroups,
    grants.deleteGroups,
    grants.createWallets,
    grants.manageActionsIn.map(BigInt),
    grants.addWalletsIn.map(BigInt),
    grants.removeWalletsFrom.map(BigInt),
    grants.executeIn.map(BigInt),
  ];
}

/**
 * Returns a number, the largest exact one for those beyond it, which mean the same: never, and no limit in practice.
 * @param {bigint} value
 */
function safeNumber(value) {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
