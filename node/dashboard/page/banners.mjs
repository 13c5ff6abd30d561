/** Banners above every page: what its reader must know before relying on what is shown. */

import { h, replace } from "./dom.mjs";

const LAG_MAX_S = 30;

/** @typedef {{tone: "warn" | "error", title: string, text: string}} Banner */

/**
 * Returns the banners of a state, the gravest first. Pure.
 * @param {{health: import("./health.mjs").HealthState | null, verification: import("./verification.mjs").Verification | null,
 *   creditCents: number | null, instance: string}} state
 * @returns {Banner[]}
 */
export function bannersOf({ health, verification, creditCents, instance }) {
  return [
    ...healthBanners(health, instance),
    ...originBanners(verification),
    ...(creditCents !== null && creditCents <= 0
      ? [{ tone: /** @type {const} */ ("warn"), title: "No credit.", text: "Runs and changes are refused until credit is added under Billing." }]
      : []),
  ];
}

/**
 * @param {import("./health.mjs").HealthState | null} state
 * @param {string} instance
 * @returns {Banner[]}
 */
function healthBanners(state, instance) {
  if (state === null) return [];
  if (state.health === null) {
    return [{ tone: "error", title: `The health of ${instance} is not known.`, text: `${state.error ?? ""} Lists on this page may be old.` }];
  }
  const { health } = state;
  /** @type {Banner[]} */
  const banners = [];
  const lag = health["account_event_listener_lag_seconds"];
  if (typeof lag !== "number") {
    banners.push({ tone: "error", title: `${instance} has not read the chain yet.`, text: "It may not know of changes that were made elsewhere, such as a removed key." });
  } else if (lag > LAG_MAX_S) {
    banners.push({ tone: "error", title: `${instance} is ${Math.round(lag)} seconds behind the chain.`, text: "A key or grant that was removed elsewhere may still work here." });
  }
  if (health["status"] !== "ok") {
    const notes = Object.entries(health["notes"] ?? {}).map(([part, text]) => `${part}: ${text}`);
    banners.push({ tone: "warn", title: `${instance} is ${health["status"]}.`, text: notes.join(" · ") });
  }
  const insecure = health["insecure"];
  if (Array.isArray(insecure) && insecure.length > 0) {
    banners.push({ tone: "warn", title: "This node is for development only.", text: insecure.join(" · ") });
  }
  return banners;
}

/**
 * @param {import("./verification.mjs").Verification | null} verification
 * @returns {Banner[]}
 */
function originBanners(verification) {
  if (verification === null || verification.proven !== null) return [];
  const { host } = verification;
  if (host === null || verification.isHost) return [];
  return [{ tone: "error", title: "This is not the attested origin.", text: `The node attests to be ${host}, and this page came from ${location.host}. Do not enter a key.` }];
}

/**
 * Keeps the banners current.
 * @param {Element} root
 * @param {import("./app.mjs").App} app
 */
export function watchBanners(root, app) {
  /** @type {number | null} */
  let creditCents = null;
  const show = () => {
    const instance = app.verification?.host ?? location.host;
    const found = bannersOf({ health: app.health.state, verification: app.verification, creditCents, instance });
    // A banner that is there already stays as it is, so that screen readers announce only what is new.
    if (JSON.stringify(found) === root.getAttribute("data-shown")) return;
    root.setAttribute("data-shown", JSON.stringify(found));
    replace(root, found.map((banner) => h("div", { class: `banner ${banner.tone}`, role: banner.tone === "error" ? "alert" : "status" }, h("strong", {}, banner.title), " ", banner.text)));
  };
  const readCredit = async () => {
    const account = app.account;
    const credit = account === null ? null : await account.balance().then((balance) => balance.creditCents, () => null);
    if (account !== app.account) return;
    creditCents = credit;
    show();
  };
  app.health.addEventListener("change", show);
  app.addEventListener("verification", show);
  app.addEventListener("session", readCredit);
  app.addEventListener("refresh", readCredit);
}
