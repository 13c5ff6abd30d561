/**
 * Client of a node for browsers, Node.js 20 or later, and Deno, without dependencies.
 *
 * It does NOT verify the node: JavaScript cannot see the certificate of its own connection. Use it behind `svc proxy` or
 * `svc dashboard`, which prove the node first, or in a page that they serve.
 *
 * Answers have the names of the API. Members that are secrets (`api_key`, `usage_api_key`, `client_secret`) are read by their
 * name, and are shown by neither `console.log` nor `JSON.stringify`.
 */

import type * as models from "./svc-models.mjs";

export type * from "./svc-models.mjs";

export type GroupId = number | string;
/** An address, or the number of a wallet of the account. */
export type WalletId = number | string;
/** EIP-712 typed data, as an object or its JSON (docs/chain-secured.md). */
export type TypedData = object | string;

export interface ClientOptions {
  /** Printable ASCII. It is sent in one header, to the endpoints that need it, and is shown nowhere. */
  apiKey?: string;
  /**
   * Token that `svc proxy` printed at its start; instead of `apiKey`, and to `http://` alone. The proxy then adds the key of its
   * profile. A program that listens at the proxy's address after its end gets no key by it.
   */
  proxyToken?: string;
  /**
   * Returns what the admin wallet of a ChainSecured account signed as `BillingAuth`. Asked before each call of `billing` that
   * needs a key, whose key it replaces; it rejects with its own error.
   */
  walletAuth?: () => SignedTypedData | Promise<SignedTypedData>;
  /** Takes the place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** For one call with its retries. 120,000 without it. */
  timeoutMs?: number;
}

export interface SignedTypedData {
  typed_data: TypedData;
  signature: string;
}

/** Client of one node. Its parts hold the endpoints by subject. */
export class SvcClient {
  /**
   * `baseUrl` is `https://HOST[:PORT]`, or `http://` to this machine, without a path. Nothing is connected yet. Throws
   * InvalidArgument.
   */
  constructor(baseUrl: string | URL, options?: ClientOptions);
  readonly account: Account;
  readonly wallets: Wallets;
  readonly groups: Groups;
  readonly actions: Actions;
  readonly usageKeys: UsageKeys;
  readonly billing: Billing;
  readonly node: Node;
  /** Returns why the key may or may not run an action, given as code or CID, and use a wallet. */
  explain(question: { code?: string; cid?: string; wallet?: WalletId }): Promise<models.Explanation>;
}

/** The account of the key. */
export interface Account {
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Makes an account; needs no key. The response holds its key, which is shown once. */
  create(name: string, description?: string, email?: string): Promise<models.NewAccount>;
  /** Returns whether the key's account exists. */
  exists(): Promise<boolean>;
  /** Hands the account to a wallet for good. `signature` signs `ConvertAccount`. */
  convert(newAdmin: string, typedData: TypedData, signature: string): Promise<models.Converted>;
}

/** Wallets of the account. */
export interface Wallets {
  /** Mints a wallet. */
  create(name?: string, description?: string): Promise<models.NewWallet>;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Goes over all wallets after reading every page. */
  list(): AsyncGenerator<models.Wallet, void>;
  /** Goes over the wallets of a group. */
  inGroup(group: GroupId): AsyncGenerator<models.Wallet, void>;
  /** Mints a wallet for a ChainSecured account. `signature` signs `CreateWallet`. */
  mintWithSignature(typedData: TypedData, signature: string): Promise<models.MintedWallet>;
}

/** Group, for grants that read as sentences: `await group.allow({ action: cid, wallet: address })`. */
export interface GroupHandle {
  readonly id: string;
  /** Lets the group's keys run an action (a CID), and use a wallet in the group's actions. Returns the group. */
  allow(what: { action?: string; wallet?: WalletId }): Promise<GroupHandle>;
  /** Takes an action, by its hash, or a wallet out of the group. Returns the group. */
  forbid(what: { hashedCid?: string; wallet?: WalletId }): Promise<GroupHandle>;
}

