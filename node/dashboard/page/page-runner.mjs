/** Runner: write an action, run it as a key, and see what came of it. */

import { MASTER_WALLET } from "./account.mjs";
import { hashOfText } from "./bytes.mjs";
import { cidOfSource } from "./cid.mjs";
import { confirmThenRun } from "./dialog.mjs";
import { button, copyButton, errorText, h, pageHead, panel, put, replace } from "./dom.mjs";
import { codeEditor } from "./editor.mjs";
import { selectField, textField } from "./form.mjs";
import { dollars } from "./format.mjs";
import { jsonFault } from "./json-fault.mjs";
import { EXAMPLES } from "./runner-examples.mjs";
import { failedPanel, runPanel } from "./runner-result.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Action} Action */
/** @typedef {import("./app.mjs").App} App */
/** @typedef {import("./editor.mjs").Editor} Editor */

/**
 * Draft of an action with its last response. It stays in memory until the session ends, so that a
 * change of the page does not lose it.
 * @typedef {{ code: string, parameters: string, as: string, key: string, response: unknown }} Draft
 */

const SECONDS_MAX = 900;
const LEFT = "You stopped waiting. The run goes on until it ends or its seconds are over, and is charged: Billing shows it.";
const CODE_BYTES = 4 * 1024 * 1024;
const OTHER_KEY = "other";

/** @type {WeakMap<Account, Draft>} */
const drafts = new WeakMap();

/**
 * @param {App} app
 * @param {Account} account
 */
function newDraft(app, account) {
  /** @type {Draft} */
  const draft = { code: "", parameters: "{}", as: account.kind === "api" ? "" : OTHER_KEY, key: "", response: null };
  drafts.set(account, draft);
  // Also at the end of `svc dashboard`, which ends the session.
  app.addEventListener("session", () => (draft.key = ""), { once: true });
  return draft;
}

/**
 * Shows the runner.
 * @param {HTMLElement} root
 * @param {App} app
 */
export async function show(root, app) {
  const account = app.account;
  if (account === null) return;
  const draft = drafts.get(account) ?? newDraft(app, account);
  const fields = {
    code: codeEditor({ label: "Code", value: draft.code, rows: 20, required: true, maxBytes: CODE_BYTES, help: "One script that defines main." }),
    parameters: codeEditor({ label: "Parameters (JSON)", value: draft.parameters, rows: 7, check: parametersFault }),
    as: keyChoice(account, draft),
    key: textField({ label: "Key", type: "password", value: draft.key, help: "It stays in this tab's memory and is sent to this node alone." }),
    seconds: textField({ label: "Longest time in seconds", type: "number", min: "1", max: String(SECONDS_MAX), step: "1", check: secondsFault, help: "Ends the run, and its price. Without it the node's limit does." }),
  };
  keepDraft(draft, fields);
  const identity = h("div", { class: "muted", "aria-live": "polite" });
  watchIdentity(account, fields.code, identity);
  const result = h("div");
  put(
    root,
    pageHead("Runner", "Runs code in the enclave, as a program with this key would. Each run is charged.", exampleChoice(app, account, draft, fields)),
    h("div", { class: "runner" },
      panel("Action", fields.code.element, identity),
      panel("Run", fields.parameters.element, fields.as.element, fields.key.element, fields.seconds.element, runButtons(app, draft, fields, result))),
    result,
  );
}

/** @typedef {{ code: Editor, parameters: Editor, as: import("./form.mjs").TextField, key: import("./form.mjs").TextField, seconds: import("./form.mjs").TextField }} Fields */

/**
 * @param {Account} account
 * @param {Draft} draft
 */
function keyChoice(account, draft) {
  const own = account.kind === "api" ? [{ value: "", label: "The key that is signed in" }] : [];
  return selectField({ label: "Run as", value: draft.as, choices: [...own, { value: OTHER_KEY, label: "Another key" }] });
}

/**
 * @param {Draft} draft
 * @param {Fields} fields
 */
function keepDraft(draft, { code, parameters, as, key }) {
  code.element.addEventListener("input", () => (draft.code = code.value()));
  parameters.element.addEventListener("input", () => (draft.parameters = parameters.value()));
  key.element.addEventListener("input", () => (draft.key = key.value()));
  const choose = () => {
    draft.as = as.value();
    key.element.hidden = draft.as !== OTHER_KEY;
  };
  as.element.addEventListener("change", choose);
  choose();
}

/**
 * Shows the CID of the code while it is written, and whether the account has registered it.
 * @param {Account} account
 * @param {Editor} code
 * @param {HTMLElement} identity
 */
function watchIdentity(account, code, identity) {
  /** @type {Promise<Action[] | null> | undefined} null: they could not be read */
  let actions;
  let edits = 0;
  async function update() {
    edits += 1;
    const mine = edits;
    const source = code.value();
    if (source === "") return replace(identity, "The CID of the code appears here.");
    try {
      const cid = await cidOfSource(source);
      actions ??= account.listActions().catch(() => null);
      const known = await actions;
      // A slower look at an older text must not win.
      if (mine !== edits) return;
      replace(
        identity,
        h("div", {}, "CID ", h("code", { class: "break" }, cid), " ", copyButton(cid, "CID")),
        h("div", {}, ...registration(known, hashOfText(cid))),
      );
    } catch (error) {
      if (mine === edits) replace(identity, errorText(error));
    }
  }
  code.element.addEventListener("input", () => void update());
  void update();
}

