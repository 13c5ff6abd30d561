// Client of a node for browsers, Node.js 20 or later, and Deno, without dependencies. Documentation: svc-client.d.mts.
//
// It does NOT verify the node: JavaScript cannot see the certificate of its own connection. Use it behind `svc proxy` or
// `svc dashboard`, which prove the node first, or in a page that they serve.

import * as forms from "./svc-answers.mjs";
import { isFlag, isObject, isText, listOf, objectOf, textIn } from "./svc-answers.mjs";
import { ActionFailed, InvalidArgument } from "./svc-errors.mjs";
import { Transport, WHEN_REFUSED, WITH_KEY, known, withQuery } from "./svc-transport.mjs";

export {
  ActionFailed, ApiError, BadRequest, ChainTimeout, Conflict, Forbidden, InvalidAnswer, InvalidArgument, NotFound,
  PaymentRequired, RateLimited, ServerFault, SvcError, Unanswered, Unauthorized, Unavailable, Unreachable,
} from "./svc-errors.mjs";

/** @import * as api from "./svc-client.d.mts" */

const AT_ROOT = { atRoot: true, isPublic: true };

/** @type {(transport: Transport) => api.Account} */
const accountPart = (transport) => ({
  // Made of client/endpoints.toml by `make format`, from here on:
  create: (name, description = "", email) =>
    transport.change(
      "/new_account",
      { account_name: name, account_description: description, email },
      forms.NEW_ACCOUNT,
      { isPublic: true },
    ),
  exists: () => transport.get("/account_exists", isFlag),
  convert: (newAdmin, typedData, signature) =>
    transport.change(
      "/convert_to_chain_secured_account",
      { new_admin_wallet_address: newAdmin, typed_data: typedData, signature },
      forms.CONVERTED,
    ),
});

/** @type {(transport: Transport) => api.Wallets} */
const walletsPart = (transport) => ({
  // An empty text is as good as none, which the node takes for a wallet without a name.
  create: (name = "", description = "") =>
    transport.change("/create_wallet", { name: name || null, description: description || null }, forms.NEW_WALLET),
  // Made of client/endpoints.toml by `make format`, from here on:
  list: () => transport.pages("/list_wallets", {}, forms.WALLET),
  inGroup: (group) => transport.pages("/list_wallets_in_group", { group_id: group }, forms.WALLET),
  mintWithSignature: (typedData, signature) =>
    transport.change(
      "/create_wallet_with_signature",
      { typed_data: typedData, signature },
      forms.MINTED_WALLET,
      { isPublic: true },
    ),
});

/** @type {(transport: Transport) => api.Groups} */
const groupsPart = (transport) => {
  /** @type {api.Groups} */
  const groups = {
    create: async (name, description = "", options = {}) => {
      const { wallets = [], actionHashes = [] } = known(options, ["wallets", "actionHashes"]);
      const body = {
        group_name: name, group_description: description, pkp_ids_permitted: wallets, cid_hashes_permitted: actionHashes,
      };
      return groups.of((await transport.change("/add_group", body, { ...forms.MUTATION, group_id: isText })).group_id);
    },
    of: (group) => {
      /** @type {api.GroupHandle} */
      const handle = {
        id: String(group),
        allow: async (options) => {
          const { action, wallet } = known(options, ["action", "wallet"]);
          if (action !== undefined) await groups.addAction(group, action);
          if (wallet !== undefined) await groups.addWallet(group, wallet);
          return handle;
        },
        forbid: async (options) => {
          const { hashedCid, wallet } = known(options, ["hashedCid", "wallet"]);
          if (hashedCid !== undefined) await groups.removeAction(group, hashedCid);
          if (wallet !== undefined) await groups.removeWallet(group, wallet);
          return handle;
        },
      };
      return handle;
    },
    // Made of client/endpoints.toml by `make format`, from here on:
    list: () => transport.pages("/list_groups", {}, forms.GROUP),
    update: (group, name, description, wallets, actionHashes) =>
      transport.change(
        "/update_group",
        { group_id: group, name, description, pkp_ids_permitted: wallets, cid_hashes_permitted: actionHashes },
        forms.MUTATION,
      ),
    remove: (group) => transport.change("/remove_group", { group_id: group }, forms.MUTATION),
    addWallet: (group, wallet) =>
      transport.change("/add_pkp_to_group", { group_id: group, pkp_id: wallet }, forms.MUTATION),
    removeWallet: (group, wallet) =>
      transport.change("/remove_pkp_from_group", { group_id: group, pkp_id: wallet }, forms.MUTATION),
    addAction: (group, cid) =>
      transport.change("/add_action_to_group", { group_id: group, action_ipfs_cid: cid }, forms.MUTATION),
    removeAction: (group, hashedCid) =>
      transport.change("/remove_action_from_group", { group_id: group, hashed_cid: hashedCid }, forms.MUTATION),
  };
  return groups;
};

