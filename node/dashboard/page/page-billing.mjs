/** Billing: credit, payments, what credit was spent on, and statements. */

import { LIST_MAX } from "./account.mjs";
import { cardPanel } from "./billing-card.mjs";
import { statementPanel } from "./billing-statement.mjs";
import { tokenPanel } from "./billing-tokens.mjs";
import { downloadButton } from "./dialog.mjs";
import { figure, h, load, notice, pageHead, panel, put } from "./dom.mjs";
import { form, textField } from "./form.mjs";
import { dayText, dollars, operationText, shortened, timeText } from "./format.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Charge} Charge */
/** @typedef {import("./account.mjs").Period} Period */
/** @typedef {import("./app.mjs").App} App */

const PERIOD_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Shows the page.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const credit = h("div");
  const showCredit = () => load(credit, () => creditFigures(account));
  put(root, pageHead("Billing", "Credit pays for runs and for changes. Amounts are in US dollars."), credit);
  if (app.role === "former") {
    put(root, notice("info", "This key's account belongs to a wallet now. Sign in with the wallet for payments and charges."));
    return showCredit();
  }
  const payments = h("div", { class: "grid" });
  put(root, payments, usagePanel(account), statementPanel(account));
  put(payments, cardPanel(app, showCredit), tokenPanel(app, showCredit));
  await showCredit();
}

/** @param {Account} account */
async function creditFigures(account) {
  const { creditCents, reservedCents } = await account.balance();
  return h("div", { class: "figures" },
    figure("Credit", dollars(creditCents), creditCents > 0 ? "for runs and changes" : "Runs and changes are refused until credit is added."),
    figure("Reserved", dollars(reservedCents), "for runs and changes in progress"));
}

/** @param {Account} account */
function usagePanel(account) {
  const from = textField({ label: "From", type: "date", value: dayText(new Date(Date.now() - PERIOD_DAYS * DAY_MS)), required: true });
  const to = textField({ label: "To, inclusive", type: "date", value: dayText(new Date()), required: true });
  const list = h("div", { class: "stack" });
  const search = form({ fields: [h("div", { class: "grid" }, from.element, to.element)], label: "Show", submit: showCharges });
  async function showCharges() {
    const period = periodOf(from, to);
    if (period !== null) await load(list, () => charges(account, period, `${from.value()}-to-${to.value()}`));
  }
  void showCharges();
  return panel("Charges", search, list);
}

/**
 * Period between two days of this browser's zone; null when a field is wrong, which then says why.
 * @param {import("./form.mjs").TextField} from
 * @param {import("./form.mjs").TextField} to
 * @returns {Period | null}
 */
function periodOf(from, to) {
  for (const field of [from, to]) {
    const error = field.check();
    if (error === null) continue;
    field.fail(error);
    return null;
  }
  if (from.value() > to.value()) {
    to.fail("This is before the first day.");
    return null;
  }
  const end = new Date(`${to.value()}T00:00`);
  end.setDate(end.getDate() + 1);
  return { from: unixText(new Date(`${from.value()}T00:00`)), to: unixText(end) };
}

/** @param {Date} date */
function unixText(date) {
  return String(Math.floor(date.getTime() / 1000));
}

/**
 * @param {Account} account
 * @param {Period} period
 * @param {string} name of the period, for the file
 */
async function charges(account, period, name) {
  const found = await account.usage(period);
  const total = found.reduce((sum, charge) => sum + charge.chargedCents, 0);
  const isCut = found.length >= LIST_MAX;
  return [
    h("div", { class: "actions" },
      h("p", {}, h("strong", {}, dollars(total)), isCut ? ` in the first ${LIST_MAX.toLocaleString("en-US")} charges` : " in this period"),
      downloadButton("Download CSV", `charges-${name}.csv`, () => account.usageCsv(period), "text/csv")),
    isCut ? notice("warn", `There are more than ${LIST_MAX.toLocaleString("en-US")} charges. Choose a shorter period, or download the CSV.`) : null,
    chargeTable(found),
  ];
}

/** @param {readonly Charge[]} found */
function chargeTable(found) {
  return dataTable({
    caption: "charges",
    items: [...found].reverse(),
    text: (charge) => `${charge.service === "execution" ? "run" : operationText(charge.operation)} ${charge.operation ?? ""} ${charge.cid ?? ""} ${charge.keyHash ?? ""} ${charge.requestId ?? ""}`,
    empty: { title: "No charges in this period", advice: "Runs and changes appear here a moment after they end." },
    columns: [
      { title: "Time", cell: (charge) => timeText(charge.time) },
      { title: "What", cell: (charge) => [charge.service === "execution" ? "Run" : operationText(charge.operation), charge.cid !== null && h("div", { class: "muted" }, h("code", { title: charge.cid }, shortened(charge.cid)))] },
      { title: "Key", cell: (charge) => (charge.keyHash === null ? "account key" : h("code", { title: charge.keyHash }, shortened(charge.keyHash))) },
      { title: "Duration", numeric: true, cell: (charge) => (charge.durationMs === null ? "" : `${(charge.durationMs / 1000).toFixed(2)} s`) },
      { title: "Charged", numeric: true, cell: (charge) => dollars(charge.chargedCents) },
    ],
  });
}
