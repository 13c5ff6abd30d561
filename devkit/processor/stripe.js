/*
 * Browser script of the local card processor: the part of the real one's interface that the payment page uses. INSECURE: it takes
 * test cards alone and moves no money. Source: https://docs.stripe.com/js.
 */
"use strict";

{
  const api = new URL("/v1/payment_intents", document.currentScript.src).href;
  const idOf = (clientSecret) => clientSecret.split("_secret_")[0];

  /** Calls the API with the publishable key; errors as the real script returns them. */
  async function call(method, url, parameters) {
    const query = new URLSearchParams(parameters);
    const options = method === "GET" ? {} : { method, body: query };
    try {
      const response = await fetch(method === "GET" ? `${url}?${query}` : url, options);
      const answer = await response.json();
      return answer.error ? { error: answer.error } : { paymentIntent: answer };
    } catch {
      return { error: { type: "api_connection_error", message: "The local card processor does not answer." } };
    }
  }

  function field(label, name, value) {
    const input = Object.assign(document.createElement("input"), { name, value, autocomplete: "off", inputMode: "numeric" });
    const wrapped = document.createElement("label");
    wrapped.append(label, input);
    return wrapped;
  }

  /** Form of a card, in place of the real one's frame. */
  class PaymentElement {
    mount(target) {
      const place = typeof target === "string" ? document.querySelector(target) : target;
      const notice = document.createElement("p");
      notice.textContent = "INSECURE local stand-in of the card processor: no money moves. Use a test card.";
      this.fields = document.createElement("div");
      this.fields.className = "stack";
      this.fields.append(
        field("Card number", "number", "4242 4242 4242 4242"),
        field("Expiry", "expiry", "12 / 34"),
        field("Security code", "cvc", "123"),
      );
      place.replaceChildren(notice, this.fields);
    }

    on() {
      return this;
    }

    value(name) {
      return this.fields.querySelector(`input[name="${name}"]`).value;
    }
  }

  class Elements {
    constructor(clientSecret) {
      this.clientSecret = clientSecret;
    }

    create() {
      this.payment = new PaymentElement();
      return this.payment;
    }
  }

  globalThis.Stripe = (key) => ({
    elements: ({ clientSecret }) => new Elements(clientSecret),
    retrievePaymentIntent: (clientSecret) =>
      call("GET", `${api}/${idOf(clientSecret)}`, { key, client_secret: clientSecret }),
    async confirmPayment({ elements, confirmParams }) {
      const { clientSecret, payment } = elements;
      const [month, year] = payment.value("expiry").split("/").map((part) => part.trim());
      const result = await call("POST", `${api}/${idOf(clientSecret)}/confirm`, {
        key,
        client_secret: clientSecret,
        return_url: confirmParams.return_url,
        "payment_method_data[type]": "card",
        "payment_method_data[card][number]": payment.value("number"),
        "payment_method_data[card][exp_month]": month,
        "payment_method_data[card][exp_year]": `20${year}`,
        "payment_method_data[card][cvc]": payment.value("cvc"),
      });
      const step = result.paymentIntent?.next_action;
      // The customer leaves this page and comes back to return_url, as with the real one.
      if (step?.type === "redirect_to_url") location.assign(step.redirect_to_url.url);
      return step?.type === "redirect_to_url" ? new Promise(() => {}) : result;
    },
  });
}
