/** ChainSecured accounts: connect a wallet, open, convert and transfer an account, and follow transactions. */

import { ChainAccount, ownHash, sign } from "./account-chain.mjs";
import { readAddress, u256Hex } from "./bytes.mjs";
import { connectedSession, currentSession, signInWithWallet } from "./chain-session.mjs";
import { confirmThenRun } from "./dialog.mjs";
import { badge, button, emptyState, errorText, h, identifier, notice, pageHead, panel, put, replace, terms } from "./dom.mjs";
import { checkField, form, textField } from "./form.mjs";

/** @typedef {import("./app.mjs").App} App */
/** @typedef {import("./chain-session.mjs").ChainSession} ChainSession */
/** @typedef {import("./transactions.mjs").Transaction} Transaction */

/**
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const session = currentSession(app);
  session?.wallet.addEventListener("end", () => {
    if (root.isConnected) app.refresh();
  });
  put(
    root,
    pageHead("ChainSecured", "An account that your own wallet administers: no key and no node can change it."),
    walletPanel(app, session),
    session !== null && app.wallet !== null && app.account === null && openPanel(app, session),
    app.account?.kind === "api" && app.role === "owner" && convertPanel(app),
    app.account instanceof ChainAccount && session !== null && transferPanel(app, app.account),
    session !== null && transactionsPanel(root, session),
  );
}

/**
 * @param {App} app
 * @param {ChainSession | null} session
 */
function walletPanel(app, session) {
  const onError = (/** @type {unknown} */ error) => app.notify(errorText(error), { error: true });
  if (session === null) {
    const connect = async () => {
      await connectedSession(app);
      app.refresh();
    };
    return panel(
      "Wallet",
      emptyState("No wallet is connected", "Connect one to convert this account, or to pay with tokens.", button("Connect a wallet", connect, { variant: "primary", onError })),
    );
  }
  const { wallet, contract } = session;
  return panel(
    "Wallet",
    terms([
      ["Wallet", wallet.name],
      ["Address", identifier(wallet.address, "the wallet's address")],
      ["Chain", String(contract.chainId)],
      ["Account contract", identifier(contract.address, "the contract's address")],
      ["Its code", "Is the code that the node's attestation states, as this wallet shows it."],
    ]),
    h("p", { class: "muted" }, "Lists are read, and transactions sent, through the wallet's own connection to the chain."),
    h("div", { class: "actions" }, button("Disconnect", () => wallet.close())),
  );
}

/**
 * @param {App} app
 * @param {ChainSession} session
 */
function openPanel(app, session) {
  const name = textField({ label: "Name", required: true, maxBytes: 256, help: "Public: it is stored on chain." });
  const description = textField({ label: "Description", maxBytes: 2_048 });
  return panel(
    "Open an account",
    h("p", {}, "This wallet administers no account yet. Opening one is a transaction; create its first wallet after that."),
    terms([["Account", identifier(u256Hex(ownHash(session.wallet)), "the account's hash")]]),
    form({
      fields: [name, description],
      label: "Open the account",
      submit: async () => {
        await session.transactions.send(session.contract, "newChainSecuredAccount", [name.value().trim(), description.value().trim()]);
        await signInWithWallet(app);
        app.notify("The account is open. Create its first wallet: it becomes the master wallet.");
        app.navigate("#/wallets");
      },
    }),
  );
}

/** @param {App} app */
function convertPanel(app) {
  const run = async () => {
    const session = await connectedSession(app);
    const { wallet, contract } = session;
    const done = await confirmThenRun({
      title: "Convert this account to the wallet",
      text: [
        notice("warn", h("p", {}, "There is no way back. From then on only this wallet administers the account; the account key lists and reads the balance, and nothing else.")),
        terms([["New administrator", h("code", { class: "break" }, wallet.address)], ["Wallet", wallet.name]]),
        h("p", {}, "Groups, actions, wallets, usage keys and credit stay. The wallet signs a message; the node sends the transaction, and it is free."),
      ],
      label: "Convert for good",
      typed: "convert",
      run: async () => {
        await wallet.require(contract.chainId);
        const signed = await sign(wallet, contract.chainId, "ConvertAccount");
        await app.client.account.convert(wallet.address, signed.typed_data, signed.signature);
      },
    });
    if (!done) return;
    app.notify("The wallet administers the account now.");
    await signInWithWallet(app);
  };
  const onError = (/** @type {unknown} */ error) => app.notify(errorText(error), { error: true });
  return panel(
    "Convert to a wallet",
    h("p", {}, "Hand this account to a wallet of yours, for good. The wallet must never have been the administrator of an account."),
    h("div", { class: "actions" }, button("Convert this account", run, { variant: "danger", onError })),
  );
}

