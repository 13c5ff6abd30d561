/** Matrix of actions and wallets: what one usage key may do with each. */

import { EVERY_ACTION, actionName, walletName } from "./account.mjs";
import { button, h, notice, replace } from "./dom.mjs";
import { openDialog } from "./dialog.mjs";
import { textField } from "./form.mjs";
import { OTHER_CODE, decide, decisionText, grantPhrases, isExpired } from "./permissions.mjs";

/** @typedef {import("./account.mjs").UsageKey} UsageKey */
/** @typedef {import("./account.mjs").Group} Group */
/** @typedef {import("./account.mjs").Wallet} Wallet */
/** @typedef {import("./account.mjs").Action} Action */
/** @typedef {{groups: readonly Group[], wallets: readonly Wallet[], actions: readonly Action[]}} Lists */

const ROWS_MAX = 40;
const COLUMNS_MAX = 12;

/**
 * Opens the matrix of a key.
 * @param {UsageKey} key
 * @param {Lists} lists
 */
export function openMatrix(key, lists) {
  openDialog(`What ${key.name === "" ? "this key" : key.name} may do`, (close) => [
    isExpired(key, Date.now() / 1000) && notice("warn", "The key has expired and may do nothing. Below is what it could do."),
    h("p", {}, `May ${grantPhrases(key, lists.groups).join("; ")}.`),
    matrix(key, lists),
    h("div", { class: "actions end" }, button("Close", close)),
  ], { wide: true });
}

/**
 * @param {UsageKey} key
 * @param {Lists} lists
 */
function matrix(key, lists) {
  const rows = rowsOf(lists);
  const reason = h("p", { class: "reason", role: "status" }, "Choose a cell to see why.");
  const status = h("p", { class: "muted" });
  const table = h("table");
  const actionSearch = textField({ label: "Search actions", type: "search" });
  const walletSearch = textField({ label: "Search wallets", type: "search" });

  function show() {
    const actions = matching(rows, actionSearch.value(), (row) => `${row.name} ${row.hash}`);
    const wallets = matching(lists.wallets, walletSearch.value(), (wallet) => `${walletName(wallet.address, lists.wallets)} ${wallet.address}`);
    const columns = wallets.slice(0, COLUMNS_MAX);
    const head = h("tr", {}, h("th", { scope: "col" }, "Action"), h("th", { scope: "col" }, "Run it"),
      ...columns.map((wallet) => h("th", { scope: "col", title: wallet.address }, `With ${walletName(wallet.address, lists.wallets)}`)));
    replace(table,
      h("caption", { class: "hidden" }, "Actions and wallets that the key may use"),
      h("thead", {}, head),
      h("tbody", {}, ...actions.slice(0, ROWS_MAX).map((row) => matrixRow(key, row, columns, lists, reason))));
    const cut = actions.length > ROWS_MAX || wallets.length > COLUMNS_MAX;
    status.textContent = cut
      ? `${Math.min(actions.length, ROWS_MAX)} of ${actions.length} actions and ${columns.length} of ${wallets.length} wallets: search for the others.`
      : "";
  }

  actionSearch.element.addEventListener("input", show);
  walletSearch.element.addEventListener("input", show);
  show();
  const searches = rows.length > 8 || lists.wallets.length > 6;
  return h("div", { class: "stack" },
    searches && h("div", { class: "two" }, actionSearch.element, walletSearch.element),
    h("div", { class: "matrix", role: "region", "aria-label": "Actions and wallets", tabindex: "0" }, table),
    status, reason);
}

/** @param {Lists} lists */
function rowsOf({ actions, groups }) {
  const listed = groups.flatMap((group) => group.actions).filter((hash) => hash !== EVERY_ACTION);
  const hashes = [...new Set([...actions.map((action) => action.hash), ...listed])];
  return [...hashes.map((hash) => ({ hash, name: actionName(hash, actions) })), { hash: OTHER_CODE, name: "any other code" }];
}

/**
 * @param {UsageKey} key
 * @param {{hash: string, name: string}} row
 * @param {readonly Wallet[]} columns
 * @param {Lists} lists
 * @param {Element} reason
 */
function matrixRow(key, row, columns, lists, reason) {
  const cell = (/** @type {Wallet | null} */ wallet) => {
    const decision = decide(key, row.hash, wallet?.address ?? null, lists);
    const what = wallet === null ? `Run ${row.name}` : `${row.name} with ${walletName(wallet.address, lists.wallets)}`;
    const show = () => replace(reason, h("strong", {}, `${what}: `), decisionText(decision, lists.groups));
    const answer = decision.allowed ? "Yes" : "No";
    const element = button(answer, show, { small: true, variant: "plain", label: `${what}: ${answer}` });
    element.classList.add(decision.allowed ? "yes" : "no");
    return h("td", {}, element);
  };
  return h("tr", {}, h("th", { scope: "row" }, row.name), cell(null), ...columns.map(cell));
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {string} search
 * @param {(item: T) => string} text
 */
function matching(items, search, text) {
  const wanted = search.trim().toLowerCase();
  return items.filter((item) => text(item).toLowerCase().includes(wanted));
}
