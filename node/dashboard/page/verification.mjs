/**
 * Checks of the node that a browser can make. They compare what the node says of itself and show tampering by accident; they
 * are NO proof: a browser sees neither Intel's signatures nor the certificate of its own connection, and this very code
 * came from the node. `svc-verify` and `svc dashboard` prove the rest.
 */

/** @typedef {{name: string, passed: boolean, text: string}} Check */

/**
 * `proven` is the summary of `svc dashboard`, which has verified the node and every file of this page; null where the node
 * itself served the page. `error` says why there is no statement.
 * @typedef {object} Verification
 * @property {Check[]} checks
 * @property {string | null} host that the node attests to be
 * @property {boolean} isHost whether this page, or `svc dashboard`, connected to it
 * @property {string | null} instanceId of the machine that answered
 * @property {string | null} appId
 * @property {string | null} composeHash
 * @property {readonly string[]} certificateKeys SHA-256 of the public keys of the node's certificates
 * @property {Record<string, any> | null} config attested settings and account contract
 * @property {Record<string, unknown> | null} proven
 * @property {string | null} error
 */

const PURPOSE = "svc.attestation.v1";
const TIMEOUT_MS = 20_000;
/** Offsets in a TDX quote of version 4 (Intel TDX DCAP, "TD Quote Body"). Version 5 has the body's type and size before it. */
const CONFIG_ID_OFFSET = 232;
const REPORT_DATA_OFFSET = 568;
const REPORT_DATA_BYTES = 64;
const BODY_SHIFT_V5 = 6;

/**
 * Draws a nonce, asks the node for its statement and compares what can be compared.
 * @param {string} baseUrl
 * @returns {Promise<Verification>}
 */
export async function verify(baseUrl) {
  // The node itself answers with nothing, which is no JSON.
  const proven = await json("./verified.json").catch(() => null);
  const hostname = proven === null ? location.hostname : new URL(String(proven.node)).hostname;
  try {
    // Browsers offer SHA-256 to secure origins alone: HTTPS and loopback.
    if (!isSecureContext) throw new Error("This page did not come over HTTPS, so nothing can be checked.");
    const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
    const [attestation, info] = await Promise.all([
      json(`${baseUrl}/attestation?nonce=${nonce}`),
      json(`${baseUrl}/info`),
    ]);
    return { ...(await compare(attestation, info, nonce, hostname)), proven };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const nothing = { checks: [], host: null, isHost: false, instanceId: null, appId: null, composeHash: null, certificateKeys: [] };
    return { ...nothing, config: null, proven, error: text };
  }
}

/**
 * Compares an attestation and the platform's description with each other, with the nonce and with the page's host.
 * @param {Record<string, any>} attestation
 * @param {Record<string, any>} info
 * @param {string} nonce
 * @param {string} hostname that this page, or `svc dashboard`, connected to
 * @returns {Promise<Omit<Verification, "proven">>}
 */
export async function compare(attestation, info, nonce, hostname) {
  const text = String(attestation["statement"]);
  const statement = JSON.parse(text);
  const quote = bytesOf(String(attestation["quote"]));
  const host = String(statement["host"]);
  const isHost = host.toLowerCase() === hostname.toLowerCase().replace(/\.$/, "");
  const shift = quote[0] === 5 ? BODY_SHIFT_V5 : 0;
  const part = (/** @type {number} */ offset, /** @type {number} */ length) => hex(quote.slice(offset + shift, offset + shift + length));
  const reported = part(REPORT_DATA_OFFSET, REPORT_DATA_BYTES);
  const composeHash = String(info["compose_hash"]);
  const measured = part(CONFIG_ID_OFFSET, 33);
  const compose = String(info["tcb_info"]?.["app_compose"]);
  const keys = statement["spki_sha256"];
  return {
    checks: [
      check("Fresh statement", statement["purpose"] === PURPOSE && statement["nonce"] === nonce, "It repeats the random number that this browser drew."),
      check("Statement in the quote", reported === (await sha256(text)) + "0".repeat(64), "The quote's report data is the SHA-256 of the statement."),
      check("Host", isHost, `The statement names ${host}; the connection is to ${hostname}.`),
      check("Compose file", (await sha256(compose)) === composeHash, "The application's compose file has the hash that /info states."),
      check("Compose hash in the quote", measured === `01${composeHash}`, "The quote's configuration id holds that hash."),
    ],
    host,
    isHost,
    instanceId: String(info["instance_id"]),
    appId: `0x${info["app_id"]}`,
    composeHash,
    certificateKeys: Array.isArray(keys) ? keys.map(String) : [],
    config: typeof statement["config"] === "object" ? statement["config"] : null,
    error: null,
  };
}

/**
 * @param {string} name
 * @param {boolean} passed
 * @param {string} text
 * @returns {Check}
 */
function check(name, passed, text) {
  return { name, passed, text };
}

/** @param {string} url @returns {Promise<any>} */
async function json(url) {
  const response = await fetch(url, {
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new Error("The node did not answer.");
  });
  if (!response.ok) throw new Error(`The node answered ${response.status} to the question for its attestation.`);
  return response.json();
}

/** @param {string} text */
async function sha256(text) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(text.replace(/^0x/, "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
