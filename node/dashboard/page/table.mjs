/** Tables with search and paging. */

import { LIST_MAX } from "./account.mjs";
import { button, emptyState, h, replace, uniqueId } from "./dom.mjs";

/** @typedef {import("./dom.mjs").Child} Child */

const PAGE_SIZE = 25;

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(item: T) => Child} cell
 * @property {boolean} [numeric] aligned right
 * @property {boolean} [actions] holds buttons; its title is for screen readers alone
 */

/**
 * Builds a table of items. `text` returns what the search looks through; without it there is no search.
 * @template T
 * @param {{caption: string, columns: Column<T>[], items: readonly T[], text?: (item: T) => string,
 *   empty: {title: string, advice: string, actions?: Child[]}, pageSize?: number}} options
 * @returns {HTMLElement}
 */
export function dataTable({ caption, columns, items, text, empty, pageSize = PAGE_SIZE }) {
  if (items.length === 0) return emptyState(empty.title, empty.advice, ...(empty.actions ?? []));
  const body = h("tbody");
  const status = h("p", { class: "muted", role: "status" });
  const search = /** @type {HTMLInputElement} */ (h("input", { type: "search", id: uniqueId("search"), placeholder: `Search ${caption}` }));
  let page = 0;
  const previous = button("Previous", () => show(page - 1), { small: true });
  const next = button("Next", () => show(page + 1), { small: true });

  function found() {
    const wanted = search.value.trim().toLowerCase();
    return text === undefined || wanted === "" ? items : items.filter((item) => text(item).toLowerCase().includes(wanted));
  }

  /** @param {number} wanted */
  function show(wanted) {
    const shown = found();
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    page = Math.min(Math.max(0, wanted), pages - 1);
    replace(body, shown.slice(page * pageSize, (page + 1) * pageSize).map((item) => row(columns, item)));
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
    const matching = shown.length === items.length ? `${items.length}` : `${shown.length} of ${items.length}`;
    const cut = items.length >= LIST_MAX ? ` Only the first ${LIST_MAX.toLocaleString("en-US")} are read.` : "";
    status.textContent = (pages === 1 ? `${matching} shown.` : `${matching}, page ${page + 1} of ${pages}.`) + cut;
  }

  search.addEventListener("input", () => show(0));
  show(0);
  const searched = text !== undefined && items.length > 5;
  return h(
    "div",
    { class: "table" },
    searched && h("div", { class: "table-tools" }, h("label", { for: search.id, class: "hidden" }, `Search ${caption}`), search),
    h(
      "table",
      {},
      h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, ...columns.map(heading))),
      body,
    ),
    h("div", { class: "table-foot" }, status, items.length > pageSize && h("div", { class: "actions" }, previous, next)),
  );
}

/**
 * @template T
 * @param {Column<T>} column
 */
function heading(column) {
  const title = column.actions ? h("span", { class: "hidden" }, column.title) : column.title;
  return h("th", { scope: "col", class: column.numeric ? "numeric" : null }, title);
}

/**
 * @template T
 * @param {Column<T>[]} columns
 * @param {T} item
 */
function row(columns, item) {
  // data-title: on a narrow screen the rows become blocks, and each cell shows its column's title.
  const cells = columns.map((column) => {
    const kind = [column.numeric ? "numeric" : "", column.actions ? "row-actions" : ""].filter(Boolean).join(" ");
    const attributes = { class: kind || null, "data-title": column.actions ? null : column.title };
    return h("td", attributes, h("div", {}, column.cell(item)));
  });
  return h("tr", {}, ...cells);
}
