/** Answers of the node. A member that is not named here may come as well. */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A change. `transaction_hash` and `block_number` are absent if no transaction was needed. */
export interface Mutation {
  success: true;
  transaction_hash?: string;
  block_number?: number;
}

/** A new wallet of the account. */
export interface NewWallet extends Mutation {
  wallet_address: string;
}

/** A wallet that is registered to no account yet. */
export interface MintedWallet extends NewWallet {
  derivation_path: string;
}

/** A usage key that is attached to no account yet, shown once. */
export interface MintedUsageKey extends MintedWallet {
  usage_api_key: string;
}

/** A wallet. `id` is its running number in the account, `0` the master wallet. */
export interface Wallet {
  id: string;
  pkp_id: string;
  wallet_address: string;
  name: string;
  description: string;
}

/** The result of an action. */
export interface Run {
  response: JsonValue;
  logs: string;
  duration_ms: number;
  charged_cents: number;
  /** Block at which the right to run was decided; null if the node did not say. */
  authorized_at_block: number | null;
}

/** Why a key may or may not run an action and use a wallet. `missing` names the grant. */
export interface Explanation {
  decision: "allow" | "deny";
  group?: string;
  missing?: string;
  block_number: number;
  price_cents_per_second: number;
}

/** A token that can be paid with. Prices are micro-dollars of a whole token. */
export interface Token {
  address: string;
  symbol: string;
  decimals: number;
  microdollars_per_token: number;
  price_display: string;
}

/** Terms of payment in tokens. */
export interface TokenConfig {
  enabled: true;
  chain_id: number;
  deposit_contract: string;
  deposit_contract_abi: string;
  confirmations: number;
  tokens: Token[];
  how_to_pay: { steps: string[]; account_hash: string; approve: string; deposit: string; abi: JsonValue };
}

/** A deposit that the node saw. Amounts in tokens are decimal strings of the smallest unit. */
export interface TokenPayment {
  transaction_hash: string;
  log_index: number;
  block_number: number;
  status: "pending" | "credited" | "ignored" | "dropped";
  reason: string | null;
  confirmations: number | null;
  confirmations_needed: number;
  payer: string;
  token: string;
  symbol: string | null;
  decimals: number | null;
  amount: string;
  amount_display: string | null;
  microdollars_per_token: number | null;
  credited_microdollars: number;
  credited_display: string;
  seen_at: number;
}

export type ComponentStatus = "ok" | "degraded" | "down" | "off";

/** Health of the node. */
export interface Health {
  status: "ok" | "degraded" | "down";
  version: string;
  action_runner: ComponentStatus;
  chain: ComponentStatus;
  billing: ComponentStatus;
  tee: ComponentStatus;
  account_contract: {
    admin_payer: "unknown" | "unnamed" | "own" | "other" | "replaced";
    admin_payer_replacements: number | null;
    owner: string | null;
    owner_change_delay_seconds: number | null;
    scheduled_owner_change: { admin_payer: string; effective_at: number } | null;
    payers_of_others: string[] | null;
  };
  attestation: {
    tee: "dstack" | "simulator";
    quote_age_seconds: number | null;
    certificate_not_after: number | null;
    evidence_made_at: number | null;
    compose_hash_allowed: boolean | null;
  };
  action_isolation: string[];
  notes: { [name: string]: string };
  insecure: string[];
  account_event_listener_lag_seconds: number | null;
  chain_head: { block_number: number; timestamp: number; age_seconds: number } | null;
  rpc_quorum: number;
  rpc_endpoints: {
    number: number;
    healthy: boolean;
    block_number: number | null;
    latency_ms: number | null;
    consecutive_faults: number;
    disagreements: number;
    websocket: boolean;
  }[];
  authorisation_cache: { keys: number; readings: number };
}

/** The TEE platform's description of the node. */
export interface Info {
  app_id: string;
  instance_id: string;
  app_name: string;
  compose_hash: string;
  os_image_hash: string;
  mr_aggregated: string;
  device_id: string;
  key_provider_info: string;
  vm_config: string;
  tcb_info: { [name: string]: JsonValue };
}

// Made of client/endpoints.toml by `make format`, from here on:
/** A charge. `time` is RFC 3339. */
export interface Usage {
  id: string;
  time: string;
  service: "execution" | "write";
  charged_cents: number;
  api_key_hash: string | null;
  action_ipfs_cid: string | null;
  operation: string | null;
  duration_ms: number | null;
  request_id: string | null;
}

/** A new usage key, shown once. */
export interface NewUsageKey extends Mutation {
  usage_api_key: string;
}

/** A registered action. `action_ipfs_cid` is null if only the hash is known. */
export interface Action {
  id: string;
  hashed_cid: string;
  name: string;
  description: string;
  action_ipfs_cid: string | null;
}

/** A quote of the node (docs/specification.md section 12). */
export interface Attestation {
  quote: string;
  event_log: string;
  vm_config: string;
  report_data: string;
  statement?: string;
}

/** Credit in cents. `balance_cents` is negative with credit, as the card processor counts it. */
export interface Balance {
  balance_cents: number;
  balance_display: string;
  credit_cents: number;
  reserved_cents: number;
}

/** The settlement chain and the account contract. */
export interface ChainConfig {
  chain_name: string;
  chain_id: number;
  is_evm: true;
  testnet: boolean;
  token: string;
  contract_address: string;
  contract_abi: string;
}

/** A payment that was credited. */
export interface ConfirmedPayment {
  success: boolean;
  credited_cents: number;
  balance_cents: number;
}

/** An account that is ChainSecured now. `wallet_address` is the admin's. */
export interface Converted extends Mutation {
  wallet_address: string;
  api_key_hash: string;
}

/** A card payment that was begun. The page that takes the card needs `client_secret`. */
export interface PaymentIntent {
  client_secret: string;
  payment_intent_id: string;
}

/** A group with the wallets and the hashes of the actions it permits. */
export interface Group {
  id: string;
  name: string;
  description: string;
  pkp_ids_permitted: string[];
  cid_hashes_permitted: string[];
}

/** A new account. `api_key` is shown once; `wallet_address` is the master wallet's. */
export interface NewAccount extends Mutation {
  api_key: string;
  wallet_address: string;
}

/** A usage key with its grants; group `0` is every group. `balance` is its cap in cents or 0. */
export interface UsageKey {
  id: string;
  api_key_hash: string;
  name: string;
  description: string;
  expiration: string;
  balance: number;
  can_create_groups: boolean;
  can_delete_groups: boolean;
  can_create_pkps: boolean;
  can_manage_ipfs_ids_in_groups: string[];
  can_add_pkp_to_groups: string[];
  can_remove_pkp_from_groups: string[];
  can_execute_in_groups: string[];
}

/** Version of the software, as the node names it. */
export interface Version {
  name: string;
  version: string;
  commit: string | null;
  compose_hash: string | null;
}