/**
 * Whether the account has registered an action, in words.
 * @param {Action[] | null} actions
 * @param {string} hash
 * @returns {(string | HTMLElement)[]}
 */
function registration(actions, hash) {
  if (actions === null) return ["The registered actions could not be read."];
  const found = actions.find((action) => action.hash === hash);
  if (found === undefined) return ["Not registered. ", h("a", { href: "#/actions" }, "Actions")];
  return [`Registered as ${found.name === "" ? "an action without a name" : found.name}.`];
}

/**
 * @param {App} app
 * @param {Account} account
 * @param {Draft} draft
 * @param {Fields} fields
 */
function exampleChoice(app, account, draft, fields) {
  const choice = selectField({
    label: "Start from an example",
    value: "",
    choices: [{ value: "", label: "Choose…" }, ...EXAMPLES.map(({ name }) => ({ value: name, label: name }))],
  });
  choice.element.addEventListener("change", async () => {
    const example = EXAMPLES.find(({ name }) => name === choice.value());
    if (example === undefined) return;
    const isOwn = draft.code.trim() !== "" && !EXAMPLES.some(({ code }) => code === draft.code);
    const load = async () => {
      const [wallets, chain] = await Promise.all([account.listWallets().catch(() => []), app.client.node.chain()]);
      const wallet = wallets.find(({ id }) => id !== MASTER_WALLET) ?? wallets[0];
      const values = { wallet: wallet?.address ?? MASTER_WALLET, chainId: chain.chain_id, response: draft.response };
      fields.code.set(example.code);
      fields.parameters.set(JSON.stringify(example.parameters(values), null, 2));
    };
    const text = h("p", {}, "The code in the editor is kept nowhere else.");
    try {
      if (isOwn) await confirmThenRun({ title: "Replace your code?", text, label: "Replace", run: load });
      else await load();
    } catch (error) {
      app.notify(errorText(error), { error: true });
    }
    // So that the same example can be chosen again. `set` would report a change.
    const select = choice.element.querySelector("select");
    if (select !== null) select.value = "";
  });
  return choice.element;
}

/**
 * @param {App} app
 * @param {Draft} draft
 * @param {Fields} fields
 * @param {HTMLElement} result
 */
function runButtons(app, draft, fields, result) {
  let controller = new AbortController();
  // Announced; the result itself may be long.
  const status = h("span", { class: "muted", role: "status" }, "Ctrl+Enter in the editor runs it too.");
  const stop = button("Stop waiting", () => controller.abort(new Error(LEFT)));
  stop.hidden = true;
  const run = button("Run", async () => {
    if (!areValid(fields)) return;
    controller = new AbortController();
    stop.hidden = false;
    replace(result);
    replace(status, "Running…");
    try {
      const done = await clientOf(app, draft).actions.run(draft.code, JSON.parse(draft.parameters), {
        signal: controller.signal,
        // A browser repeats a request by itself when a connection that it has used before closes without an answer: a run
        // would be paid twice.
        idempotent: true,
        // Longer than any run may take, so that none is paid for whose result is not seen.
        timeoutMs: (SECONDS_MAX + 60) * 1_000,
        ...(fields.seconds.value() === "" ? {} : { maxSeconds: Number(fields.seconds.value()) }),
      });
      draft.response = done.response;
      replace(result, runPanel(done));
      replace(status, `Done for ${dollars(done.charged_cents)}. The result is below.`);
    } catch (error) {
      replace(result, failedPanel(error, fields.code));
      replace(status, "Failed. The reason is below.");
    } finally {
      stop.hidden = true;
    }
  }, { variant: "primary" });
  fields.code.control.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run.click();
  });
  return h("div", { class: "actions" }, run, stop, status);
}

/**
 * Checks the fields; the first fault is shown at its field, and at its line.
 * @param {Fields} fields
 */
function areValid(fields) {
  const needed = fields.as.value() === OTHER_KEY ? [fields.key] : [];
  for (const field of [fields.code, fields.parameters, ...needed, fields.seconds]) {
    const fault = field === fields.key && fields.key.value().trim() === "" ? "This is needed." : field.check();
    if (fault === null) continue;
    field.fail(fault);
    const place = field === fields.parameters ? jsonFault(fields.parameters.value()) : null;
    if (place !== null) {
      fields.parameters.mark(place.line);
      fields.parameters.goTo(place.line, place.column);
    }
    return false;
  }
  return true;
}

/**
 * @param {App} app
 * @param {Draft} draft
 */
function clientOf(app, draft) {
  return draft.as === OTHER_KEY ? app.newClient({ apiKey: draft.key.trim() }) : app.client;
}

/** @param {string} text */
function parametersFault(text) {
  const fault = jsonFault(text);
  if (fault !== null) return `Line ${fault.line}, column ${fault.column}: ${fault.expected} is expected here.`;
  return text.trimStart().startsWith("{") ? null : "The parameters are one JSON object: {…}.";
}

/** @param {string} text */
function secondsFault(text) {
  if (text === "") return null;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= SECONDS_MAX ? null : `A whole number from 1 to ${SECONDS_MAX}.`;
}