/** Groups: which wallets are used by which actions. */
export interface Groups {
  /** Makes a group that holds these wallets and hashed CIDs. */
  create(
    name: string,
    description?: string,
    options?: { wallets?: readonly WalletId[]; actionHashes?: readonly string[] },
  ): Promise<GroupHandle>;
  /** Returns the group of this id, without asking the node. */
  of(group: GroupId): GroupHandle;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Goes over all groups after reading every page. */
  list(): AsyncGenerator<models.Group, void>;
  /** Replaces everything of a group; both lists are replaced whole. */
  update(
    group: GroupId,
    name: string,
    description: string,
    wallets: readonly WalletId[],
    actionHashes: readonly string[],
  ): Promise<models.Mutation>;
  /** Removes a group. */
  remove(group: GroupId): Promise<models.Mutation>;
  /** Puts a wallet into a group. */
  addWallet(group: GroupId, wallet: WalletId): Promise<models.Mutation>;
  /** Takes a wallet out of a group. */
  removeWallet(group: GroupId, wallet: WalletId): Promise<models.Mutation>;
  /** Puts an action, by its CID, into a group. */
  addAction(group: GroupId, cid: string): Promise<models.Mutation>;
  /** Takes an action, by its hash, out of a group. */
  removeAction(group: GroupId, hashedCid: string): Promise<models.Mutation>;
}

export interface RunOptions {
  /** Ends the run, and its price, after so long; without it the node's own limit does, or the deadline if it is `idempotent`. */
  maxSeconds?: number;
  /**
   * Carries an Idempotency-Key: where its answer is lost it is asked for again, and the run never begins twice. It goes on when
   * this call ends. Throws Unanswered where its node ended meanwhile; so does any other run whose answer is lost. Pass it in a
   * browser: browsers repeat a request by themselves when a connection that they have used before closes without an answer.
   */
  idempotent?: boolean;
  /** For this call with its retries. */
  timeoutMs?: number;
  /** Ends the call: it rejects with the signal's reason, and the node stops the run and charges the seconds that had begun. */
  signal?: AbortSignal;
}

/** Actions: code that runs in the TEE. */
export interface Actions {
  /**
   * Runs code and returns its result, decided at the newest block this client has seen, or later. Throws ActionFailed for the
   * action's own error.
   */
  run(code: string, params?: { [name: string]: models.JsonValue } | null, options?: RunOptions): Promise<models.Run>;
  /** Returns the CID of code. */
  cid(code: string): Promise<string>;
  /** Goes over the actions of a group. */
  inGroup(group: GroupId): AsyncGenerator<models.Action, void>;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Goes over all registered actions after reading every page. */
  list(): AsyncGenerator<models.Action, void>;
  /** Registers an action with the account. */
  register(cid: string, name: string, description?: string): Promise<models.Mutation>;
  /** Gives a registered action another name and description. */
  rename(hashedCid: string, name: string, description?: string): Promise<models.Mutation>;
  /** Deletes an action; it leaves every group. */
  delete(hashedCid: string): Promise<models.Mutation>;
}

/** Rights of a usage key beside running actions. Lists hold group ids; `0` means every group, present and future. */
export interface Grants {
  createGroups?: boolean;
  deleteGroups?: boolean;
  createWallets?: boolean;
  manageActionsIn?: readonly GroupId[];
  addWalletsIn?: readonly GroupId[];
  removeWalletsIn?: readonly GroupId[];
  /** Unix seconds; 0 never. Without it: never, and unchanged in an update. */
  expires?: number;
  /** Lifetime spending cap; 0 none. Without it: none, and unchanged in an update. */
  capCents?: number;
}

export interface UsageKeyOptions {
  /** Groups whose actions the key may run. */
  executeIn?: readonly GroupId[];
  description?: string;
}

/** Usage keys: what a backend's parts may do. Only the account key manages them. */
export interface UsageKeys {
  /** Makes a usage key that may run the actions of `executeIn`, and whatever else `grants` says. */
  create(name: string, grants?: Grants, options?: UsageKeyOptions): Promise<models.NewUsageKey>;
  /** Replaces everything a key may do. */
  update(apiKeyHash: string, name: string, grants: Grants, options?: UsageKeyOptions): Promise<models.Mutation>;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Goes over all usage keys after reading every page. */
  list(): AsyncGenerator<models.UsageKey, void>;
  /** Gives a key another name and description. */
  rename(apiKeyHash: string, name: string, description?: string): Promise<models.Mutation>;
  /** Removes a key, by the hash that lists show. */
  remove(apiKeyHash: string): Promise<models.Mutation>;
  /** Mints a usage key for a ChainSecured account. `signature` signs `AddUsageApiKey`. */
  mintWithSignature(typedData: TypedData, signature: string): Promise<models.MintedUsageKey>;
}

/** Times as RFC 3339 or unix seconds. `from` is included, `to` is not. */
export interface Period {
  from?: string | number;
  to?: string | number;
}

