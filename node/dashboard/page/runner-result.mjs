/** Result of a run: what the action returned, wrote and cost, or why it failed. */

import { ActionFailed, ApiError, Forbidden, Unanswered } from "./svc-client.mjs";
import { badge, button, copyButton, failure, h, notice, panel, terms } from "./dom.mjs";
import { downloadButton } from "./dialog.mjs";
import { dollars } from "./format.mjs";

/** @typedef {import("./dom.mjs").Child} Child */
/** @typedef {import("./editor.mjs").Editor} Editor */

const SHOWN_CHARACTERS = 100_000; // more would make the page slow; the rest is in the file
const PLACE = /\baction\.js:([0-9]{1,7}):([0-9]{1,7})/;

/**
 * Panel of a run that succeeded.
 * @param {import("./svc-client.mjs").Run} run
 */
export function runPanel(run) {
  const response = typeof run.response === "string" ? run.response : JSON.stringify(run.response, null, 2);
  const block = run.authorized_at_block === null ? "not told" : String(run.authorized_at_block);
  return panel(
    "Result",
    h("p", {}, badge("done", "good")),
    terms([...costRows(run.charged_cents, run.duration_ms), ["Permission decided at block", block]]),
    output("Response", response, "response.json"),
    output("Logs", run.logs, "logs.txt"),
  );
}

/**
 * Panel of a run that failed. The line of the action's error is marked in the editor.
 * @param {unknown} error
 * @param {Editor} editor
 */
export function failedPanel(error, editor) {
  if (!(error instanceof ActionFailed)) return panel("Result", badge("not done", "bad"), failure(error), advice(error));
  const found = PLACE.exec(error.error.stack);
  const line = Number(found?.[1]);
  const column = Number(found?.[2]);
  if (found !== null) editor.mark(line);
  return panel(
    "Result",
    h("p", {}, badge("failed", "bad")),
    terms(costRows(error.chargedCents, error.durationMs)),
    notice(
      "error",
      h("p", {}, h("strong", {}, error.error.name), `: ${cut(error.error.message)}`),
      error.error.fix !== undefined && h("p", {}, error.error.fix),
      found !== null && h("div", { class: "actions" }, button(`Go to line ${line}`, () => editor.goTo(line, column), { small: true })),
    ),
    output("Stack", error.error.stack, "stack.txt"),
    output("Logs", error.logs, "logs.txt"),
  );
}

/**
 * @param {number} cents
 * @param {number} milliseconds
 * @returns {[string, Child][]}
 */
function costRows(cents, milliseconds) {
  return [
    ["Charged", dollars(cents)],
    ["Time", milliseconds < 1_000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1_000).toFixed(2)} s`],
  ];
}

/**
 * @param {unknown} error
 * @returns {Child}
 */
function advice(error) {
  if (error instanceof Unanswered) {
    return h("p", {}, "Look at the charges on the page ", h("a", { href: "#/billing" }, "Billing"), " before you run it again.");
  }
  if (error instanceof Forbidden) {
    const missing = error.missing === null ? "" : ` The grant that is missing: ${error.missing}.`;
    return h("p", {}, `The account key can change what a usage key may do.${missing} `, h("a", { href: "#/keys" }, "Usage keys"));
  }
  if (error instanceof ApiError && error.status === 402) return h("p", {}, h("a", { href: "#/billing" }, "Add credit"));
  return null;
}

/**
 * Text that the action chose, bounded on the page and whole in a file.
 * @param {string} title
 * @param {string} text
 * @param {string} filename
 */
function output(title, text, filename) {
  const buttons = h("div", { class: "actions" }, copyButton(text, title.toLowerCase()), downloadButton("Download", filename, text, "text/plain"));
  const head = h("div", { class: "output-head" }, h("h3", {}, title), text !== "" && buttons);
  const shown = text === "" ? h("p", { class: "muted" }, "Empty.") : h("pre", { tabindex: "0", "aria-label": title }, cut(text));
  return h("div", { class: "stack output" }, head, shown);
}

/** @param {string} text */
function cut(text) {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}\n… ${(text.length - SHOWN_CHARACTERS).toLocaleString("en-US")} more characters`;
}
