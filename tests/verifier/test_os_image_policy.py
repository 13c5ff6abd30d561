"""Whose tables run, which image is allowed, and whether its operator may log in: what is pinned decides, or nothing does."""

import pytest

from svc_verifier.chain.contracts import os_image_allowed
from svc_verifier.check import CATALOGUE, Status
from svc_verifier.material import ProviderAnswers
from svc_verifier.os_image.images import acpi_fingerprint
from tests.support.fixtures import needs_fixtures
from tests.support.os_images import (
    ANY,
    KMS,
    LITE,
    MACHINES,
    OTHER,
    Machine,
    check,
    outcome,
    pinned,
    quoted_machine,
    trusting,
)

pytestmark = needs_fixtures

ACPI_PLACES = (8, 9, 10)


@pytest.fixture
def lite() -> Machine:
    return quoted_machine(LITE)


# ACPI: programs of the host that the kernel runs


def test_tables_of_the_host_are_refused_unless_somebody_vouches_for_them(lite: Machine) -> None:
    bad = lite.with_digest(0, 10, OTHER)
    trust = trusting(os_images=frozenset({lite.os_image_hash}))
    assert check(lite, trust)["os.acpi-tables"].status is Status.PASSED
    found = check(bad, trust)
    assert found["os.measurements"].status is Status.PASSED
    assert found["os.acpi-tables"].status is Status.UNKNOWN
    assert found["os.acpi-tables"].evidence["acpi-tables"] == OTHER.hex()
    assert CATALOGUE["os.acpi-tables"].required


def test_pinned_tables_are_the_only_ones(lite: Machine) -> None:
    bad = lite.with_digest(0, 9, OTHER)
    digests = [event.digest for event in bad.events if event.register == 0]
    pin = acpi_fingerprint(*(digests[place] for place in ACPI_PLACES))
    assert check(bad, trusting(acpi_tables=frozenset({pin})))["os.acpi-tables"].status is Status.PASSED
    for machine in (lite, bad.with_digest(0, 8, OTHER)):
        found = check(machine, trusting(acpi_tables=frozenset({pin})))["os.acpi-tables"]
        assert found.status is Status.FAILED


def test_tables_in_another_order_are_other_tables(lite: Machine) -> None:
    events = list(lite.events)
    events[8], events[9] = events[9], events[8]
    assert check(lite.with_events(events), ANY)["os.acpi-tables"].status is Status.UNKNOWN


def test_the_same_tables_were_seen_on_machines_of_several_projects() -> None:
    for name in ("near-mpc", "near-mpc test", "shade", "dstack simulator", "dstack lite"):
        assert check(MACHINES[name](), ANY)["os.acpi-tables"].status is Status.PASSED
    assert check(MACHINES["dstack quote-report"](), ANY)["os.acpi-tables"].status is Status.UNKNOWN


# os.allowed


def asked(machine: Machine, answer: bytes | None, kms: bytes = KMS) -> ProviderAnswers:
    question = os_image_allowed(kms, machine.os_image_hash)
    return ProviderAnswers("rpc", 8453, 1, bytes(32), 0, calls={question: answer})


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ((1).to_bytes(32, "big"), Status.PASSED),
        (bytes(32), Status.FAILED),
        ((2).to_bytes(32, "big"), Status.UNKNOWN),
        (b"", Status.UNKNOWN),
        (None, Status.UNKNOWN),
    ],
)
def test_the_pinned_kms_contract_decides(lite: Machine, answer: bytes | None, status: Status) -> None:
    assert check(lite, trusting(kms_contract=KMS), asked(lite, answer))["os.allowed"].status is status


def test_another_contract_or_another_question_does_not_decide(lite: Machine) -> None:
    yes = (1).to_bytes(32, "big")
    trust = trusting(kms_contract=KMS)
    assert check(lite, trust, asked(lite, yes, bytes(20)))["os.allowed"].status is Status.UNKNOWN
    other = MACHINES["near-mpc"]()
    assert check(lite, trust, asked(other, yes))["os.allowed"].status is Status.UNKNOWN
    assert check(lite, trust, None)["os.allowed"].status is Status.UNKNOWN
    assert check(lite, ANY, asked(lite, yes))["os.allowed"].status is Status.UNKNOWN


