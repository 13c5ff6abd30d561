/** Panel that asks the node what the key of the session may do. */

import { actionName, walletName } from "./account.mjs";
import { badge, button, failure, h, notice, panel, replace } from "./dom.mjs";
import { form, selectField, textField } from "./form.mjs";
import { decisionText } from "./permissions.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./app.mjs").App} App */
/** @typedef {import("./account.mjs").Action} Action */
/** @typedef {import("./key-matrix.mjs").Lists} Lists */

/** The node answers sixty explanations a minute for an account. */
const QUESTIONS_MAX = 40;

/**
 * Builds the panel: one question, and for a usage key everything at once.
 * @param {App} app
 * @param {Lists} lists
 */
export function explainPanel(app, lists) {
  const title = "May the key of this session…?";
  if (app.account?.kind === "chain") {
    return panel(title, h("p", {}, "A wallet administers this account and has no key, so it runs nothing itself. Sign in with a usage key to ask what that key may do."));
  }
  const answer = h("div", { class: "message", role: "status" });
  return panel(title,
    h("p", { class: "muted" }, "The node decides as it would for a run, without running anything."),
    questionForm(app, lists, answer), answer,
    app.role === "usage" && everything(app, lists));
}

/**
 * @param {App} app
 * @param {Lists} lists
 * @param {Element} answer
 */
function questionForm(app, { actions, wallets, groups }, answer) {
  const known = actions.filter((action) => action.cid !== null);
  const choices = [...known.map((action) => ({ value: action.cid ?? "", label: actionName(action.hash, actions) })), { value: "", label: "another, by its CID" }];
  const action = selectField({ label: "Action", choices });
  const cid = textField({ label: "CID", code: true, help: "Where no registered action is chosen." });
  const wallet = selectField({
    label: "Wallet",
    choices: [{ value: "", label: "none" }, ...wallets.map((each) => ({ value: each.address, label: walletName(each.address, wallets) }))],
  });
  const show = () => (cid.element.hidden = action.value() !== "");
  action.element.addEventListener("change", show);
  show();
  const submit = async () => {
    const asked = action.value() === "" ? cid.value().trim() : action.value();
    if (asked === "") {
      cid.fail("Write the CID of the action.");
      return;
    }
    const found = await app.client.explain({ cid: asked, ...(wallet.value() === "" ? {} : { wallet: wallet.value() }) });
    const allowed = found.decision === "allow";
    const text = allowed && found.group === undefined ? "Allowed: this is the account key." : decisionText({
      allowed,
      missing: found.missing === "wallet_in_group" ? "wallet_in_group" : allowed ? null : "execute_in_groups",
      group: found.group ?? null,
    }, groups);
    replace(answer,
      h("p", {}, badge(allowed ? "allowed" : "refused", allowed ? "good" : "bad"), " ", text),
      h("p", { class: "muted" }, `Read at block ${found.block_number}. A run costs ${found.price_cents_per_second} cent for each started second.`));
  };
  return form({ fields: [h("div", { class: "two" }, action.element, wallet.element), cid], label: "Ask", submit });
}

/**
 * Button that asks about every registered action, alone and with each wallet.
 * @param {App} app
 * @param {Lists} lists
 */
function everything(app, { actions, wallets }) {
  const result = h("div", { class: "message" });
  const known = actions.filter((action) => action.cid !== null);
  const questions = known.length * (1 + wallets.length);
  if (questions > QUESTIONS_MAX) {
    return notice("info", h("p", {}, `Asking about all ${known.length} actions with all ${wallets.length} wallets would be ${questions} questions, and the node answers sixty a minute.`));
  }
  const ask = async () => {
    const rows = await Promise.all(known.map(async (action) => {
      const may = async (/** @type {string | null} */ wallet) =>
        (await app.client.explain({ cid: action.cid ?? "", ...(wallet === null ? {} : { wallet }) })).decision === "allow";
      const [runs, ...uses] = await Promise.all([null, ...wallets.map((wallet) => wallet.address)].map(may));
      return { action, runs: runs === true, wallets: wallets.filter((_, index) => uses[index]) };
    }));
    replace(result, dataTable({
      caption: "what this key may do",
      items: rows,
      empty: { title: "No actions yet", advice: "The account has registered no action." },
      columns: [
        { title: "Action", cell: ({ action }) => actionName(action.hash, actions) },
        { title: "Run it", cell: ({ runs }) => badge(runs ? "yes" : "no", runs ? "good" : "plain") },
        { title: "With wallets", cell: (row) => row.wallets.map((wallet) => walletName(wallet.address, wallets)).join(", ") || h("span", { class: "muted" }, "none") },
      ],
    }));
  };
  return h("div", { class: "stack" },
    h("div", { class: "actions" }, button("Ask about every registered action", ask, { onError: (error) => replace(result, failure(error)) })), result);
}
