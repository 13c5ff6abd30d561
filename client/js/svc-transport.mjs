// Requests to one node, with deadlines, and with retries that never do a thing twice.

import { isInteger, isObject, jsonIn, listOf, objectOf, read } from "./svc-answers.mjs";
import { InvalidAnswer, InvalidArgument, SvcError, Unanswered, Unreachable, refusalOf } from "./svc-errors.mjs";

/** @import * as api from "./svc-client.d.mts" */
/** @import { Answer, Check } from "./svc-answers.mjs" */
/** @typedef {{ method?: string, body?: unknown, repeat?: string, accept?: string, atRoot?: boolean, isPublic?: boolean }} How */

const BASE = "/core/v1";
const TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1; // of a timer
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
const ANSWER_BYTES = 16 * 1024 * 1024;
const TEXT_CHARACTERS = 2_000; // of a text in an error: a node may send megabytes
const PAGE_SIZE = 100;
const PAGES = 10_000; // a million items: a list without an end is an answer of no use

// 504 is among the refusals that pass: with the same Idempotency-Key the node gives the final answer of a write that it has sent
// already. 500 is not: a fault of the node would meet the next attempt too.
const RETRY_LATER = [429, 503, 504];
const DISABLED = "billing_disabled";
const OUTCOME_UNKNOWN = "outcome_unknown"; // of a run whose node ended before it answered
const LONGEST_RUN_S = 900; // of a node whose operator set no other
// Node.js names these before a byte has left. Browsers tell nothing.
const NEVER_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
// When a request may be sent again. Without either: freely, since it changes nothing. WITH_KEY: its Idempotency-Key makes the node
// do it once. WHEN_REFUSED: only while it was never begun, that is not sent, or answered 429.
export const WITH_KEY = "with key";
export const WHEN_REFUSED = "when refused";

/** Connection to one node. */
export class Transport {
  /** @type {string} */
  #origin;
  #apiKey;
  #proxyToken;
  #walletAuth;
  #fetch;
  #timeoutMs;
  /** @type {number | undefined} of all answers so far: a run asks for a decision at this block or later */
  #highestBlock;

