// The forms that the API promises of its answers, and their reading.
//
// A node may send anything: what has not the promised form throws InvalidAnswer. Members that are not named are ignored, so that
// nodes may add some; `name?` may be absent.

import { InvalidAnswer } from "./svc-errors.mjs";

/** @typedef {(value: any) => boolean} Check */
/** @typedef {{ status: number, headers: Headers, bytes: Uint8Array }} Answer */

const SECRETS = ["api_key", "usage_api_key", "client_secret"];

export const isText = (/** @type {any} */ value) => typeof value === "string";
export const isFlag = (/** @type {any} */ value) => typeof value === "boolean";
const isNumber = (/** @type {any} */ value) => typeof value === "number";
export const isInteger = (/** @type {any} */ value) => Number.isSafeInteger(value);
export const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isAny = () => true;
/** @type {(check: Check) => Check} */
const orNull = (check) => (value) => value === null || check(value);
/** @type {(check: Check) => Check} */
export const listOf = (check) => (value) => Array.isArray(value) && value.every(check);
/** @type {(check: Check) => Check} */
const mapOf = (check) => (value) => isObject(value) && Object.values(value).every(check);
/** @type {(...values: unknown[]) => Check} */
const oneOf = (...values) => (value) => values.includes(value);
/** @type {(members: { [name: string]: Check }) => Check} */
export const objectOf = (members) => {
  const checks = Object.entries(members).map(
    ([name, check]) => /** @type {const} */ ([name.replace("?", ""), name.endsWith("?"), check]),
  );
  return (value) =>
    isObject(value) &&
    checks.every(([name, optional, check]) => (Object.hasOwn(value, name) ? check(value[name]) : optional));
};

export const TEXTS = listOf(isText);
export const MUTATION = { success: oneOf(true), "transaction_hash?": isText, "block_number?": isInteger };
export const NEW_WALLET = { ...MUTATION, wallet_address: isText };
export const MINTED_WALLET = { ...NEW_WALLET, derivation_path: isText };
export const MINTED_USAGE_KEY = { ...MINTED_WALLET, usage_api_key: isText };
export const WALLET = objectOf({ id: isText, pkp_id: isText, wallet_address: isText, name: isText, description: isText });
const ACTION_ERROR = objectOf({ name: isText, message: isText, stack: isText, "fix?": isText });
const ANY_RUN = { response: isAny, logs: isText, duration_ms: isNumber, charged_cents: isInteger };
export const RUN = objectOf({ ...ANY_RUN, has_error: oneOf(false) });
export const FAILED_RUN = objectOf({ ...ANY_RUN, error: ACTION_ERROR, has_error: oneOf(true) });
export const EXPLANATION = objectOf({
  decision: oneOf("allow", "deny"), "group?": isText, "missing?": isText, block_number: isInteger,
  price_cents_per_second: isInteger,
});
const TOKEN = objectOf({
  address: isText, symbol: isText, decimals: isInteger, microdollars_per_token: isInteger, price_display: isText,
});
export const TOKEN_CONFIG = objectOf({
  enabled: oneOf(true), chain_id: isInteger, deposit_contract: isText, deposit_contract_abi: isText,
  confirmations: isInteger, tokens: listOf(TOKEN),
  how_to_pay: objectOf({ steps: TEXTS, account_hash: isText, approve: isText, deposit: isText, abi: isAny }),
});
export const TOKEN_PAYMENT = objectOf({
  transaction_hash: isText, log_index: isInteger, block_number: isInteger,
  status: oneOf("pending", "credited", "ignored", "dropped"), reason: orNull(isText), confirmations: orNull(isInteger),
  confirmations_needed: isInteger, payer: isText, token: isText, symbol: orNull(isText), decimals: orNull(isInteger),
  amount: isText, amount_display: orNull(isText), microdollars_per_token: orNull(isInteger),
  credited_microdollars: isInteger, credited_display: isText, seen_at: isInteger,
});
const COMPONENT = oneOf("ok", "degraded", "down", "off");
export const HEALTH = objectOf({
  status: oneOf("ok", "degraded", "down"), version: isText, action_runner: COMPONENT, chain: COMPONENT, billing: COMPONENT,
  tee: COMPONENT, action_isolation: TEXTS, notes: mapOf(isText), insecure: TEXTS,
  account_event_listener_lag_seconds: orNull(isNumber), rpc_quorum: isInteger,
  account_contract: objectOf({
    admin_payer: oneOf("unknown", "unnamed", "own", "other", "replaced"), admin_payer_replacements: orNull(isInteger),
    owner: orNull(isText), owner_change_delay_seconds: orNull(isInteger), payers_of_others: orNull(TEXTS),
    scheduled_owner_change: orNull(objectOf({ admin_payer: isText, effective_at: isInteger })),
  }),
  attestation: objectOf({
    tee: oneOf("dstack", "simulator"), quote_age_seconds: orNull(isNumber), certificate_not_after: orNull(isInteger),
    evidence_made_at: orNull(isInteger), compose_hash_allowed: orNull(isFlag),
  }),
  chain_head: orNull(objectOf({ block_number: isInteger, timestamp: isInteger, age_seconds: isNumber })),
  rpc_endpoints: listOf(objectOf({
    number: isInteger, healthy: isFlag, block_number: orNull(isInteger), latency_ms: orNull(isNumber),
    consecutive_faults: isInteger, disagreements: isInteger, websocket: isFlag,
  })),
  authorisation_cache: objectOf({ keys: isInteger, readings: isInteger }),
});
export const INFO = objectOf({
  app_id: isText, instance_id: isText, app_name: isText, compose_hash: isText, os_image_hash: isText, mr_aggregated: isText,
  device_id: isText, key_provider_info: isText, vm_config: isText, tcb_info: isObject,
});