/** @type {(transport: Transport) => api.Actions} */
const actionsPart = (transport) => ({
  run: async (code, params, options = {}) => {
    const names = /** @type {const} */ (["maxSeconds", "idempotent", "timeoutMs", "signal"]);
    const { maxSeconds, idempotent = false, timeoutMs, signal } = known(options, names);
    // The client reads its own writes: a node behind the same balancer may not have seen the block of a grant yet, and waits
    // for it.
    // A run with a key goes on without its client, who waits no longer than this.
    const longest = maxSeconds ?? (idempotent ? transport.longestRun(timeoutMs) : undefined);
    const body = { code, js_params: params, max_seconds: longest, min_block: transport.highestBlock };
    // Every run is charged, so one that may have begun is repeated only where the caller has asked for it.
    const how = { method: "POST", body, repeat: idempotent ? WITH_KEY : WHEN_REFUSED };
    const answer = await transport.call("/svc_action", how, timeoutMs, signal);
    const { has_error: hasError, ...run } = transport.read(answer, (value) => forms.RUN(value) || forms.FAILED_RUN(value));
    // An action that fails is answered 200: the node did its part, and the run is charged.
    if (hasError) throw new ActionFailed(run);
    const block = answer.headers.get("x-authorized-at-block") ?? "";
    return { ...run, authorized_at_block: /^[0-9]{1,15}$/.test(block) ? Number(block) : null };
  },
  // A POST that changes nothing: it is repeated freely, without a key.
  cid: (code) => transport.get("/get_svc_action_ipfs_id", isText, { method: "POST", body: code, isPublic: true }),
  inGroup: (group) => transport.pages("/list_actions", { group_id: group }, forms.ACTION),
  // Made of client/endpoints.toml by `make format`, from here on:
  list: () => transport.pages("/list_actions", {}, forms.ACTION),
  register: (cid, name, description = "") =>
    transport.change("/add_action", { action_ipfs_cid: cid, name, description }, forms.MUTATION),
  rename: (hashedCid, name, description = "") =>
    transport.change("/update_action_metadata", { hashed_cid: hashedCid, name, description }, forms.MUTATION),
  delete: (hashedCid) => transport.change("/delete_action", { hashed_cid: hashedCid }, forms.MUTATION),
});

/** @type {(transport: Transport) => api.UsageKeys} */
const usageKeysPart = (transport) => ({
  create: async (name, grants = {}, options = {}) =>
    transport.change("/add_usage_api_key", grantsOf(name, grants, options), forms.NEW_USAGE_KEY),
  update: async (hash, name, grants, options = {}) =>
    transport.change("/update_usage_api_key", { ...grantsOf(name, grants, options), api_key_hash: hash }, forms.MUTATION),
  // Made of client/endpoints.toml by `make format`, from here on:
  list: () => transport.pages("/list_api_keys", {}, forms.USAGE_KEY),
  rename: (apiKeyHash, name, description = "") =>
    transport.change("/update_usage_api_key_metadata", { api_key_hash: apiKeyHash, name, description }, forms.MUTATION),
  remove: (apiKeyHash) => transport.change("/remove_usage_api_key", { api_key_hash: apiKeyHash }, forms.MUTATION),
  mintWithSignature: (typedData, signature) =>
    transport.change(
      "/add_usage_api_key_with_signature",
      { typed_data: typedData, signature },
      forms.MINTED_USAGE_KEY,
      { isPublic: true },
    ),
});

