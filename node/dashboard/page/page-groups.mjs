/** Groups: which actions may use which wallets. */

import { actionName, walletName } from "./account.mjs";
import { button, h, load, pageHead, put } from "./dom.mjs";
import { confirmThenRun } from "./dialog.mjs";
import { counted } from "./format.mjs";
import { openGroupForm } from "./group-form.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Group} Group */
/** @typedef {import("./app.mjs").App} App */

const SHOWN_MAX = 4;

/**
 * Shows the groups.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const body = h("div");
  const writes = app.role !== "former";
  const add = () => button("New group", () => edit(app, account, null), { variant: "primary" });
  put(root, pageHead("Groups", "A group lists actions and the wallets that they may use. Usage keys run groups.", writes && add()), body);
  await load(body, async () => {
    const [groups, actions, wallets] = await Promise.all([account.listGroups(), account.listActions(), account.listWallets()]);
    return dataTable({
      caption: "groups",
      items: groups,
      text: (group) => [group.name, group.description, ...group.actions.map((hash) => actionName(hash, actions)), ...group.wallets.map((address) => `${walletName(address, wallets)} ${address}`)].join(" "),
      empty: { title: "No groups yet", advice: "Register an action and create a wallet, then put both into a group: a usage key that runs the group may sign with the wallet in that action, and nowhere else.", actions: writes ? [add()] : [] },
      columns: [
        { title: "Name", cell: (group) => [h("div", { class: "cell-title" }, group.name === "" ? "(no name)" : group.name), group.description !== "" && h("div", { class: "muted" }, group.description), h("div", { class: "muted" }, `id ${group.id}`)] },
        { title: "Actions", cell: (group) => members(group.actions.map((hash) => actionName(hash, actions)), "action") },
        { title: "Wallets", cell: (group) => members(group.wallets.map((address) => walletName(address, wallets)), "wallet") },
        {
          title: "Change",
          actions: true,
          cell: (group) => writes && h("div", { class: "actions end" },
            button("Change", () => edit(app, account, group.id), { small: true, label: `Change ${group.name}` }),
            button("Remove", () => remove(app, account, group), { small: true, label: `Remove ${group.name}` })),
        },
      ],
    });
  });
}

/**
 * @param {string[]} names
 * @param {string} noun
 */
function members(names, noun) {
  if (names.length === 0) return h("span", { class: "muted" }, "none");
  const rest = names.length - SHOWN_MAX;
  return h("ul", { class: "phrases" }, ...names.slice(0, SHOWN_MAX).map((name) => h("li", {}, name)), rest > 0 && h("li", { class: "muted" }, `and ${counted(rest, `other ${noun}`)}`));
}

/**
 * @param {App} app
 * @param {Account} account
 * @param {string | null} id
 */
async function edit(app, account, id) {
  try {
    // Read anew: saving replaces the whole group, also what others added since the page was shown.
    const [groups, actions, wallets] = await Promise.all([account.listGroups(), account.listActions(), account.listWallets()]);
    const group = id === null ? null : groups.find((each) => each.id === id);
    if (group === undefined) throw new Error("The group was removed meanwhile.");
    const done = async (/** @type {string} */ text) => {
      await app.refresh();
      app.notify(text);
    };
    openGroupForm({ account, owner: app.role === "owner", group, actions, wallets, done });
  } catch (error) {
    app.notify(error instanceof Error ? error.message : String(error), { error: true });
  }
}

/**
 * @param {App} app
 * @param {Account} account
 * @param {Group} group
 */
async function remove(app, account, group) {
  const done = await confirmThenRun({
    title: `Remove ${group.name === "" ? `group ${group.id}` : group.name}?`,
    text: h("p", {}, "Usage keys that run this group lose its actions and wallets. The actions and wallets themselves stay. The group's id is never used again."),
    label: "Remove group",
    run: () => account.removeGroup(group.id),
  });
  if (!done) return;
  await app.refresh();
  app.notify("The group was removed.");
}