/**
 * @param {App} app
 * @param {ChainAccount} account
 */
function transferPanel(app, account) {
  const address = textField({ label: "Address of the new administrator", required: true, code: true, check: addressFault });
  const clear = checkField({ label: "Remove every usage key first", help: "Otherwise all usage keys go on working. This is a transaction of its own." });
  return panel(
    "Transfer the account",
    h("p", {}, "Another wallet becomes the administrator, for good. It must never have been the administrator of an account."),
    form({
      fields: [address, clear],
      label: "Transfer…",
      submit: async () => {
        const newAdmin = readAddress(address.value().trim());
        const done = await confirmThenRun({
          title: "Transfer this account",
          text: [
            notice("warn", h("p", {}, "There is no way back. This wallet will administer nothing, and cannot be named again.")),
            terms([["New administrator", h("code", { class: "break" }, newAdmin)], ["Usage keys", clear.checked() ? "all are removed first" : "all stay"]]),
          ],
          label: "Transfer for good",
          typed: "transfer",
          run: async () => {
            if (clear.checked()) await account.clearUsageKeys();
            await account.transfer(newAdmin);
          },
        });
        if (!done) return;
        app.notify("The other wallet administers the account now. You were signed out.");
        app.signOut();
      },
    }),
  );
}

/** @param {string} text */
function addressFault(text) {
  try {
    readAddress(text.trim());
    return null;
  } catch (error) {
    return `This is ${errorText(error)}.`;
  }
}

/** @type {Record<import("./transactions.mjs").State, [string, "good" | "warn" | "bad" | "plain"]>} */
const STATES = {
  checking: ["being checked", "plain"],
  asking: ["waits for you", "warn"],
  declined: ["declined, not sent", "plain"],
  refused: ["refused, not sent", "bad"],
  unknown: ["perhaps sent", "bad"],
  pending: ["sent, in no block yet", "warn"],
  included: ["in a block", "warn"],
  confirmed: ["confirmed", "good"],
  failed: ["failed", "bad"],
  reorganised: ["reorganised", "bad"],
  replaced: ["replaced", "bad"],
};

/**
 * @param {HTMLElement} root
 * @param {ChainSession} session
 */
function transactionsPanel(root, session) {
  const list = h("ol", { class: "stack transactions", role: "list" });
  const said = h("p", { class: "hidden", role: "status" });
  const draw = () => {
    // A page that was left is not drawn any more.
    if (shown && !root.isConnected) {
      session.transactions.removeEventListener("change", draw);
      return;
    }
    shown ||= root.isConnected;
    const all = session.transactions.list();
    replace(list, all.map(transactionItem));
    const [newest] = all;
    said.textContent = newest === undefined ? "" : `${newest.title}: ${STATES[newest.state][0]}`;
    empty.hidden = all.length > 0;
  };
  let shown = false;
  const empty = emptyState("No transactions in this tab", "Every change of the account is one. They are kept until this page is reloaded.");
  session.transactions.addEventListener("change", draw);
  draw();
  return panel("Transactions", said, empty, list);
}

/** @param {Transaction} transaction */
function transactionItem(transaction) {
  const [words, tone] = STATES[transaction.state];
  const { block, confirmations, needed, reorganisations } = transaction;
  return h(
    "li",
    {},
    h("p", {}, h("strong", {}, transaction.title), " ", badge(words, tone)),
    terms([
      ...transaction.lines.map((line) => /** @type {[string, string]} */ ([line.label, line.value])),
      ...(transaction.hash === null ? [] : [/** @type {[string, HTMLElement]} */ (["Transaction", identifier(transaction.hash, "the transaction's hash")])]),
      ...(block === null ? [] : [/** @type {[string, string]} */ (["Block", `${block.number}, ${Math.min(confirmations, needed)} of ${needed} confirmations`])]),
      ...(reorganisations === 0 ? [] : [/** @type {[string, string]} */ (["Reorganised", `${reorganisations} times`])]),
    ]),
    transaction.note !== "" && notice(tone === "bad" ? "error" : "info", h("p", {}, transaction.note)),
  );
}
