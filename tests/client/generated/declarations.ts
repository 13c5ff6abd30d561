// Compiles only if the declarations of the client are those of the OpenAPI document and of the modules.
import type { components } from "./api.js";
import * as implementation from "./implementation.mjs";
import type * as api from "./svc-client.mjs";

type Schemas = components["schemas"];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** JSON of any form has another name here, and an unnamed grant or reason is a text. */
type Without<T, Names extends string> = { [Name in Exclude<keyof T, Names>]: T[Name] };

export const answers: [
  Same<api.NewAccount, Schemas["NewAccountAnswer"]>,
  Same<api.NewUsageKey, Schemas["AddUsageKeyAnswer"]>,
  Same<api.NewWallet, Schemas["CreateWalletAnswer"]>,
  Same<api.Mutation, Schemas["Mutation"]>,
  Same<api.MintedWallet, Schemas["MintedWallet"]>,
  Same<api.MintedUsageKey, Schemas["MintedUsageKey"]>,
  Same<api.Converted, Schemas["ConvertAnswer"]>,
  Same<api.UsageKey, Schemas["UsageKeyItem"]>,
  Same<api.Wallet, Schemas["WalletItem"]>,
  Same<api.Group, Schemas["GroupItem"]>,
  Same<api.Action, Schemas["ActionItem"]>,
  Same<Without<api.Run, "response" | "authorized_at_block">, Without<Schemas["SvcActionAnswer"], "response" | "error" | "has_error">>,
  Same<Without<api.Explanation, "missing">, Without<Schemas["ExplainAnswer"], "missing">>,
  Same<api.Balance, Schemas["BalanceAnswer"]>,
  Same<api.PaymentIntent, Schemas["CreatePaymentIntentAnswer"]>,
  Same<api.ConfirmedPayment, Schemas["ConfirmPaymentAnswer"]>,
  Same<api.Usage, Schemas["UsageItem"]>,
  Same<Without<api.TokenConfig, "how_to_pay">, Without<Schemas["TokenConfigAnswer"], "how_to_pay">>,
  Same<Without<api.TokenConfig["how_to_pay"], "abi">, Without<Schemas["HowToPay"], "abi">>,
  Same<Without<api.TokenPayment, "reason">, Without<Schemas["TokenPaymentItem"], "reason">>,
  Same<api.ChainConfig, Schemas["ChainConfig"]>,
  Same<api.Health, Schemas["Health"]>,
  Same<api.Version, Schemas["Version"]>,
  Same<api.Attestation, Schemas["Attestation"]>,
  Same<Without<api.Info, "tcb_info">, Without<Schemas["Info"], "tcb_info">>,
  Same<api.ActionFailed["error"], Schemas["SvcActionError"]>,
] = [
  true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true,
  true, true, true, true, true,
];

/** The classes of the modules fit their declarations, all of them and no others. */
export const modules: typeof api = implementation;
export const names: Same<keyof typeof api, keyof typeof implementation> = true;