def test_a_pinned_image_is_the_only_one(lite: Machine) -> None:
    yes = asked(lite, (1).to_bytes(32, "big"))
    trust = trusting(os_images=frozenset({bytes(32)}), kms_contract=KMS)
    assert check(lite, trust, yes)["os.allowed"].status is Status.FAILED
    assert check(lite, trusting(os_images=frozenset({lite.os_image_hash})))["os.allowed"].status is Status.PASSED


def test_an_image_whose_hash_nobody_knows_is_not_allowed() -> None:
    machine = MACHINES["shade"]().with_config(os_image_hash=quoted_machine(LITE).os_image_hash.hex())
    trust = trusting(os_images=frozenset({machine.os_image_hash}), kms_contract=KMS)
    found = check(machine, trust, asked(machine, (1).to_bytes(32, "big")))
    assert found["os.measurements"].status is Status.PASSED
    assert found["os.allowed"].status is Status.UNKNOWN


def test_a_user_may_pin_what_he_measured_himself() -> None:
    stranger = MACHINES["near-mpc"]().with_digest(1, 0, OTHER).with_config(os_image_hash=None)
    assert outcome(stranger, ANY).value is None
    pin = pinned(stranger, b"\x11" * 32)
    made = outcome(stranger, trusting(os_measurements=(pin,)))
    assert {one.status for one in made.checks} == {Status.PASSED}
    assert made.value is not None
    assert made.value.os_image_hash == b"\x11" * 32
    for changed in (stranger.with_mrtd(OTHER), stranger.with_digest(2, 0, OTHER), stranger.with_digest(0, 3, OTHER)):
        assert outcome(changed, trusting(os_measurements=(pin,))).value is None
    lying = stranger.with_config(os_image_hash="22" * 32)
    assert outcome(lying, trusting(os_measurements=(pin,))).checks[0].status is Status.FAILED


def test_a_user_may_pin_one_image_for_each_page_order() -> None:
    stranger = MACHINES["near-mpc"]().with_digest(1, 0, OTHER).with_config(os_image_hash=None)
    pins = (pinned(stranger.with_mrtd(bytes(48)), bytes(32)), pinned(stranger, bytes(32)))
    for order in (pins, pins[::-1]):
        assert outcome(stranger, trusting(os_measurements=order)).value is not None


# os.production


@pytest.mark.parametrize("name", ["dstack-dev-0.6.0", "dstack-nvidia-dev-0.5.8", "DSTACK-DEV", "dev"])
def test_a_host_that_calls_its_image_a_development_one_is_believed(lite: Machine, name: str) -> None:
    for pins in ({"os_images": frozenset({lite.os_image_hash})}, {"development": True}):
        found = check(lite.with_config(image=name), trusting(**pins))["os.production"]
        assert found.status is Status.FAILED


@pytest.mark.parametrize("name", ["dstack-0.6.0", "developers-choice", ""])
def test_a_name_alone_does_not_make_an_image_a_production_one(lite: Machine, name: str) -> None:
    machine = lite.with_config(image=name)
    assert check(machine, ANY)["os.production"].status is Status.UNKNOWN
    assert check(machine, trusting(os_images=frozenset({lite.os_image_hash})))["os.production"].status is Status.PASSED


def test_known_images_are_told_apart_by_their_digests() -> None:
    assert check(MACHINES["near-mpc"](), ANY)["os.production"].status is Status.PASSED
    development = MACHINES["near-mpc dev"]().with_config(image="dstack-0.5.8")
    for machine in (development, development.with_config(os_image_hash=None)):
        digest = bytes.fromhex("7d47512fda31dc5a7318f72ae1869a3c76323981eea21fc30cafd0f79668642c")
        for trust in (
            trusting(os_images=frozenset({digest})),
            trusting(os_measurements=(pinned(machine, digest),)),
            trusting(os_images=frozenset({digest}), development=True),
        ):
            assert check(machine, trust)["os.production"].status is Status.FAILED


def test_under_a_development_root_what_is_not_pinned_is_skipped_and_says_so() -> None:
    machine = quoted_machine(LITE).with_digest(0, 10, OTHER)
    found = check(machine, trusting(development=True))
    assert found["os.measurements"].status is Status.PASSED
    for name in ("os.acpi-tables", "os.allowed", "os.production"):
        assert found[name].status is Status.SKIPPED
        assert found[name].why.startswith("DEV")
    strict = check(machine, trusting(development=True, os_images=frozenset({bytes(32)})))
    assert strict["os.allowed"].status is Status.FAILED
