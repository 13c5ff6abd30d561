"""The parameters of a payment intent. Functions raise ApiError 400 for invalid ones.

Source: https://docs.stripe.com/api/payment_intents/create.
"""

from typing import Final

from pydantic import JsonValue

from devkit.processor.behaviours import CRYPTO
from devkit.processor.errors import parameter_invalid
from devkit.processor.forms import Form
from devkit.processor.limits import LocalProcessorLimits

KINDS: Final = ("card", CRYPTO)


def amount(form: Form, limits: LocalProcessorLimits) -> int:
    """Returns the amount in cents, within the processor's bounds."""
    cents = form.required_integer("amount")
    if cents < 1:
        raise parameter_invalid("This value must be greater than or equal to 1.", "amount", "parameter_invalid_integer")
    if cents < limits.minimum_amount_cents:
        least = f"${limits.minimum_amount_cents / 100:.2f} usd"
        raise parameter_invalid(f"Amount must be at least {least}", "amount", "amount_too_small")
    if cents > limits.maximum_amount_cents:
        most = f"${limits.maximum_amount_cents / 100:,.2f}"
        raise parameter_invalid(f"Amount must be no more than {most}", "amount", "amount_too_large")
    return cents


def return_url(form: Form) -> str | None:
    """Returns the URL to which the customer comes back."""
    url = form.text("return_url")
    if url is not None and not url.startswith(("https://", "http://")):
        raise parameter_invalid("Not a valid URL", "return_url", "url_invalid")
    return url


def currency(form: Form) -> str:
    """Returns the currency, which must be US dollars."""
    code = form.required("currency").lower()
    if code != "usd":
        message = f"Invalid currency: {code[:8]}. This local processor supports: usd"
        raise parameter_invalid(message, "currency")
    return code


def automatic(form: Form) -> dict[str, JsonValue] | None:
    """Returns `automatic_payment_methods` as the intent shows it."""
    if not form.has("automatic_payment_methods"):
        return None
    sent = form.below("automatic_payment_methods")
    sent.only({"enabled", "allow_redirects"})
    return {"allow_redirects": sent.text("allow_redirects") or "always", "enabled": sent.flag("enabled")}


def kinds(form: Form) -> list[str]:
    """Returns the methods an intent may be paid with, all or those allowed or not excluded."""
    _check_ways(form)
    allowed, sent = form.texts("allowed_payment_method_types"), automatic(form)
    excluded = form.texts("excluded_payment_method_types")
    without_redirects = sent is not None and sent["allow_redirects"] == "never"
    left = [
        kind
        for kind in KINDS
        if (not allowed or kind in allowed) and kind not in excluded and not (without_redirects and kind == CRYPTO)
    ]
    if not left:
        raise parameter_invalid(
            "No valid payment method types for this Payment Intent.", "allowed_payment_method_types"
        )
    return left


def _check_ways(form: Form) -> None:
    # https://docs.stripe.com/changelog/endive/2026-09-30/removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents
    if form.has("payment_method_types"):
        message = "`payment_method_types` is no longer supported: use `allowed_payment_method_types`."
        raise parameter_invalid(message, "payment_method_types", "payment_method_types_no_longer_supported")
    ways = ("allowed_payment_method_types", "excluded_payment_method_types", "automatic_payment_methods")
    if form.has(ways[0]) and (form.has(ways[1]) or form.has(ways[2])):
        raise parameter_invalid(f"You may only specify one of these parameters: {', '.join(ways)}.", ways[0])
