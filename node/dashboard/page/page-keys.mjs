/** Usage keys: what each may do, new ones, changes and removal. */

import { badge, button, emptyState, h, identifier, load, pageHead, put } from "./dom.mjs";
import { confirmThenRun, showSecretOnce } from "./dialog.mjs";
import { explainPanel } from "./key-explain.mjs";
import { openKeyForm } from "./key-form.mjs";
import { openMatrix } from "./key-matrix.mjs";
import { grantPhrases, isExpired, limitPhrases } from "./permissions.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./account.mjs").UsageKey} UsageKey */
/** @typedef {import("./app.mjs").App} App */
/** @typedef {import("./key-matrix.mjs").Lists} Lists */

/**
 * Shows the usage keys.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const body = h("div", { class: "page" });
  const owner = app.role === "owner";
  const add = button("New usage key", () => edit(app, null), { variant: "primary" });
  put(root, pageHead("Usage keys", "Keys for programs: each may do only what it is granted.", owner && add), body);
  await load(body, async () => {
    const [keys, groups, actions, wallets] = await Promise.all([
      app.role === "usage" ? [] : account.listUsageKeys(),
      account.listGroups(), account.listActions(), account.listWallets(),
    ]);
    const lists = { groups, actions, wallets };
    const list = app.role === "usage"
      ? emptyState("This is a usage key.", "Only the account key lists and changes usage keys. Below you can ask what this key may do.")
      : keyTable(app, keys, lists);
    return [list, explainPanel(app, lists)];
  });
}

/**
 * @param {App} app
 * @param {UsageKey[]} keys
 * @param {Lists} lists
 */
function keyTable(app, keys, lists) {
  const now = Date.now() / 1000;
  const owner = app.role === "owner";
  return dataTable({
    caption: "usage keys",
    items: keys,
    text: (key) => `${key.name} ${key.description} ${key.hash}`,
    empty: {
      title: "No usage keys yet",
      advice: "Give each program a key of its own, which you can limit and remove. First make a group of the actions and wallets that it needs.",
      actions: owner ? [button("New usage key", () => edit(app, null), { variant: "primary" })] : [],
    },
    columns: [
      {
        title: "Name",
        cell: (key) => [
          h("div", { class: "cell-title" }, key.name === "" ? "(no name)" : key.name, isExpired(key, now) && [" ", badge("expired", "bad")]),
          key.description !== "" && h("div", { class: "muted" }, key.description),
          identifier(key.hash, "hash"),
        ],
      },
      { title: "May", cell: (key) => h("ul", { class: "phrases" }, ...grantPhrases(key, lists.groups).map((phrase) => h("li", {}, phrase))) },
      { title: "Limits", cell: (key) => limitPhrases(key, now).map((phrase) => h("div", {}, phrase)) },
      {
        title: "Change",
        actions: true,
        cell: (key) => h("div", { class: "actions end" },
          button("What may it do?", () => openMatrix(key, lists), { small: true, label: `What may it do? ${key.name}` }),
          owner && button("Change", () => edit(app, key), { small: true, label: `Change ${key.name}` }),
          owner && button("Remove", () => remove(app, key), { small: true, label: `Remove ${key.name}` })),
      },
    ],
  });
}

/**
 * @param {App} app
 * @param {UsageKey | null} key
 */
async function edit(app, key) {
  const account = /** @type {import("./account.mjs").Account} */ (app.account);
  const groups = await account.listGroups().catch((error) => {
    app.notify(error.message, { error: true });
    return null;
  });
  if (groups === null) return;
  openKeyForm({
    key,
    groups,
    save: async (grants, close) => {
      if (key === null) {
        const made = await account.createUsageKey(grants);
        close();
        await showSecretOnce({
          title: `The key of ${grants.name}`,
          text: "This is the only time that this key is shown. Whoever has it may do what you granted.",
          secret: made.key,
          filename: "usage-key.txt",
        });
        await app.refresh();
        return;
      }
      await account.updateUsageKey(key.hash, grants);
      await app.refresh();
      app.notify(`${grants.name} was changed.`);
    },
  });
}

/**
 * @param {App} app
 * @param {UsageKey} key
 */
async function remove(app, key) {
  const done = await confirmThenRun({
    title: `Remove ${key.name === "" ? "this key" : key.name}?`,
    text: [
      h("p", {}, "Programs that use the key are refused from now on; other nodes follow within ten seconds. A removed key never works again."),
      h("p", {}, h("code", { class: "break" }, key.hash)),
    ],
    label: "Remove key",
    run: () => /** @type {import("./account.mjs").Account} */ (app.account).removeUsageKey(key.hash),
  });
  if (!done) return;
  await app.refresh();
  app.notify("The key was removed.");
}
