/** Payments in tokens of the reader's wallet, and the deposits that the node saw. */

import { payWithTokens } from "./chain-session.mjs";
import { badge, button, h, identifier, load, notice, panel, replace } from "./dom.mjs";
import { form, selectField, textField } from "./form.mjs";
import { counted, dollars } from "./format.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./app.mjs").App} App */
/** @typedef {import("./svc-client.mjs").TokenConfig} TokenConfig */
/** @typedef {import("./svc-client.mjs").TokenPayment} TokenPayment */

const DEPOSITS_MAX = 100;
/** @type {Record<TokenPayment["status"], "good" | "warn" | "bad" | "plain">} */
const TONES = { pending: "warn", credited: "good", ignored: "bad", dropped: "bad" };

/**
 * Panel that pays with tokens. `paid` runs after a deposit.
 * @param {App} app
 * @param {() => unknown} paid
 */
export function tokenPanel(app, paid) {
  const body = h("div", { class: "stack" });
  void load(body, () => content(app, paid));
  return panel("Add credit with tokens", body);
}

/**
 * @param {App} app
 * @param {() => unknown} paid
 */
async function content(app, paid) {
  // The attested settings say whether there is a deposit contract, and a payment is compared with them before it is sent.
  if (app.verification === null) await new Promise((resolve) => app.addEventListener("verification", resolve, { once: true }));
  const settings = app.verification?.config?.["settings"];
  if (settings === undefined) return notice("warn", "The node's statement cannot be read here, so that no deposit contract could be compared with it.");
  if (!settings["token_deposit_contract"]) return notice("info", "This node takes no tokens.");
  const config = await app.client.billing.tokenConfig();
  const deposits = h("div");
  const showDeposits = () => load(deposits, () => depositTable(app));
  void showDeposits();
  return [paymentForm(app, config, () => Promise.all([showDeposits(), paid()])), deposits, h("div", { class: "actions" }, button("Look again", () => Promise.all([showDeposits(), paid()]), { small: true }))];
}

/**
 * @param {App} app
 * @param {TokenConfig} config
 * @param {() => Promise<unknown>} sent
 */
function paymentForm(app, config, sent) {
  const token = selectField({
    label: "Token",
    choices: config.tokens.map((each) => ({ value: each.address, label: `${each.symbol}: 1 is ${dollars(each.microdollars_per_token / 10_000)}` })),
  });
  const amount = textField({
    label: "Amount in tokens",
    required: true,
    help: `Two transactions of your wallet: an allowance, and the deposit. It is credited after ${counted(config.confirmations, "confirmation")}.`,
  });
  const done = h("div", { "aria-live": "polite" });
  const submit = async () => {
    replace(done);
    const receipt = await payWithTokens(app, config, token.value(), amount.value());
    replace(done, notice("info", h("p", {}, "The deposit is on chain. The node credits it after its confirmations."), identifier(receipt.transactionHash, "transaction hash")));
    await sent();
  };
  return h("div", { class: "stack" }, form({ fields: [token, amount], label: "Pay with a wallet", submit }), done);
}

/** @param {App} app */
async function depositTable(app) {
  /** @type {TokenPayment[]} */
  const deposits = [];
  for await (const each of app.client.billing.tokenPayments()) {
    if (deposits.push(each) === DEPOSITS_MAX) break;
  }
  return dataTable({
    caption: "deposits",
    items: deposits,
    empty: { title: "No deposits yet", advice: "Deposits for this account appear here as soon as the node sees them on chain." },
    columns: [
      { title: "Deposit", cell: (each) => identifier(each.transaction_hash, "transaction hash") },
      { title: "Amount", numeric: true, cell: (each) => `${each.amount_display ?? each.amount} ${each.symbol ?? ""}` },
      { title: "State", cell: (each) => [badge(each.status, TONES[each.status]), stateText(each) !== "" && h("div", { class: "muted" }, stateText(each))] },
    ],
  });
}

/** @param {TokenPayment} deposit */
function stateText({ status, reason, confirmations, confirmations_needed: needed }) {
  return status === "pending" ? `${confirmations ?? 0} of ${needed} confirmations` : (reason ?? "");
}
