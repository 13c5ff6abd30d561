/** Sign in with a key or a wallet, or make an account. */

import { mayKeepKey } from "./app.mjs";
import { button, errorText, h, panel, put } from "./dom.mjs";
import { openForm, showSecretOnce } from "./dialog.mjs";
import { checkField, form, textField } from "./form.mjs";
import { verificationPanel } from "./verification-panel.mjs";

/**
 * Shows the ways to sign in, and what is known of the node before a key is entered.
 * @param {HTMLElement} root
 * @param {import("./app.mjs").App} app
 */
export async function show(root, app) {
  put(
    root,
    h("div", { class: "sign-in" },
      h("h1", { tabindex: "-1" }, "Sign in"),
      panel("With a key", keyForm(app)),
      panel("With a wallet", h("p", {}, "For a ChainSecured account, which the wallet administers, or to open one."),
        button("Connect a wallet", () => walletSignIn(app), { onError: (error) => app.notify(errorText(error), { error: true }) })),
      panel("New account", h("p", {}, "An account holds wallets, groups, actions and usage keys. Its key is shown once."),
        button("Make an account", () => makeAccount(app))),
      verificationPanel(app),
    ),
  );
}

/** @param {import("./app.mjs").App} app */
async function walletSignIn(app) {
  // Later, so that the first view does not wait for half of the modules.
  const { signInWithWallet } = await import("./chain-session.mjs");
  await signInWithWallet(app);
}

/** @param {import("./app.mjs").App} app */
function keyForm(app) {
  const key = textField({
    label: "Account key or usage key",
    type: "password",
    required: true,
    autocomplete: "off",
    help: "It stays in this tab's memory and is sent to this node alone.",
  });
  if (!mayKeepKey(location)) {
    return form({ fields: [key], label: "Sign in", submit: () => app.signIn(key.value().trim(), { remember: false }) });
  }
  const remember = checkField({
    label: "Keep it until this tab is closed",
    help: "Otherwise a reload forgets it. Anybody who uses this tab could then use it.",
  });
  return form({
    fields: [key, remember],
    label: "Sign in",
    submit: () => app.signIn(key.value().trim(), { remember: remember.checked() }),
  });
}

/** @param {import("./app.mjs").App} app */
function makeAccount(app) {
  const name = textField({ label: "Name", required: true, maxBytes: 200, help: "Public: it is stored on chain." });
  openForm({
    title: "Make an account",
    fields: [name],
    label: "Make it",
    submit: async (close) => {
      const made = await app.client.account.create(name.value().trim());
      close();
      await showSecretOnce({
        title: "Your account key",
        text: "This is the only time that this key is shown. It cannot be replaced, and whoever has it has the account.",
        secret: made.api_key,
        filename: "account-key.txt",
      });
      await app.signIn(made.api_key, { remember: false });
    },
  });
}
