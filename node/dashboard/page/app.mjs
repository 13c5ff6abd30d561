/** Session of the page: who is signed in, and what every page needs. */

import { SvcClient, Unreachable } from "./svc-client.mjs";
import { ApiAccount } from "./account-api.mjs";
import { isLoopback } from "./server-watch.mjs";

/**
 * Role of the key or wallet that is signed in. `owner`: the account key, or the admin wallet. `usage`: a usage key, which the
 * node lets read the account's groups, actions and wallets but not its keys. `former`: the account key of an account that was
 * converted to a wallet, which reads and writes nothing.
 * @typedef {"owner" | "usage" | "former"} Role
 */

/**
 * Wallet of the browser (EIP-1193), as `wallet.mjs` makes it.
 * @typedef {import("./wallet.mjs").Wallet} SigningWallet
 */

const STORED_KEY = "svc.dashboard.key";
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Returns whether a tab may keep a key in its session storage: on loopback another user of this machine can serve the same origin once
 * the program behind it has ended, and plain HTTP is served by anybody.
 * @param {{protocol: string, hostname: string}} address
 */
export function mayKeepKey({ protocol, hostname }) {
  return protocol === "https:" && !isLoopback(hostname);
}

/** Application context that every page gets. */
export class App extends EventTarget {
  /** @type {import("./account.mjs").Account | null} */
  account = null;

  /** @type {Role | null} */
  role = null;

  /** @type {SigningWallet | null} */
  wallet = null;

  /** @type {SvcClient} client with the key of the session, or without */
  client;

  /** @type {import("./health.mjs").HealthWatch} */
  health;

  /** @type {import("./verification.mjs").Verification | null} what this browser checked of the node itself; null until it has */
  verification = null;

  /** @type {Element} */
  #live;

  /** @type {() => Promise<void>} */
  #show;

  #ended = new AbortController();

  /**
   * @param {string} baseUrl of the node
   * @param {{live: Element, health: import("./health.mjs").HealthWatch, show: () => Promise<void>}} parts `live`: the element
   *   that announces results; `show`: shows the current page anew
   */
  constructor(baseUrl, { live, health, show }) {
    super();
    this.baseUrl = baseUrl;
    this.client = this.newClient();
    this.health = health;
    this.#live = live;
    this.#show = show;
  }

  /**
   * Returns a client of the node that says at once when this computer is offline, and does not try again until its deadline. It sends
   * nothing more, also of a request that it would repeat, after `end`.
   * @param {Omit<import("./svc-client.mjs").ClientOptions, "fetch">} [options]
   */
  newClient(options = {}) {
    return new SvcClient(this.baseUrl, { ...options, fetch: (input, init) => this.#fetch(input, init) });
  }

  /**
   * Signs in with an account key or a usage key, after the node has recognised it.
   * @param {string} key
   * @param {{remember: boolean}} options `remember`: keep it in this tab's session storage, so that a reload keeps it; where it may be
   */
  async signIn(key, { remember }) {
    if (!KEY.test(key)) throw new Error("A key is 44 characters: base64 of 32 bytes. This is another text.");
    const client = this.newClient({ apiKey: key });
    const role = await roleOf(client);
    if (remember && mayKeepKey(location)) sessionStorage.setItem(STORED_KEY, key);
    this.#begin(client, new ApiAccount(client), role, null);
  }

  /**
   * Signs in with the account of a wallet.
   * @param {SigningWallet} wallet
   * @param {import("./account.mjs").Account | null} account null for a wallet that has no account yet
   * @param {SvcClient} client for which the wallet signs
   */
  signInWithWallet(wallet, account, client) {
    this.#begin(client, account, account === null ? null : "owner", wallet);
  }

  /** Signs in with the key that this tab's session storage holds. Returns whether there was one. */
  async resume() {
    const key = mayKeepKey(location) ? sessionStorage.getItem(STORED_KEY) : null;
    if (key === null) return false;
    await this.signIn(key, { remember: true });
    return true;
  }

  /** Forgets the key, the wallet and everything that was read with them. */
  signOut() {
    sessionStorage.removeItem(STORED_KEY);
    this.#begin(this.newClient(), null, null, null);
  }

  /** Forgets everything for good, and sends nothing more: another program may listen at this address from now on. */
  end() {
    this.#ended.abort();
    this.signOut();
  }

  /**
   * Shows a result for a moment and announces it to screen readers.
   * @param {string} text
   * @param {{error?: boolean}} [options]
   */
  notify(text, { error = false } = {}) {
    const item = document.createElement("p");
    item.className = error ? "toast error" : "toast";
    item.textContent = text;
    this.#live.append(item);
    setTimeout(() => item.remove(), error ? 12_000 : 6_000);
  }

  /**
   * Goes to a page, for instance `#/keys`. The same page is shown anew.
   * @param {string} hash
   */
  navigate(hash) {
    if (location.hash === hash) void this.refresh();
    else location.hash = hash;
  }

  /** Shows the current page anew, with lists read again. The old one stays until the new one is complete. */
  refresh() {
    this.dispatchEvent(new Event("refresh"));
    return this.#show();
  }

  /** @type {typeof fetch} */
  async #fetch(input, init) {
    if (this.#ended.signal.aborted) throw new Unreachable("`svc dashboard` has ended. Nothing was sent.");
    if (!navigator.onLine) throw new Unreachable("This computer is offline. Nothing was sent.");
    const signals = [this.#ended.signal, ...(init?.signal ? [init.signal] : [])];
    return fetch(input, { ...init, signal: AbortSignal.any(signals) });
  }

  /**
   * @param {SvcClient} client
   * @param {import("./account.mjs").Account | null} account
   * @param {Role | null} role
   * @param {SigningWallet | null} wallet
   */
  #begin(client, account, role, wallet) {
    this.client = client;
    this.account = account;
    this.role = role;
    this.wallet = wallet;
    this.dispatchEvent(new Event("session"));
  }
}

/**
 * Returns what a key may be used for, by asking the node: only an account key lists the usage keys, and an explanation is
 * refused to the old key of a converted account.
 * @param {SvcClient} client
 * @returns {Promise<Role>}
 */
async function roleOf(client) {
  try {
    for await (const _ of client.usageKeys.list()) break;
  } catch (error) {
    if (missing(error) === "account_key") return "usage";
    throw error;
  }
  try {
    await client.explain({ code: "function main() {}" });
  } catch (error) {
    if (missing(error) === "admin_wallet") return "former";
    throw error;
  }
  return "owner";
}

/** @param {unknown} error */
function missing(error) {
  return error instanceof Error && "missing" in error ? error.missing : null;
}
