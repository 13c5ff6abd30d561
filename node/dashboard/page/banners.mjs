/** Banners above every page: what its reader must know before relying on what is shown. */

import { h, replace } from "./dom.mjs";
import { LAG_MAX_S } from "./health.mjs";

const STALE = "A key or grant that was removed elsewhere may still work here.";

/** @typedef {{tone: "warn" | "error", title: string, text: string, items?: string[]}} Banner */

/**
 * Returns the banners of a state, the gravest first. Pure.
 * @param {{health: import("./health.mjs").HealthState | null, verification: import("./verification.mjs").Verification | null,
 *   creditCents: number | null, pageHost: string}} state `creditCents` is null while it is not known
 * @returns {Banner[]}
 */
export function bannersOf({ health, verification, creditCents, pageHost }) {
  /** @type {Banner[]} */
  const banners = [...originBanners(verification, pageHost), ...healthBanners(health, verification?.host ?? pageHost, verification?.instanceId ?? null)];
  if (creditCents !== null && creditCents <= 0) {
    banners.push({ tone: "warn", title: "No credit.", text: "Runs and changes are refused until credit is added under Billing." });
  }
  const order = { error: 0, warn: 1 };
  return banners.sort((one, other) => order[one.tone] - order[other.tone]);
}

/**
 * @param {import("./verification.mjs").Verification | null} verification
 * @param {string} pageHost
 * @returns {Banner[]}
 */
function originBanners(verification, pageHost) {
  // `svc dashboard` serves the page from loopback, after it has proven the node.
  if (verification === null || verification.proven !== null) return [];
  const { host, isHost, checks, error } = verification;
  if (host === null) {
    return [{ tone: "warn", title: "The node's attestation could not be read.", text: error ?? "" }];
  }
  if (!isHost) {
    return [{ tone: "error", title: "This is not the attested origin.", text: `The node attests to be ${host}, and this page came from ${pageHost}. Do not enter a key.` }];
  }
  const differing = checks.filter((check) => !check.passed).map((check) => check.name);
  if (differing.length === 0) return [];
  return [{ tone: "error", title: "What the node says of itself does not agree.", text: "Do not enter a key.", items: differing }];
}

/**
 * @param {import("./health.mjs").HealthState | null} state
 * @param {string} host
 * @param {string | null} instanceId
 * @returns {Banner[]}
 */
function healthBanners(state, host, instanceId) {
  if (state === null) return [];
  const { health, error } = state;
  // Several instances may stand behind one host.
  const instance = instanceId === null ? "" : ` Instance ${instanceId}.`;
  if (health === null) {
    return [{ tone: "error", title: `The health of ${host} is not known.`, text: `${error ?? ""} What this page shows may be old.${instance}` }];
  }
  /** @type {Banner[]} */
  const banners = [];
  const lag = health["account_event_listener_lag_seconds"];
  if (typeof lag !== "number") {
    banners.push({ tone: "error", title: `${host} has not read the chain's events yet.`, text: STALE + instance });
  } else if (lag > LAG_MAX_S) {
    banners.push({ tone: "error", title: `${host} is ${Math.round(lag)} seconds behind the chain.`, text: STALE + instance });
  }
  if (health["status"] !== "ok") {
    const notes = Object.entries(health["notes"] ?? {}).map(([part, text]) => `${part}: ${text}`);
    banners.push({ tone: health["status"] === "down" ? "error" : "warn", title: `${host} is ${health["status"]}.`, text: instance, items: notes });
  }
  const insecure = health["insecure"];
  if (Array.isArray(insecure) && insecure.length > 0) {
    banners.push({ tone: "warn", title: "This node is for development only.", text: `It uses: ${insecure.map((each) => String(each).split(":")[0]).join(", ")}.`, items: insecure.map(String) });
  }
  return banners;
}

/**
 * Keeps the banners current.
 * @param {Element} root
 * @param {import("./app.mjs").App} app
 */
export function watchBanners(root, app) {
  /** @type {number | null} */
  let creditCents = null;
  let shown = "";
  const show = () => {
    const { verification } = app;
    const found = bannersOf({ health: app.health.state, verification, creditCents, pageHost: location.host });
    // A banner that is there already stays as it is, so that screen readers announce only what is new.
    if (JSON.stringify(found) === shown) return;
    shown = JSON.stringify(found);
    replace(root, found.map(bannerElement));
  };
  const readCredit = async () => {
    const account = app.account;
    // A wallet's account would be asked for a signature.
    const credit = account?.kind !== "api" ? null : await account.balance().then((balance) => balance.creditCents, () => null);
    if (account !== app.account) return;
    creditCents = credit;
    show();
  };
  app.health.addEventListener("change", show);
  app.addEventListener("verification", show);
  app.addEventListener("session", readCredit);
  app.addEventListener("refresh", readCredit);
}

/** @param {Banner} banner */
function bannerElement({ tone, title, text, items = [] }) {
  return h("div", { class: `banner ${tone}`, role: tone === "error" ? "alert" : "status" },
    h("strong", {}, title), " ", text,
    items.length > 0 && h("details", {}, h("summary", {}, "Details"), h("ul", {}, items.map((item) => h("li", {}, item)))));
}
