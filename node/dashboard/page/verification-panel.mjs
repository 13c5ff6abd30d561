/** What is proven of the node, what this browser could compare, and the command that proves the rest. */

import { badge, copyButton, h, identifier, notice, panel, replace, terms } from "./dom.mjs";
import { timeText } from "./format.mjs";

const NAME = /^[A-Za-z0-9.-]{1,253}$/;

/** @typedef {import("./verification.mjs").Verification} Verification */

/**
 * Panel that follows the verification of the application.
 * @param {import("./app.mjs").App} app
 */
export function verificationPanel(app) {
  const body = h("div", { class: "stack" });
  const show = () => replace(body, content(app.verification));
  // Lives as long as the page is shown.
  const update = () => (body.isConnected ? show() : app.removeEventListener("verification", update));
  app.addEventListener("verification", update);
  show();
  return panel("Is this the right node?", body);
}

/** @param {Verification | null} verification */
function content(verification) {
  if (verification === null) return h("p", { class: "loading", role: "status" }, "Asking the node for its attestation…");
  const { proven, error } = verification;
  return [
    proven === null ? unproven(verification) : provenText(proven),
    error !== null && notice("error", h("p", {}, error)),
    verification.checks.length > 0 && checks(verification),
    verification.checks.length > 0 && identity(verification),
    proven === null && commands(verification),
  ];
}

/** @param {Verification} verification */
function unproven({ checks: found }) {
  const failed = found.some((each) => !each.passed);
  return h("p", {},
    badge(failed ? "contradictions" : "not proven", failed ? "bad" : "warn"),
    failed
      ? " What the node says of itself does not agree. Do not use it."
      : " This page came from the node itself, and a browser cannot prove a node. What it could compare agrees.");
}

/** @param {Record<string, unknown>} proven */
function provenText(proven) {
  const time = typeof proven["verified_at"] === "number" ? ` on ${timeText(proven["verified_at"])}` : "";
  const text = ` svc dashboard verified the node ${proven["node"]} and every file of this page${time}.`;
  if (proven["development"] !== true) return h("p", {}, badge("proven", "good"), text);
  return h("p", {}, badge("development", "warn"), text, " It accepted a development root: no hardware vouches for anything.");
}

/** @param {Verification} verification */
function checks({ checks: found }) {
  return h("ul", { class: "checks" }, ...found.map((each) =>
    h("li", {}, badge(each.passed ? "agrees" : "differs", each.passed ? "plain" : "bad"), h("div", {}, h("div", { class: "cell-title" }, each.name), h("div", { class: "muted" }, each.text)))));
}

/** @param {Verification} verification */
function identity({ host, instanceId, appId, composeHash, certificateKeys }) {
  return terms([
    ["Host", host],
    ["Instance", instanceId === null ? null : identifier(instanceId, "instance id")],
    ["Application", appId === null ? null : identifier(appId, "application id")],
    ["Compose hash", composeHash === null ? null : identifier(composeHash, "compose hash")],
    ["Certificate keys", certificateKeys.length === 0 ? "none: the node does not end TLS" : h("div", {}, ...certificateKeys.map((key) => identifier(key, "certificate key")))],
  ]);
}

/** @param {Verification} verification */
function commands({ host, isHost }) {
  // The statement names no port, and what is no name must not get into a command.
  const origin = `https://${isHost || host === null || !NAME.test(host) ? location.host : host}`;
  const command = (/** @type {string} */ text) => h("div", { class: "secret" }, h("code", { class: "break" }, text), copyButton(text, "the command"));
  return [
    h("p", {}, "Prove it in a terminal. 0x… is the application's id: take it from whom you trust, never from this page."),
    command(`svc-verify ${origin} --app-id 0x…`),
    h("p", {}, "To use this dashboard through a proven connection:"),
    command(`svc login ${origin} --app-id 0x… --no-key && svc dashboard`),
  ];
}