  /** @param {string | URL} baseUrl @param {api.ClientOptions} options */
  constructor(baseUrl, options) {
    const names = /** @type {const} */ (["apiKey", "proxyToken", "walletAuth", "fetch", "timeoutMs"]);
    const { apiKey, proxyToken, walletAuth, fetch, timeoutMs } = known(options, names);
    this.#origin = originOf(baseUrl);
    // They become headers as they are, and the error of a header shows its text.
    for (const [secret, name] of [[apiKey, "API key"], [proxyToken, "proxy's token"]]) {
      if (secret === undefined || (typeof secret === "string" && /^[\x21-\x7e]+$/.test(secret))) continue;
      throw new InvalidArgument(`The ${name} cannot be used: it is not printable ASCII without spaces.`);
    }
    if (proxyToken !== undefined && (apiKey !== undefined || !this.#origin.startsWith("http:"))) {
      throw new InvalidArgument("proxyToken is for http:// to this machine, and takes the place of apiKey.");
    }
    this.#apiKey = apiKey;
    this.#proxyToken = proxyToken;
    this.#walletAuth = walletAuth;
    // Not stored as it is: browsers refuse a fetch that is called as a method of another object.
    this.#fetch = fetch ?? ((/** @type {string} */ url, /** @type {RequestInit} */ init) => globalThis.fetch(url, init));
    this.#timeoutMs = timeoutOf(timeoutMs, TIMEOUT_MS);
  }

  get highestBlock() {
    return this.#highestBlock;
  }

  /** @param {string} path @param {Check} check @param {How} [how] @returns {Promise<any>} */
  async get(path, check, how = {}) {
    return this.read(await this.call(path, how), check);
  }

  /** @param {string} path @param {object} body @param {{ [name: string]: Check }} members @param {How} [how] @returns {Promise<any>} */
  async change(path, body, members, how) {
    // An option that was not given is left out, so that the node's own default stands.
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null));
    return this.get(path, objectOf(members), { ...how, method: "POST", body: given, repeat: WITH_KEY });
  }

  /** @param {string} path @param {object} query @param {Check} check @returns {AsyncGenerator<any, void>} */
  async *pages(path, query, check) {
    // Read to the end before an item is given: whoever removes what it is given would move the rest to earlier pages. Each page
    // is of a block of its own, so one thing may be on two.
    const found = new Map();
    // A short page is the last one, so no count of the whole list is asked for, which other clients change meanwhile.
    for (let page = 0; page < PAGES; page++) {
      const address = withQuery(path, { ...query, page_number: page, page_size: PAGE_SIZE });
      const items = await this.get(address, listOf(check));
      if (items.length > PAGE_SIZE) throw new InvalidAnswer(`${path} has more items than were asked for.`);
      // A deposit has no id: its place on chain tells it from the others.
      for (const item of items) found.set(item.id ?? `${item.transaction_hash}:${item.log_index}`, item);
      if (items.length < PAGE_SIZE) {
        yield* found.values();
        return;
      }
    }
    throw new InvalidAnswer(`${path} has no end.`);
  }

  /**
   * Sends a request, again where that is safe, and returns its 2xx answer.
   * @param {string} path @param {How} how @param {number} [timeoutMs] @param {AbortSignal} [signal] @returns {Promise<Answer>}
   */
  async call(path, how, timeoutMs, signal) {
    // Made once: every attempt carries the same Idempotency-Key, or the node would do a write twice. A wallet may ask its user.
    const headers = await this.#headers(path, how);
    const body = how.method === "POST" ? jsonOf(how.body) : undefined;
    // One deadline for all attempts and the pauses between them.
    const deadline = performance.now() + timeoutOf(timeoutMs, this.#timeoutMs);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      // Returned, not thrown, are the errors after which the request may be sent again.
      const outcome = await this.#once(path, how, { method: how.method ?? "GET", headers, body }, deadline, signal);
      let failure = outcome;
      let leastMs = 0;
      if (!(outcome instanceof SvcError)) {
        if (outcome.status >= 200 && outcome.status < 300) return outcome;
        const told = errorOf(outcome);
        if (told.details.reason === OUTCOME_UNKNOWN) throw new Unanswered(told.message);
        failure = told;
        if (!mayRepeat(how, outcome)) throw failure;
        leastMs = retryAfterMs(outcome);
      }
      // The node says how long it refuses; the growing pause comes on top of it, with jitter: clients that were refused
      // together must not come back together.
      const waitMs = leastMs + pauseMs * (0.5 + Math.random() / 2);
      // The error of now says more than a time-out after a pause that leads nowhere.
      if (performance.now() + waitMs >= deadline) throw failure;
      await pause(waitMs, signal);
    }
  }

  /**
   * @param {string} path @param {How} how @param {RequestInit} request @param {number} deadline @param {AbortSignal} [signal]
   * @returns {Promise<Answer | SvcError>}
   */
  async #once(path, how, request, deadline, signal) {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort();
    const timer = setTimeout(stop, Math.max(1, deadline - performance.now()));
    signal?.addEventListener("abort", stop);
    try {
      const response = await this.#fetch(this.#origin + (how.atRoot ? path : BASE + path), {
        ...request,
        // Followed nowhere. "error" would look like a broken connection, and be tried again.
        redirect: "manual",
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
        signal: controller.signal,
      });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        throw new InvalidAnswer("The node answered with a redirect, which the API never does.");
      }
      return { status: response.status, headers: response.headers, bytes: await bytesOf(response) };
    } catch (error) {
      if (error instanceof SvcError) throw error;
      signal?.throwIfAborted();
      if (how.repeat === WHEN_REFUSED && !NEVER_SENT.includes(/** @type {any} */ (error)?.cause?.code)) {
        throw new Unanswered("The run was sent and no answer came; it may have run and been charged.");
      }
      const isLate = controller.signal.aborted;
      return new Unreachable(isLate ? "The node gave no answer in time." : "The connection to the node failed.");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      controller.abort(); // ends an answer that was not read to its end
    }
  }

  /** @param {string} path @param {How} how */
  async #headers(path, how) {
    /** @type {{ [name: string]: string }} */
    const headers = { Accept: how.accept ?? "application/json" };
    if (how.method === "POST") headers["Content-Type"] = "application/json";
    // The key goes to the endpoints that need it, and to no other.
    if (!how.isPublic) {
      if (this.#walletAuth && path.startsWith("/billing/")) headers["X-Wallet-Auth"] = base64Of(await this.#walletAuth());
      else if (this.#apiKey !== undefined) headers["X-Api-Key"] = this.#apiKey;
      else if (this.#proxyToken !== undefined) headers["X-Svc-Proxy-Token"] = this.#proxyToken;
    }
    if (how.repeat === WITH_KEY) headers["Idempotency-Key"] = randomText();
    return headers;
  }

  /** Returns how long a run may go on that is waited for until this deadline. @param {number} [timeoutMs] */
  longestRun(timeoutMs) {
    return Math.min(LONGEST_RUN_S, Math.max(1, Math.floor(timeoutOf(timeoutMs, this.#timeoutMs) / 1_000)));
  }

  /**
   * Returns the JSON of an answer, which has the form of `check`, and remembers the block that it names.
   * @param {Answer} answer @param {Check} check @returns {any}
   */
  read(answer, check) {
    const value = read(answer, check);
    const number = value?.block_number;
    // The highest, since answers of several nodes come in any order.
    if (isInteger(number) && number > (this.#highestBlock ?? -1)) this.#highestBlock = number;
    return value;
  }
}

/**
 * Returns the options. A name that is not known is an error: a cap that is misspelt would be no cap.
 * @template {object} T @param {T} options @param {readonly (keyof T & string)[]} names @returns {T}
 */
export function known(options, names) {
  if (!isObject(options)) throw new InvalidArgument("The options are an object.");
  const unknown = Object.keys(options).find((name) => !(/** @type {readonly string[]} */ (names).includes(name)));
  if (unknown !== undefined) throw new InvalidArgument(`There is no option ${unknown}; there are ${names.join(", ")}.`);
  return options;
}

/** @param {string | URL} baseUrl @returns {string} */
function originOf(baseUrl) {
  let url;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new InvalidArgument("The address of the node is no URL.");
  }
  // Of names that are all digits the URL parser has made an IPv4 address.
  const isHere = ["localhost", "[::1]"].includes(url.hostname) || /^127(\.\d+){3}$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere)) {
    throw new InvalidArgument("The address of the node is https://HOST[:PORT], or http:// to this machine.");
  }
  if (url.href !== `${url.origin}/`) {
    throw new InvalidArgument("The address of the node has no path, no query and no user: https://HOST[:PORT].");
  }
  return url.origin;
}

/** @param {number | undefined} value @param {number} otherwise */
function timeoutOf(value, otherwise) {
  if (value === undefined) return otherwise;
  if (!(value > 0 && value <= LONGEST_TIMEOUT_MS)) {
    throw new InvalidArgument(`timeoutMs is more than 0 and at most ${LONGEST_TIMEOUT_MS}.`);
  }
  return value;
}

/** @param {string} path @param {object} query members without a value are left out */
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : path;
}

/** @param {unknown} value */
function jsonOf(value) {
  try {
    return JSON.stringify(value, (_, member) => {
      // JSON.stringify would write null.
      if (typeof member === "number" && !Number.isFinite(member)) throw new TypeError("a number that is not finite");
      return member;
    });
  } catch (error) {
    throw new InvalidArgument(`The request has no JSON form: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {object} value */
function base64Of(value) {
  return btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(""));
}

// 256 bits: a sign-up's answer is shown to whoever repeats its Idempotency-Key.
function randomText() {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Response} response @returns {Promise<Uint8Array>} */
async function bytesOf(response) {
  const chunks = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    chunks.push(part.value);
    length += part.value.length;
    if (length > ANSWER_BYTES) throw new InvalidAnswer(`The node's answer is longer than ${ANSWER_BYTES} bytes.`);
  }
  const bytes = new Uint8Array(length);
  let start = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, start);
    start += chunk.length;
  }
  return bytes;
}

/** @param {Answer} answer */
function errorOf(answer) {
  let told;
  try {
    told = jsonIn(answer);
  } catch {
    told = null; // of a server in between: the status says enough
  }
  return refusalOf(answer.status, told, answer.headers.get("x-request-id"));
}

/** @param {How} how @param {Answer} answer */
function mayRepeat(how, answer) {
  if (how.repeat === WHEN_REFUSED) return answer.status === 429;
  // 409 with Retry-After: another node still works on this Idempotency-Key.
  const isInUse = answer.status === 409 && how.repeat === WITH_KEY && answer.headers.has("retry-after");
  // A node that sells no credit answers 503 as well, and sells none a second later.
  const isDisabled = answer.status === 503 && errorOf(answer).code === DISABLED;
  // A fault that ended a run which is not begun again: its Idempotency-Key gives this answer for ever.
  const isKept = answer.headers.has("idempotency-replayed");
  return isInUse || (RETRY_LATER.includes(answer.status) && !isDisabled && !isKept);
}

/** @param {Answer} answer */
function retryAfterMs(answer) {
  const text = answer.headers.get("retry-after") ?? "";
  // The node sends seconds. A date (RFC 9110, 10.2.3) would need a clock equal to the node's.
  return /^[0-9]{1,9}$/.test(text) ? 1_000 * Number(text) : 0;
}

/** @param {number} waitMs @param {AbortSignal} [signal] @returns {Promise<void>} */
function pause(waitMs, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal?.addEventListener("abort", end);
  });
}
