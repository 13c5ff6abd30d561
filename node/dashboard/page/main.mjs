/** Start of the dashboard: layout, navigation and session. */

import { App } from "./app.mjs";
import { watchBanners } from "./banners.mjs";
import { badge, button, failure, h, replace } from "./dom.mjs";
import { HealthWatch } from "./health.mjs";
import * as signInPage from "./page-sign-in.mjs";
import { watchServer } from "./server-watch.mjs";
import { verify } from "./verification.mjs";

/** @typedef {{show: (root: HTMLElement, app: App) => Promise<void>}} Page */
/** @typedef {{name: string, title: string, load: () => Promise<Page>, withoutAccount?: boolean}} Route */

/** @type {Route[]} */
const ROUTES = [
  { name: "overview", title: "Overview", load: () => import("./page-overview.mjs") },
  { name: "keys", title: "Usage keys", load: () => import("./page-keys.mjs") },
  { name: "groups", title: "Groups", load: () => import("./page-groups.mjs") },
  { name: "actions", title: "Actions", load: () => import("./page-actions.mjs") },
  { name: "wallets", title: "Wallets", load: () => import("./page-wallets.mjs") },
  { name: "runner", title: "Runner", load: () => import("./page-runner.mjs") },
  { name: "billing", title: "Billing", load: () => import("./page-billing.mjs") },
  { name: "chain", title: "ChainSecured", load: () => import("./page-chain.mjs"), withoutAccount: true },
];

const live = h("div", { class: "toasts", "aria-live": "polite" });
const banners = h("section", { class: "banners", "aria-label": "Notices" });
const content = h("main", { id: "content", tabindex: "-1" });
const session = h("div", { class: "session" });
const navigation = h("ul", {});
const menu = button("Menu", () => toggleMenu(), { variant: "plain" });
menu.classList.add("menu");

const app = new App(location.origin, { live, health: new HealthWatch(), show: () => showPage({ keeps: true }) });

/** Number of the last navigation: a page that is loaded after the next one was chosen is not shown. */
let navigations = 0;

function toggleMenu(open = menu.getAttribute("aria-expanded") !== "true") {
  menu.setAttribute("aria-expanded", String(open));
}

/** Returns the route that the address names; the overview for one that is not known. */
function currentRoute() {
  const name = location.hash.replace(/^#\//, "").split(/[/?]/)[0];
  return ROUTES.find((route) => route.name === name) ?? /** @type {Route} */ (ROUTES[0]);
}

/**
 * Shows the page of the address, with the focus on its heading.
 * @param {{focus?: boolean, keeps?: boolean}} [options] `keeps`: what is shown stays until the new page is complete
 */
async function showPage({ focus = true, keeps = false } = {}) {
  navigations += 1;
  const mine = navigations;
  const route = currentRoute();
  toggleMenu(false);
  showNavigation(route);
  const signedIn = app.account !== null || (app.wallet !== null && route.withoutAccount === true);
  document.title = `${signedIn ? route.title : "Sign in"} · Node dashboard`;
  // A root of its own for each page, so that one that answers late writes into nothing.
  const root = h("div", { class: "page" });
  try {
    const page = signedIn ? await route.load() : signInPage;
    if (mine !== navigations) return;
    const shown = page.show(root, app);
    // The error of a page that nobody looks at any more is nobody's.
    shown.catch(() => undefined);
    if (keeps) await shown;
    if (mine !== navigations) return;
    replace(content, root);
    if (focus) focusHeading(keeps);
    await shown;
  } catch (error) {
    if (mine !== navigations) return;
    replace(content, h("h1", { tabindex: "-1" }, route.title), failure(error), button("Try again", () => showPage()));
    if (focus) focusHeading(keeps);
  }
}

/** @param {boolean} keeps leave the focus where it is, unless that is gone */
function focusHeading(keeps) {
  if (keeps && document.activeElement !== document.body) return;
  if (!keeps) scrollTo(0, 0);
  const heading = content.querySelector("h1");
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
}

/** @param {Route} current */
function showNavigation(current) {
  const links = ROUTES.map((route) =>
    h(
      "li",
      {},
      h("a", { href: `#/${route.name}`, "aria-current": route === current ? "page" : null }, route.title),
    ),
  );
  replace(navigation, links);
}

const ROLES = { owner: "Account key", usage: "Usage key", former: "Key of a converted account" };

function showSession() {
  const role = app.account?.kind === "chain" ? "Wallet" : app.role === null ? null : ROLES[app.role];
  const signedIn = app.account !== null || app.wallet !== null;
  replace(
    session,
    role !== null && badge(role),
    signedIn && button("Sign out", () => app.signOut(), { small: true }),
  );
  document.body.classList.toggle("signed-in", signedIn);
}

function build() {
  const skip = button("Skip to the content", () => content.focus());
  skip.classList.add("skip");
  const header = h(
    "header",
    { class: "top" },
    skip,
    menu,
    h("a", { class: "product", href: "#/overview" }, "Node dashboard"),
    h("span", { class: "host muted" }, location.host),
    session,
  );
  const nav = h("nav", { id: "pages", "aria-label": "Pages" }, navigation);
  menu.setAttribute("aria-controls", nav.id);
  toggleMenu(false);
  replace(
    /** @type {Element} */ (document.getElementById("app")),
    header, banners, h("div", { class: "columns" }, nav, content), live,
  );
}

/** Forgets the key when the `svc dashboard` that serves this page has ended. Whoever listens at its address afterwards gets none. */
function endWithServer() {
  app.health.stop();
  app.end();
  const advice = "This page has forgotten the key and sends nothing more. Close it, and run `svc dashboard` again.";
  // Beside open dialogs: one may show a key for the only time.
  replace(/** @type {Element} */ (document.getElementById("app")), h("main", { class: "page" }, h("h1", {}, "svc dashboard has ended"), h("p", {}, advice)));
}

async function start() {
  // Before anything else, and waited for: no key is asked for before its end would be noticed.
  const watched = watchServer(location, endWithServer);
  build();
  showSession();
  replace(content, h("p", { class: "loading", role: "status" }, "Waiting for the server of this page…"));
  if (!(await watched)) return;
  watchBanners(banners, app);
  addEventListener("hashchange", () => void showPage());
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") toggleMenu(false);
  });
  app.addEventListener("session", () => {
    showSession();
    void showPage();
  });
  app.health.start();
  void verify(app.baseUrl).then((found) => {
    app.verification = found;
    app.dispatchEvent(new Event("verification"));
  });
  // A key that was kept and is refused now is forgotten; the sign-in page says what to do.
  const resumed = await app.resume().catch((error) => {
    app.signOut();
    app.notify(`The key that was kept in this tab was not accepted: ${error.message}`, { error: true });
    return true;
  });
  if (!resumed) await showPage({ focus: false });
  // Every page is loaded now, so that navigation works when the network is cut later.
  await Promise.allSettled(ROUTES.map((route) => route.load()));
}

void start();
