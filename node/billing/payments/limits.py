"""The bounds of the payments room."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaymentLimits:
    """How payments are followed; settings `processor_…`.

    `sweep_s`: from the end of a sweep to the begin of the next, in seconds.
    `sweep_overlap_s`: events so much older than the last sweep are asked for again, in seconds.
    `sweep_claim_s`: how long one node of several keeps a sweep, or rows of the outbox, to itself, in seconds.
    `events_kept_s`: after a longer absence payments, refunds and disputes are listed too, since the processor forgets
    events, in seconds.
    `reversal_open_s`: how long before such an absence a refund may have been made that failed, or a dispute opened that
    was decided, while it lasted, in seconds.
    `key_life_s`: how long a call that fails is repeated with the same idempotency key, in seconds; the processor keeps
    one for 24 hours. `key_rest_s`: the end of that time, in which it is not repeated; far above what one call takes.
    `sweep_payments`, `sweep_reversals`: unfinished payments, and refunds of payments not known, asked for in one sweep.
    `sweep_customers`: customers looked at in one sweep for credit given by hand, longest not looked at first.
    `sweep_changed_customers`: the same of those whose balance changed.
    `payment_look_max_s`: the longest pause between two looks at an unfinished payment, in seconds.
    `payment_look_for_s`: a payment that is unfinished for so long is no longer asked for, in seconds, and forgotten.
    `payment_open_days`: a payment that nobody has paid for so many days is canceled at the processor and forgotten; at
    least two, as a request may be repeated with its Idempotency-Key for one. `forgotten_payments`: so many in one sweep.
    `begun_per_minute_per_account`, `confirmed_per_minute_per_account`: create_payment_intent, and confirm_payment of what
    is not credited yet; more are 429, since each calls the processor. Each usage key has as many of its own.
    `begun_per_hour_per_address`: create_payment_intent by client address (IPv4, IPv6 /64), of all accounts; more are 429.
    Accounts are free, and who tries stolen cards needs a payment for each few of them.
    `asked_at_once_max`: of both, by all accounts, at once; more are 429. They share the pace of the processor's calls, and
    those that wait for it longer than a call may take would count as its failures.
    `webhook_max_bytes`: a larger webhook call is 413.
    """

    sweep_s: float = 60.0
    sweep_overlap_s: float = 3600.0
    sweep_claim_s: float = 120.0
    events_kept_s: float = 29 * 86_400.0
    reversal_open_s: float = 120 * 86_400.0
    key_life_s: float = 3600.0
    key_rest_s: float = 300.0
    sweep_payments: int = 100
    sweep_reversals: int = 100
    sweep_customers: int = 20
    sweep_changed_customers: int = 200
    payment_look_max_s: float = 86_400.0
    payment_look_for_s: float = 90 * 86_400.0
    payment_open_days: int = 7
    forgotten_payments: int = 1_000
    begun_per_minute_per_account: int = 10
    confirmed_per_minute_per_account: int = 60
    begun_per_hour_per_address: int = 30
    asked_at_once_max: int = 64
    webhook_max_bytes: int = 512 * 1024


@dataclass(frozen=True, slots=True)
class MirrorLimits:
    """How the processor is told of credit and spending; settings `mirror_…`.

    `every_s`: from the end of one round to the begin of the next, in seconds.
    `accounts`: accounts whose balance is compared in one round; the next one goes on from there.
    `rows`: outbox rows written in one round, and taken at a time.
    `per_second`: calls of the processor a second, at most; `lanes`: calls under way at once.
    `refused_wait_s`, `failed_wait_s`: how long a row rests that the processor refused, or failed at, in seconds.
    `failures`: after so many in a row a round ends.
    """

    every_s: float = 10.0
    accounts: int = 20_000
    rows: int = 200
    per_second: float = 20.0
    lanes: int = 4
    refused_wait_s: float = 3600.0
    failed_wait_s: float = 30.0
    failures: int = 4
