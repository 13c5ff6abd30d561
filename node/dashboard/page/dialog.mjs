/** Dialogs: modal, closed by Escape, focus returned to where it was (the `dialog` element does these). */

import { button, copyButton, failure, h, notice, replace, uniqueId, whileBusy } from "./dom.mjs";
import { form, textField } from "./form.mjs";

/** @typedef {import("./dom.mjs").Child} Child */

/**
 * Opens a modal dialog. `fill` gets a function that closes it and returns the content.
 * @param {string} title
 * @param {(close: () => void) => Child} fill
 * @param {{wide?: boolean, onClose?: () => void, keepOpen?: boolean}} [options] `keepOpen`: Escape does not close it
 * @returns {() => void} closes it
 */
export function openDialog(title, fill, { wide = false, onClose, keepOpen = false } = {}) {
  const id = uniqueId("dialog");
  const before = document.activeElement;
  const element = /** @type {HTMLDialogElement} */ (
    h("dialog", { class: wide ? "wide" : null, "aria-labelledby": id })
  );
  let closed = false;
  const close = () => {
    closed = true;
    element.close();
  };
  replace(element, h("h2", { id }, title), fill(close));
  element.addEventListener("close", () => {
    // Not "cancel": browsers let a second Escape pass it.
    if (keepOpen && !closed) {
      element.showModal();
      return;
    }
    element.remove();
    // The page may have been shown anew meanwhile.
    const next = before instanceof HTMLElement && before.isConnected ? before : document.querySelector("main h1");
    if (next instanceof HTMLElement) next.focus();
    onClose?.();
  });
  document.body.append(element);
  element.showModal();
  return close;
}

/**
 * Asks before something that cannot be undone and then does it, in the dialog, which shows progress and errors.
 * @param {{title: string, text: Child, label: string, typed?: string, run: () => Promise<unknown>}} options
 *   `typed`: a word that must be typed first
 * @returns {Promise<boolean>} whether it was done
 */
export function confirmThenRun({ title, text, label, typed, run }) {
  return new Promise((resolve) => {
    let done = false;
    openDialog(
      title,
      (close) => {
        const message = h("div", { class: "message" });
        const word = typed === undefined ? null : textField({ label: `Type ${typed} to confirm`, required: true });
        const confirm = button(label, () => {}, { variant: "danger" });
        confirm.addEventListener("click", () => {
          if (word !== null && word.value().trim() !== typed) {
            word.fail(`Type ${typed} exactly.`);
            return;
          }
          const act = async () => {
            await run();
            done = true;
            close();
          };
          void whileBusy(confirm, act, (error) => replace(message, failure(error)));
        });
        return [
          h("div", { class: "stack" }, text),
          word?.element,
          message,
          h("div", { class: "actions end" }, button("Cancel", close), confirm),
        ];
      },
      { onClose: () => resolve(done) },
    );
  });
}

/**
 * Opens a dialog with a form. `submit` gets the values and may throw; the dialog closes when it is done.
 * @param {{title: string, intro?: Child, fields: import("./form.mjs").Field[], label: string, wide?: boolean,
 *   split?: boolean, submit: (close: () => void) => Promise<unknown>}} options
 */
export function openForm({ title, intro, fields, label, wide = false, split = false, submit }) {
  openDialog(
    title,
    (close) => [
      intro,
      form({
        fields,
        label,
        split,
        submit: async () => {
          await submit(close);
          close();
        },
        cancel: close,
      }),
    ],
    { wide },
  );
}

/**
 * Shows a secret that the node will never show again, until its holder has proven to have kept it by pasting it again.
 * @param {{title: string, text: string, secret: string, filename: string}} options
 * @returns {Promise<void>} settled when the dialog is closed
 */
export function showSecretOnce({ title, text, secret, filename }) {
  return new Promise((resolve) => {
    openDialog(
      title,
      (close) => {
        const repeated = textField({
          label: "Paste it again from where you kept it",
          type: "password",
          autocomplete: "off",
          required: true,
        });
        return [
          notice("warn", h("p", {}, text)),
          h("div", { class: "secret" }, h("code", { class: "break" }, secret), copyButton(secret, "the key")),
          h("div", { class: "actions" }, downloadButton("Download", filename, `${secret}\n`, "text/plain")),
          form({
            fields: [repeated],
            label: "I have kept it",
            submit: async () => {
              if (repeated.value().trim() !== secret) repeated.fail("This is another text than the one above.");
              else close();
            },
          }),
        ];
      },
      { keepOpen: true, onClose: () => resolve() },
    );
  });
}

/**
 * Button that saves text as a file.
 * @param {string} label
 * @param {string} filename
 * @param {string | (() => Promise<string>)} content
 * @param {string} type
 */
export function downloadButton(label, filename, content, type) {
  return button(label, async () => {
    const text = typeof content === "string" ? content : await content();
    const url = URL.createObjectURL(new Blob([text], { type }));
    h("a", { href: url, download: filename }).click();
    URL.revokeObjectURL(url);
  });
}
