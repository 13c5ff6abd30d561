/** Dialogs of the wallet: which one to use, and what a transaction would do. */

import { openDialog } from "./dialog.mjs";
import { button, emptyState, h, identifier, replace, terms } from "./dom.mjs";
import { discoverWallets } from "./wallet.mjs";

/** @typedef {import("./wallet.mjs").Announced} Announced */
/** @typedef {import("./transactions.mjs").Transaction} Transaction */

/**
 * Lets the reader choose one of the browser's wallets.
 * @returns {Promise<Announced | null>} null if the dialog was closed
 */
export function chooseWallet() {
  return new Promise((resolve) => {
    /** @type {Announced | null} */
    let chosen = null;
    let stop = () => {};
    openDialog(
      "Choose a wallet",
      (close) => {
        const list = h("div", { class: "stack" });
        const choose = (/** @type {Announced} */ wallet) => {
          chosen = wallet;
          close();
        };
        replace(list, emptyState("No wallet was found", "Install or enable a wallet extension that announces itself to pages (EIP-6963), then reload this page."));
        stop = discoverWallets((wallets) => replace(list, wallets.map((wallet) => walletButton(wallet, choose))));
        return [list, h("div", { class: "actions end" }, button("Cancel", close))];
      },
      {
        onClose: () => {
          stop();
          resolve(chosen);
        },
      },
    );
  });
}

/**
 * @param {Announced} wallet
 * @param {(wallet: Announced) => void} choose
 */
function walletButton(wallet, choose) {
  const element = button(wallet.name, () => choose(wallet));
  if (wallet.icon) element.prepend(h("img", { src: wallet.icon, alt: "", width: 24, height: 24 }));
  return element;
}

/**
 * Shows what a transaction would do, after it was tried without sending, and asks whether to send it. The answer is no if
 * the wallet's session ends meanwhile.
 * @param {Transaction} preview
 * @param {import("./wallet.mjs").Wallet} wallet
 * @returns {Promise<boolean>}
 */
export function confirmTransaction(preview, wallet) {
  return new Promise((resolve) => {
    let answer = false;
    const close = openDialog(
      preview.title,
      (end) => [
        terms([
          ...preview.lines.map((line) => /** @type {[string, string]} */ ([line.label, line.value])),
          ["Contract", h("span", {}, `${preview.label}, `, h("code", { class: "break" }, preview.to))],
          ["Function", h("code", { class: "break" }, preview.call)],
          ["From", h("span", {}, `${wallet.name}, `, identifier(preview.from, "the wallet's address"))],
          ["Chain", String(preview.chainId)],
          ["Checked", preview.checked],
          ["Tried", "The wallet's provider ran it without sending it, and it succeeded."],
        ]),
        h("p", { class: "muted" }, "The wallet shows the transaction again and asks for its gas. Compare the contract's address there."),
        h("div", { class: "actions end" },
          button("Cancel", end),
          button("Send with the wallet", () => {
            answer = true;
            end();
          }, { variant: "primary" })),
      ],
      {
        wide: true,
        onClose: () => {
          wallet.removeEventListener("end", close);
          resolve(answer);
        },
      },
    );
    wallet.addEventListener("end", close);
  });
}
