"""What the stripe library would do by itself, turned off: it has no other switch for these than its module's globals.

With telemetry it makes a file in the home directory and sends its content; with `STRIPE_LOG` in the environment, which
the host can forge, it writes whatever is sent and received, e-mail addresses included, to standard error; and its
logger says URLs and the processor's words, which repeat what was sent.
"""

import logging

import stripe
from stripe import _util as stripe_logging


def silence_library() -> None:
    """Turn all of it off; once more changes nothing."""
    stripe.enable_telemetry = False
    stripe.log = None
    stripe_logging.STRIPE_LOG = None
    logger = logging.getLogger("stripe")
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False