/**
 * Returns the JSON of an answer, which has the form of `check`.
 * @param {Answer} answer @param {Check} check @returns {any}
 */
export function read(answer, check) {
  const value = jsonIn(answer);
  if (!check(value)) throw new InvalidAnswer("The node's answer has another form than the API promises.");
  // Secrets are members that neither a log nor JSON.stringify shows.
  for (const name of SECRETS) {
    if (isObject(value) && Object.hasOwn(value, name)) Object.defineProperty(value, name, { enumerable: false });
  }
  return value;
}

/** @param {Answer} answer */
export function textIn(answer) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(answer.bytes);
  } catch {
    throw new InvalidAnswer("The node's answer is not UTF-8.");
  }
}

/** @param {Answer} answer @returns {any} */
export function jsonIn(answer) {
  const text = textIn(answer);
  try {
    return JSON.parse(text);
  } catch {
    // Without the reason, which shows a part of the answer: there may be a key in it.
    throw new InvalidAnswer("The node's answer is not JSON.");
  }
}

// Made of client/endpoints.toml by `make format`, from here on:
export const USAGE = objectOf({
  id: isText, time: isText, service: oneOf("execution", "write"), charged_cents: isInteger,
  api_key_hash: orNull(isText), action_ipfs_cid: orNull(isText), operation: orNull(isText),
  duration_ms: orNull(isInteger), request_id: orNull(isText),
});
export const NEW_USAGE_KEY = { ...MUTATION, usage_api_key: isText };
export const ACTION = objectOf({
  id: isText, hashed_cid: isText, name: isText, description: isText, action_ipfs_cid: orNull(isText),
});
export const ATTESTATION = objectOf({
  quote: isText, event_log: isText, vm_config: isText, report_data: isText, "statement?": isText,
});
export const BALANCE = objectOf({
  balance_cents: isInteger, balance_display: isText, credit_cents: isInteger, reserved_cents: isInteger,
});
export const CHAIN_CONFIG = objectOf({
  chain_name: isText, chain_id: isInteger, is_evm: oneOf(true), testnet: isFlag, token: isText,
  contract_address: isText, contract_abi: isText,
});
export const CONFIRMED_PAYMENT = { success: isFlag, credited_cents: isInteger, balance_cents: isInteger };
export const CONVERTED = { ...MUTATION, wallet_address: isText, api_key_hash: isText };
export const PAYMENT_INTENT = { client_secret: isText, payment_intent_id: isText };
export const GROUP = objectOf({
  id: isText, name: isText, description: isText, pkp_ids_permitted: listOf(isText),
  cid_hashes_permitted: listOf(isText),
});
export const NEW_ACCOUNT = { ...MUTATION, api_key: isText, wallet_address: isText };
export const USAGE_KEY = objectOf({
  id: isText, api_key_hash: isText, name: isText, description: isText, expiration: isText, balance: isInteger,
  can_create_groups: isFlag, can_delete_groups: isFlag, can_create_pkps: isFlag,
  can_manage_ipfs_ids_in_groups: listOf(isText), can_add_pkp_to_groups: listOf(isText),
  can_remove_pkp_from_groups: listOf(isText), can_execute_in_groups: listOf(isText),
});
export const VERSION = objectOf({
  name: isText, version: isText, commit: orNull(isText), compose_hash: orNull(isText),
});
