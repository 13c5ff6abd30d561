/** Statement of a month: what was charged, by day and by key, to be printed or kept. */

import { LIST_MAX } from "./account.mjs";
import { button, h, load, notice, panel } from "./dom.mjs";
import { form, textField } from "./form.mjs";
import { dayText, dollars, shortened } from "./format.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Charge} Charge */
/** @typedef {{name: string, runs: number, changes: number, cents: number}} Line */

/** @param {Account} account */
export function statementPanel(account) {
  const month = textField({ label: "Month", type: "month", value: dayText(new Date()).slice(0, 7), required: true });
  const body = h("div");
  const show = () => load(body, () => statement(account, month.value()));
  return panel("Statement", form({ fields: [month], label: "Show the statement", submit: show }), body);
}

/**
 * @param {Account} account
 * @param {string} month `YYYY-MM`, of this browser's zone
 */
async function statement(account, month) {
  const start = new Date(`${month}-01T00:00`);
  if (Number.isNaN(start.getTime())) throw new Error("Type a month as year and month, such as 2026-11.");
  const end = new Date(start.getFullYear(), start.getMonth() + 1, 1);
  const period = { from: String(start.getTime() / 1000), to: String(end.getTime() / 1000) };
  const [charges, about] = await Promise.all([account.usage(period), account.describe()]);
  if (charges.length >= LIST_MAX) {
    return notice("warn", `This month has more than ${LIST_MAX.toLocaleString("en-US")} charges, too many for this page. Download them as CSV above, by week.`);
  }
  const title = start.toLocaleString("en-GB", { month: "long", year: "numeric" });
  const whole = linesOf(charges, () => "Total");
  return h("article", { class: "statement stack" },
    h("h3", {}, `Charges of ${title}`),
    about.address !== null && h("p", { class: "muted break" }, `Account of wallet ${about.address}`),
    lineTable("By day", "Day", linesOf(charges, (charge) => dayText(new Date(charge.time))), whole),
    lineTable("By key", "Key", linesOf(charges, (charge) => (charge.keyHash === null ? "Account key" : shortened(charge.keyHash))), whole),
    h("p", { class: "muted" }, "Charges of this account key and of all its usage keys. Payments are receipts of the card processor, or transactions on chain."),
    h("div", { class: "actions" }, button("Print", () => print())));
}

/**
 * Sums charges by a name, in the order of the names.
 * @param {readonly Charge[]} charges
 * @param {(charge: Charge) => string} nameOf
 * @returns {Line[]}
 */
export function linesOf(charges, nameOf) {
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const charge of charges) {
    const name = nameOf(charge);
    const line = lines.get(name) ?? { name, runs: 0, changes: 0, cents: 0 };
    lines.set(name, line);
    if (charge.service === "execution") line.runs += 1;
    else line.changes += 1;
    line.cents += charge.chargedCents;
  }
  return [...lines.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * @param {string} caption
 * @param {string} title of the first column
 * @param {readonly Line[]} lines
 * @param {readonly Line[]} whole their sum; empty without a charge
 */
function lineTable(caption, title, lines, whole) {
  const cells = (/** @type {Line} */ line) => [
    h("td", { class: "numeric", "data-title": "Runs" }, line.runs.toLocaleString("en-US")),
    h("td", { class: "numeric", "data-title": "Changes" }, line.changes.toLocaleString("en-US")),
    h("td", { class: "numeric", "data-title": "Charged" }, dollars(line.cents)),
  ];
  const total = whole[0] ?? { name: "Total", runs: 0, changes: 0, cents: 0 };
  return h("div", { class: "table" },
    h("table", {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title), ...["Runs", "Changes", "Charged"].map((text) => h("th", { scope: "col", class: "numeric" }, text)))),
      h("tbody", {}, ...lines.map((line) => h("tr", {}, h("th", { scope: "row" }, line.name), ...cells(line)))),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, total.name), ...cells(total)))));
}