/** @type {(transport: Transport) => api.Billing} */
const billingPart = (transport) => ({
  publishableKey: async () => {
    const check = objectOf({ publishable_key: isText });
    return (await transport.get("/billing/processor_config", check, { isPublic: true })).publishable_key;
  },
  usage: (period = {}) => transport.pages("/billing/usage", known(period, ["from", "to"]), forms.USAGE),
  usageCsv: async (period = {}) => {
    const path = withQuery("/billing/usage", known(period, ["from", "to"]));
    return textIn(await transport.call(path, { accept: "text/csv" }));
  },
  // Made of client/endpoints.toml by `make format`, from here on:
  balance: () => transport.get("/billing/balance", forms.BALANCE),
  beginPayment: (amountCents) =>
    transport.change("/billing/create_payment_intent", { amount_cents: amountCents }, forms.PAYMENT_INTENT),
  confirmPayment: (paymentIntentId) =>
    transport.change("/billing/confirm_payment", { payment_intent_id: paymentIntentId }, forms.CONFIRMED_PAYMENT),
  tokenConfig: () => transport.get("/billing/token_config", forms.TOKEN_CONFIG),
  tokenPayments: () => transport.pages("/billing/token_payments", {}, forms.TOKEN_PAYMENT),
});

/** @type {(transport: Transport) => api.Node} */
const nodePart = (transport) => ({
  attestation: (nonce) => transport.get(withQuery("/attestation", { nonce }), forms.ATTESTATION, AT_ROOT),
  evidence: async (name) => {
    const segments = name.split("/");
    if (segments.some((segment) => ["", ".", ".."].includes(segment))) {
      throw new InvalidArgument("The name of a file of the evidence has no empty part and no dots alone.");
    }
    const path = `/evidences/${segments.map(encodeURIComponent).join("/")}`;
    return (await transport.call(path, { ...AT_ROOT, accept: "*/*" })).bytes;
  },
  // Made of client/endpoints.toml by `make format`, from here on:
  chain: () => transport.get("/get_node_chain_config", forms.CHAIN_CONFIG, { isPublic: true }),
  health: () => transport.get("/health", forms.HEALTH, { isPublic: true }),
  version: () => transport.get("/version", forms.VERSION, { isPublic: true }),
  limits: () => transport.get("/get_svc_action_client_config", isObject, { isPublic: true }),
  payers: () => transport.get("/get_api_payers", forms.TEXTS, { isPublic: true }),
  adminPayer: () => transport.get("/get_admin_api_payer", isText, { isPublic: true }),
  accountContractAbi: () => transport.get("/get_account_contract_abi", listOf(isObject), { isPublic: true }),
  depositContractAbi: () => transport.get("/get_deposit_contract_abi", listOf(isObject), { isPublic: true }),
  info: () => transport.get("/info", forms.INFO, { atRoot: true, isPublic: true }),
});

/** Client of one node. */
export class SvcClient {
  #transport;

  /** @param {string | URL} baseUrl @param {api.ClientOptions} [options] */
  constructor(baseUrl, options = {}) {
    const transport = new Transport(baseUrl, options);
    this.#transport = transport;
    this.account = accountPart(transport);
    this.wallets = walletsPart(transport);
    this.groups = groupsPart(transport);
    this.actions = actionsPart(transport);
    this.usageKeys = usageKeysPart(transport);
    this.billing = billingPart(transport);
    this.node = nodePart(transport);
  }

  /** @param {{ code?: string, cid?: string, wallet?: string | number }} question @returns {Promise<api.Explanation>} */
  async explain(question) {
    const { code, cid, wallet } = known(question, ["code", "cid", "wallet"]);
    const body = { code, action_ipfs_cid: cid, pkp_id: wallet };
    return this.#transport.get("/explain", forms.EXPLANATION, { method: "POST", body });
  }
}

/** @param {string} name @param {api.Grants} grants @param {api.UsageKeyOptions} options */
function grantsOf(name, grants, options) {
  const given = known(grants, [
    "createGroups", "deleteGroups", "createWallets", "manageActionsIn", "addWalletsIn", "removeWalletsIn", "expires", "capCents",
  ]);
  const { executeIn = [], description = "" } = known(options, ["executeIn", "description"]);
  return {
    name,
    description,
    can_create_groups: given.createGroups ?? false,
    can_delete_groups: given.deleteGroups ?? false,
    can_create_pkps: given.createWallets ?? false,
    manage_ipfs_ids_in_groups: given.manageActionsIn ?? [],
    add_pkp_to_groups: given.addWalletsIn ?? [],
    remove_pkp_from_groups: given.removeWalletsIn ?? [],
    execute_in_groups: executeIn,
    expiration: given.expires,
    balance: given.capCents,
  };
}
