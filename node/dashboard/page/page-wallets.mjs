/** Wallets of the account. */

import { DESCRIPTION_BYTES, MASTER_WALLET, NAME_BYTES, walletName } from "./account.mjs";
import { badge, button, h, identifier, load, pageHead, put } from "./dom.mjs";
import { openForm } from "./dialog.mjs";
import { textField } from "./form.mjs";
import { dataTable } from "./table.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./app.mjs").App} App */

/**
 * Shows the wallets.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const body = h("div");
  const add = () => button("New wallet", () => create(app, account), { variant: "primary" });
  const writes = app.role !== "former";
  put(root, pageHead("Wallets", "Their private keys exist inside the node's enclave alone; actions sign with them.", writes && add()), body);
  await load(body, async () => {
    const [wallets, groups] = await Promise.all([account.listWallets(), account.listGroups()]);
    return dataTable({
      caption: "wallets",
      items: wallets,
      text: (wallet) => `${walletName(wallet.address, wallets)} ${wallet.address} ${wallet.description}`,
      empty: { title: "No wallets yet", advice: "Create a wallet, then let actions use it through a group.", actions: writes ? [add()] : [] },
      columns: [
        { title: "Name", cell: (wallet) => [h("div", { class: "cell-title" }, walletName(wallet.address, wallets), wallet.id === MASTER_WALLET && wallet.name !== "" && [" ", badge("master wallet")]), wallet.description !== "" && h("div", { class: "muted" }, wallet.description)] },
        { title: "Address", cell: (wallet) => identifier(wallet.address, "address") },
        { title: "Number", numeric: true, cell: (wallet) => wallet.id },
        { title: "Listed in", cell: (wallet) => groups.filter((group) => group.wallets.includes(wallet.address)).map((group) => (group.name === "" ? `group ${group.id}` : group.name)).join(", ") || h("span", { class: "muted" }, "no group") },
      ],
    });
  });
}

/**
 * @param {App} app
 * @param {Account} account
 */
function create(app, account) {
  const name = textField({ label: "Name", maxBytes: NAME_BYTES, help: "Public: names are stored on chain. A wallet cannot be renamed or removed." });
  const description = textField({ label: "Description", maxBytes: DESCRIPTION_BYTES });
  openForm({
    title: "New wallet",
    fields: [name, description],
    label: "Create wallet",
    submit: async () => {
      const made = await account.createWallet({ name: name.value().trim(), description: description.value().trim() });
      await app.refresh();
      app.notify(`The wallet ${made.address} was created.`);
    },
  });
}
