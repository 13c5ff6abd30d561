/** Overview: credit, spending, keys, recent changes, and what is known of the node. */

import { LIST_MAX } from "./account.mjs";
import { badge, button, emptyState, figure, h, load, pageHead, panel, put, replace } from "./dom.mjs";
import { counted, dollars, operationText, shortened, timeText } from "./format.mjs";
import { grantPhrases, isExpired, limitPhrases } from "./permissions.mjs";
import { byDay, usageChart } from "./usage-chart.mjs";
import { verificationPanel } from "./verification-panel.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Charge} Charge */
/** @typedef {import("./account.mjs").Group} Group */
/** @typedef {import("./account.mjs").UsageKey} UsageKey */
/** @typedef {import("./app.mjs").App} App */

const PERIODS_DAYS = [30, 7, 1];
const DAY_S = 86_400;
const SHOWN_MAX = 6;

/**
 * Shows the overview.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const money = h("div", { class: "page" });
  const keys = panel("Usage keys", h("div"));
  put(root,
    pageHead("Overview", "This account and this node at a glance."),
    money,
    h("div", { class: "grid" }, keys, verificationPanel(app)));
  await Promise.all([
    account.kind === "chain" ? replace(money, askForMoney(money, app, account)) : load(money, () => moneyPanels(app, account)),
    load(/** @type {Element} */ (keys.lastElementChild), () => keyLines(app, account)),
  ]);
}

/**
 * Panel of a wallet's account, whose credit the node shows only after the wallet has signed.
 * @param {HTMLElement} money
 * @param {App} app
 * @param {Account} account
 */
function askForMoney(money, app, account) {
  return panel("Credit and spending",
    h("p", {}, "The node shows them to the account's wallet alone: it asks the wallet to sign a message, which costs nothing."),
    button("Show them", () => load(money, () => moneyPanels(app, account))));
}

/**
 * @param {App} app
 * @param {Account} account
 */
async function moneyPanels(app, account) {
  const now = Date.now();
  const [balance, spent] = await Promise.all([account.balance(), recentCharges(account, now)]);
  const days = byDay(spent.charges, spent.days, new Date(now));
  const runs = spent.charges.filter((charge) => charge.service === "execution").length;
  const total = spent.charges.reduce((sum, charge) => sum + charge.chargedCents, 0);
  // The node shows a usage key its own charges alone.
  const period = `${app.role === "usage" ? "by this key " : ""}in the last ${counted(spent.days, "day")}`;
  return [
    h("div", { class: "figures" },
      figure("Credit", dollars(balance.creditCents), balance.reservedCents > 0 ? `${dollars(balance.reservedCents)} reserved for runs` : "available"),
      figure("Spent", dollars(total), period),
      figure("Actions run", runs.toLocaleString("en-US"), period)),
    h("div", { class: "grid wide-first" },
      panel(`Spending by day, last ${counted(spent.days, "day")}`,
        spent.complete ? null : h("p", { class: "muted" }, `Only the first ${LIST_MAX.toLocaleString("en-US")} charges of the day are counted. Billing exports all of them.`),
        usageChart(days)),
      panel("Recent changes", changes(account, spent.charges))),
  ];
}

/**
 * Charges of the longest period whose list is read to its end.
 * @param {Account} account
 * @param {number} now in milliseconds
 */
async function recentCharges(account, now) {
  for (const days of PERIODS_DAYS) {
    const charges = await account.usage({ from: String(Math.floor(now / 1000) - days * DAY_S) });
    const complete = charges.length < LIST_MAX;
    if (complete || days === PERIODS_DAYS.at(-1)) return { days, charges, complete };
  }
  throw new Error("unreachable");
}

/**
 * @param {Account} account
 * @param {readonly Charge[]} charges
 */
function changes(account, charges) {
  const writes = charges.filter((charge) => charge.service === "write").sort((one, other) => other.time.localeCompare(one.time)).slice(0, SHOWN_MAX);
  if (account.kind === "chain") return h("p", {}, "The wallet's own transactions make the changes. ", h("a", { href: "#/chain" }, "Those of this tab"), " are listed there.");
  if (writes.length === 0) return emptyState("No changes yet", "Changes of keys, groups, actions and wallets appear here.");
  return h("ul", { class: "lines" }, ...writes.map((write) =>
    h("li", {}, h("span", {}, operationText(write.operation)),
      h("span", { class: "muted" }, `${timeText(write.time)}${write.keyHash === null ? "" : `, key ${shortened(write.keyHash)}`}`))));
}

/**
 * @param {App} app
 * @param {Account} account
 */
async function keyLines(app, account) {
  if (app.role === "usage") return h("p", {}, "This is a usage key. ", h("a", { href: "#/keys" }, "Ask what it may do."));
  const [keys, groups] = await Promise.all([account.listUsageKeys(), account.listGroups()]);
  if (keys.length === 0) return emptyState("No usage keys yet", "Give each program a key of its own.", h("a", { href: "#/keys" }, "Make a usage key"));
  const now = Date.now() / 1000;
  const rest = keys.length - SHOWN_MAX;
  return [
    h("ul", { class: "lines" }, ...keys.slice(0, SHOWN_MAX).map((key) => keyLine(key, groups, now))),
    h("p", {}, h("a", { href: "#/keys" }, rest > 0 ? `All ${counted(keys.length, "usage key")}` : "Change usage keys")),
  ];
}

/**
 * @param {UsageKey} key
 * @param {readonly Group[]} groups
 * @param {number} now unix seconds
 */
function keyLine(key, groups, now) {
  return h("li", {},
    h("span", { class: "cell-title" }, key.name === "" ? "(no name)" : key.name, isExpired(key, now) && [" ", badge("expired", "bad")]),
    h("span", {}, `May ${grantPhrases(key, groups).join("; ")}.`),
    h("span", { class: "muted" }, limitPhrases(key, now).join(", ")));
}
