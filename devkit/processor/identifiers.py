"""Identifiers in the processor's form, a prefix and letters and digits."""

import secrets
import string
from typing import Final

ALPHABET: Final = string.ascii_letters + string.digits
LENGTHS: Final = {
    "cus_": 14,
    "req_": 14,
    "pi_": 24,
    "ch_": 24,
    "re_": 24,
    "du_": 24,
    "pm_": 24,
    "evt_": 24,
    "cbtxn_": 24,
}
SECRET_CHARACTERS: Final = 25


def fresh(prefix: str) -> str:
    """Returns a new identifier; `prefix` is one of LENGTHS, with its underscore."""
    return prefix + _drawn(LENGTHS[prefix])


def client_secret(intent: str) -> str:
    """Returns the secret that confirms the intent together with the publishable key."""
    return f"{intent}_secret_{_drawn(SECRET_CHARACTERS)}"


def _drawn(characters: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(characters))