/** Credit: balance, payments, and what it was spent on. */
export interface Billing {
  /** Returns the card processor's publishable key; needs no key. */
  publishableKey(): Promise<string>;
  /** Goes over the charges, the oldest first. */
  usage(period?: Period): AsyncGenerator<models.Usage, void>;
  /** Returns the charges as CSV. */
  usageCsv(period?: Period): Promise<string>;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Returns the credit of the account. */
  balance(): Promise<models.Balance>;
  /** Begins a card payment of at least 500 cents. */
  beginPayment(amountCents: number): Promise<models.PaymentIntent>;
  /** Credits a payment that succeeded. Repeating it adds no second credit. */
  confirmPayment(paymentIntentId: string): Promise<models.ConfirmedPayment>;
  /** Returns the terms of payment in tokens. */
  tokenConfig(): Promise<models.TokenConfig>;
  /** Goes over the deposits the node saw. */
  tokenPayments(): AsyncGenerator<models.TokenPayment, void>;
}

/** The node itself. Nothing here needs a key, and none is sent. */
export interface Node {
  /** Returns a quote. A nonce of 64 hex digits asks for a fresh one. */
  attestation(nonce?: string): Promise<models.Attestation>;
  /** Returns a file of the evidence set, for instance `sha256sum.txt`. */
  evidence(name: string): Promise<Uint8Array>;
  // Made of client/endpoints.toml by `make format`, from here on:
  /** Returns the settlement chain and the account contract. */
  chain(): Promise<models.ChainConfig>;
  /** Returns the node's health. */
  health(): Promise<models.Health>;
  /** Returns the software version that the node claims, without proof. */
  version(): Promise<models.Version>;
  /** Returns every limit that users meet, by name, and the prices. */
  limits(): Promise<{ [name: string]: models.JsonValue }>;
  /** Returns the addresses that send transactions for API-mode accounts. */
  payers(): Promise<string[]>;
  /** Returns the address that names the payers. */
  adminPayer(): Promise<string>;
  /** Returns the ABI of the account contract. */
  accountContractAbi(): Promise<{ [name: string]: models.JsonValue }[]>;
  /** Returns the ABI of the contract that takes payments in tokens. */
  depositContractAbi(): Promise<{ [name: string]: models.JsonValue }[]>;
  /** Returns the TEE platform's description of the node. */
  info(): Promise<models.Info>;
}

/** Base of everything the client throws. */
export class SvcError extends Error {}
/** An argument that cannot be used. */
export class InvalidArgument extends SvcError {}
/** An answer that does not have the form of the API. The request may have been carried out. */
export class InvalidAnswer extends SvcError {}
/** No answer before the deadline. */
export class Unreachable extends SvcError {}
/** A run began, or may have begun, and its answer is lost. The statement shows whether it was charged. With `idempotent: true` an answer is lost only with its node. */
export class Unanswered extends SvcError {}

/** The action itself failed. `error` is its error, with what to do (`fix`) where the node knows it. */
export class ActionFailed extends SvcError {
  /** `answer`: that of a run that failed. */
  constructor(answer: object);
  readonly error: { name: string; message: string; stack: string; fix?: string };
  readonly logs: string;
  readonly chargedCents: number;
  readonly durationMs: number;
}

/** Refusal by the node; `code` is the `error` of docs/api.md. */
export class ApiError extends SvcError {
  /** `told`: the JSON of the answer; `requestId`: of its header. */
  constructor(status: number, told: object, requestId: string | null);
  readonly status: number;
  readonly code: string;
  readonly fix: string | null;
  readonly requestId: string | null;
  readonly details: { [name: string]: models.JsonValue };
}

/** 400, 405, 413 or 415: the request is wrong. */
export class BadRequest extends ApiError {}
/** 401: no key, or one that is unknown, removed or expired. */
export class Unauthorized extends ApiError {}
/** 402: too little credit, or the key's cap is reached. */
export class PaymentRequired extends ApiError {}
/** 403: a grant is missing. */
export class Forbidden extends ApiError {
  /** Name of the missing grant; null if the node did not say. */
  get missing(): string | null;
}
/** 404: the path, group, action, wallet or key does not exist. */
export class NotFound extends ApiError {}
/** 409: it exists already, or an idempotency key was used for another request. */
export class Conflict extends ApiError {}
/** 429: a rate or load limit. */
export class RateLimited extends ApiError {}
/** 500: a fault of the node. */
export class ServerFault extends ApiError {}
/** 503: something the node depends on is out. */
export class Unavailable extends ApiError {}
/** 504: the transaction was sent and not confirmed in time. */
export class ChainTimeout extends ApiError {
  /** Hash of the transaction; null if the node did not say. */
  get transactionHash(): string | null;
}
