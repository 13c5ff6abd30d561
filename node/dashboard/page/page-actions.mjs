/** Actions: registered code, by the CID that is computed from it. */

import { DESCRIPTION_BYTES, NAME_BYTES, actionName } from "./account.mjs";
import { cidOfSource } from "./cid.mjs";
import { badge, button, errorText, h, identifier, load, pageHead, put, replace } from "./dom.mjs";
import { confirmThenRun, openDialog, openForm } from "./dialog.mjs";
import { textField } from "./form.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Action} Action */
/** @typedef {import("./app.mjs").App} App */

const CID = /^[A-Za-z0-9+/=_-]{10,200}$/;
const CODE_ROWS = 10;

/**
 * Shows the registered actions.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const owner = app.role === "owner";
  const body = h("div");
  const add = () => button("Register an action", () => register(app, account), { variant: "primary" });
  const compare = button("Compare code with a CID", () => openComparison(""));
  put(root, pageHead("Actions", "Code that runs in the enclave. It is named by its CID: other code has another one.", compare, owner && add()), body);
  await load(body, async () => {
    const [actions, groups] = await Promise.all([account.listActions(), account.listGroups()]);
    return dataTable({
      caption: "actions",
      items: actions,
      text: (action) => `${action.name} ${action.description} ${action.cid ?? ""} ${action.hash}`,
      empty: { title: "No actions yet", advice: "Register the code of an action, then let usage keys run it through a group.", actions: owner ? [add()] : [] },
      columns: [
        { title: "Name", cell: (action) => [h("div", { class: "cell-title" }, actionName(action.hash, actions)), action.description !== "" && h("div", { class: "muted" }, action.description)] },
        { title: "CID", cell: (action) => (action.cid === null ? h("span", { class: "muted" }, "only its hash is known") : identifier(action.cid, "CID")) },
        { title: "Hash", cell: (action) => identifier(action.hash, "hash") },
        { title: "Listed in", cell: (action) => groups.filter((group) => group.actions.includes(action.hash)).map((group) => (group.name === "" ? `group ${group.id}` : group.name)).join(", ") || h("span", { class: "muted" }, "no group") },
        {
          title: "Change",
          actions: true,
          cell: (action) => h("div", { class: "actions end" },
            action.cid !== null && button("Compare", () => openComparison(action.cid ?? ""), { small: true, label: `Compare code with ${action.name}` }),
            owner && button("Rename", () => rename(app, account, action), { small: true, label: `Rename ${action.name}` }),
            owner && button("Remove", () => remove(app, account, action), { small: true, label: `Remove ${action.name}` })),
        },
      ],
    });
  });
}

/**
 * Code field and the CID that follows from it while it is typed.
 * @param {(cid: string) => void} computed
 */
function codeField(computed) {
  const code = textField({ label: "Code", rows: CODE_ROWS, code: true, help: "The exact text: one space more is another action. It stays in this browser." });
  let edits = 0;
  code.element.addEventListener("input", async () => {
    edits += 1;
    const mine = edits;
    try {
      const cid = code.value() === "" ? "" : await cidOfSource(code.value());
      // A slower computation for an older text must not win.
      if (mine === edits) computed(cid);
    } catch (error) {
      code.fail(errorText(error));
    }
  });
  return code;
}

/** @param {string} value */
function checkCid(value) {
  return CID.test(value.trim()) ? null : "This is not a CID. It is computed when code is pasted above.";
}

/**
 * @param {App} app
 * @param {Account} account
 */
function register(app, account) {
  const cid = textField({ label: "CID", required: true, code: true, help: "Computed from the code, or paste it alone.", check: checkCid });
  const code = codeField((computed) => cid.set(computed));
  const { name, description } = nameFields(null);
  openForm({
    title: "Register an action",
    fields: [code, cid, name, description],
    label: "Register",
    wide: true,
    submit: async () => {
      await account.addAction({ cid: cid.value().trim(), name: name.value().trim(), description: description.value().trim() });
      await app.refresh();
      app.notify(`The action ${name.value().trim()} was registered.`);
    },
  });
}

/** @param {Action | null} action */
function nameFields(action) {
  return {
    name: textField({ label: "Name", value: action?.name ?? "", required: true, maxBytes: NAME_BYTES, help: "Public: names are stored on chain." }),
    description: textField({ label: "Description", value: action?.description ?? "", maxBytes: DESCRIPTION_BYTES }),
  };
}

/**
 * Dialog that compares code with a CID; nothing is sent.
 * @param {string} expected
 */
function openComparison(expected) {
  openDialog("Compare code with a CID", (close) => {
    const result = h("div", { role: "status", class: "stack" });
    const cid = textField({ label: "CID", value: expected, code: true });
    let computed = "";
    const code = codeField((found) => {
      computed = found;
      compare();
    });
    function compare() {
      const wanted = cid.value().trim();
      if (computed === "") return replace(result);
      const same = computed === wanted;
      replace(result,
        wanted !== "" && h("p", {}, badge(same ? "same" : "different", same ? "good" : "bad"), same ? " The CID is that of this code." : " This code has another CID."),
        h("p", {}, "CID of the code: ", h("code", { class: "break" }, computed)));
    }
    cid.element.addEventListener("input", compare);
    return [cid.element, code.element, result, h("div", { class: "actions end" }, button("Close", close))];
  }, { wide: true });
}

/**
 * @param {App} app
 * @param {Account} account
 * @param {Action} action
 */
function rename(app, account, action) {
  const { name, description } = nameFields(action);
  openForm({
    title: "Rename an action",
    fields: [name, description],
    label: "Save",
    submit: async () => {
      await account.updateAction(action.hash, { name: name.value().trim(), description: description.value().trim() });
      await app.refresh();
      app.notify("The action was renamed.");
    },
  });
}

/**
 * @param {App} app
 * @param {Account} account
 * @param {Action} action
 */
async function remove(app, account, action) {
  const done = await confirmThenRun({
    title: `Remove ${action.name === "" ? "this action" : action.name}?`,
    text: h("p", {}, "It leaves every group, so usage keys that run it through a group are refused."),
    label: "Remove action",
    run: () => account.removeAction(action.hash),
  });
  if (!done) return;
  await app.refresh();
  app.notify("The action was removed.");
}
