/**
 * Card payments: begins the payment with the session's key, and leaves everything about the card to the payment page, which gets the
 * payment's client secret and no key.
 */

import { button, copyButton, failure, h, load, notice, panel, replace, terms } from "./dom.mjs";
import { form, textField } from "./form.mjs";
import { centsOf, dollars } from "./format.mjs";
import { offerPayment } from "./handover.mjs";

/** @typedef {import("./app.mjs").App} App */
/** @typedef {{id: string, clientSecret: string, cents: number}} Begun */

const LEAST_CENTS = 500;
const ASK_MS = 4_000;
const POLL_MS = 10_000;
const POLLS_MAX = 180;
const PAGE = "pay.html";

/**
 * Panel that takes a card payment. `paid` runs after credit arrived.
 * @param {App} app
 * @param {() => unknown} paid
 */
export function cardPanel(app, paid) {
  const body = h("div");
  void load(body, () => amountForm(app, paid, body));
  return panel("Add credit by card", body);
}

/**
 * @param {App} app
 * @param {() => unknown} paid
 * @param {Element} body
 */
async function amountForm(app, paid, body) {
  const key = await publishableKey(app);
  if (key === null) return notice("info", "This node takes no card payments.");
  const amount = textField({
    label: "Amount in US dollars",
    value: "50",
    required: true,
    help: `At least ${dollars(LEAST_CENTS)}. The card is entered on a page of its own, in the card processor's form.`,
    check: (value) => ((centsOf(value) ?? 0) < LEAST_CENTS ? `Type an amount of at least ${dollars(LEAST_CENTS)}, such as 50.` : null),
  });
  const submit = async () => {
    const cents = centsOf(amount.value()) ?? 0;
    const begun = await app.client.billing.beginPayment(cents);
    const payment = { id: begun.payment_intent_id, clientSecret: begun.client_secret, cents };
    replace(body, waiting(app, payment, key, { paid, again: () => void load(body, () => amountForm(app, paid, body)) }));
  };
  return form({ fields: [amount], label: "Continue", submit });
}

/**
 * Returns the card processor's publishable key, null on a node that takes no cards.
 * @param {App} app
 */
async function publishableKey(app) {
  try {
    // A client of its own with a short deadline: the refusal of a node without cards would be repeated for minutes.
    return await app.newClient({ timeoutMs: ASK_MS }).billing.publishableKey();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "billing_disabled") return null;
    throw error;
  }
}

/**
 * Waits for a payment that was begun, as long as this element is on the page.
 * @param {App} app
 * @param {Begun} payment
 * @param {string} key publishable one
 * @param {{paid: () => unknown, again: () => void}} then
 */
function waiting(app, payment, key, { paid, again }) {
  const message = h("div", { "aria-live": "polite" });
  const offer = offerPayment(payment.clientSecret, (status) => void confirm(status === "succeeded"));
  const check = button("I have paid", () => confirm(true));
  const element = h("div", { class: "stack" },
    terms([["Amount", dollars(payment.cents)], ["Payment", h("code", {}, payment.id)]]),
    opening(app, payment, key, offer.fragment),
    message,
    h("div", { class: "actions" }, check, button("Another amount", stop, { variant: "plain" })));
  let isOver = false;
  let polls = 0;
  const timer = setInterval(() => {
    polls += 1;
    if (!element.isConnected || polls > POLLS_MAX) end();
    else void confirm(false);
  }, POLL_MS);

  function end() {
    isOver = true;
    clearInterval(timer);
    offer.close();
  }

  function stop() {
    end();
    again();
  }

  /** @param {boolean} tells whether the answer is shown when it is not paid yet */
  async function confirm(tells) {
    if (isOver) return;
    try {
      const done = await app.client.billing.confirmPayment(payment.id);
      if (isOver) return;
      end();
      app.notify(`${dollars(done.credited_cents)} was added to the credit.`);
      replace(element, notice("info", h("p", {}, `${dollars(done.credited_cents)} was added to the credit.`)), button("Add more", again));
      await paid();
    } catch (error) {
      if (tells && !isOver) replace(message, isUnpaid(error) ? notice("info", unpaidText(error)) : failure(error));
    }
  }

  return element;
}

/**
 * The way to the payment page. The real processor's script refuses a live key on a page without HTTPS, as `svc dashboard` serves it:
 * the payment then goes over the node's own address, and the payment code is carried there by hand.
 * @param {App} app
 * @param {Begun} payment
 * @param {string} key
 * @param {string} fragment
 */
function opening(app, payment, key, fragment) {
  if (location.protocol === "https:" || !key.startsWith("pk_live_")) {
    return h("p", {}, h("a", { class: "button primary", href: `./${PAGE}${fragment}`, target: "_blank", rel: "noopener noreferrer" }, "Open the payment page"));
  }
  const node = app.verification?.proven?.["node"];
  const address = `${typeof node === "string" ? node.replace(/\/$/, "") : `https://${app.verification?.host ?? ""}`}/dashboard/${PAGE}`;
  return h("div", { class: "stack" },
    h("p", {}, "The card processor takes real payments over HTTPS alone. Open the payment page at the node's own address and paste this payment code. It pays this one payment and opens nothing else."),
    h("div", { class: "secret" }, h("code", { class: "break" }, payment.clientSecret), copyButton(payment.clientSecret, "payment code")),
    h("p", {}, h("a", { class: "button primary", href: address, target: "_blank", rel: "noopener noreferrer" }, "Open the payment page")));
}

/** @param {unknown} error */
function isUnpaid(error) {
  return error instanceof Error && "status" in error && error.status === 409;
}

/** @param {unknown} error */
function unpaidText(error) {
  const details = /** @type {{details?: Record<string, unknown>}} */ (error).details;
  return details?.["status"] === "processing"
    ? "The payment is being processed. It is credited once it has succeeded, also when this page is closed."
    : "The payment is not paid yet. It is credited within a minute after it is, also when this page is closed.";
}
