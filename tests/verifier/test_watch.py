"""Watching: what differs from what was last seen is told once, what could not be seen is no change."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.cli.watch import Change, changes, facts_of, watch
from svc_verifier.material import Platform
from svc_verifier.procedure import verify
from svc_verifier.session import Verification
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import NOW_S
from tests.support.verifying import Impostor, VerifiableNode, at, relaying

FACTS = st.dictionaries(st.sampled_from(["owner", "verdict", "certificate"]), st.sampled_from(["a", "b"]))


@given(FACTS, FACTS)
def test_exactly_what_both_saw_and_differs_or_is_new_is_a_change(before: dict[str, str], after: dict[str, str]) -> None:
    found = {change.what: change for change in changes(before, after)}
    for name in {*before, *after}:
        same = name not in after or before.get(name) == after[name]
        assert (name not in found) == same
        if not same:
            assert found[name] == Change(name, before.get(name, ""), after[name])


def test_an_approval_that_is_scheduled_is_told_before_it_counts() -> None:
    """The delay is there so that somebody looks."""

    def facts(look: Look) -> Mapping[str, str]:
        material = look.material()
        return facts_of(Verification(material, verify(material, development_trust())))

    announced = Look()
    announced.chain.pending = ((b"\x0b" * 32, NOW_S + 100),)
    (change,) = changes(facts(Look()), facts(announced))
    assert (change.what, change.before) == ("scheduled approvals", "nothing")
    assert "0b" * 32 in change.after
    assert [back.after for back in changes(facts(announced), facts(Look()))] == ["nothing"]


async def test_another_certificate_is_told_once_and_stays_what_it_is(development_node: VerifiableNode) -> None:
    node = development_node
    async with Impostor(relaying(node.process)).running() as impostor:
        impostor.passing = node.port
        address, trust = at(node, impostor)
        seen = []
        async for sight in watch(address, trust, node.sources(), interval_s=0.0, looks=3):
            seen.append(sight)
            impostor.passing = None
            impostor.cut()
    assert [sorted(change.what for change in sight.changes) for sight in seen] == [[], ["certificate", "verdict"], []]
    verdict = next(change for change in seen[1].changes if change.what == "verdict")
    assert (verdict.before, verdict.after) == ("accepted", "rejected")
    assert seen[0].facts["compose hash"] == seen[2].facts["compose hash"]


async def test_a_host_that_goes_away_is_undecided_and_no_change(development_node: VerifiableNode) -> None:
    node = development_node
    async with Impostor(relaying(node.process)).running() as impostor:
        impostor.passing = node.port
        address, trust = at(node, impostor)
        seen = []
        async for sight in watch(address, trust, node.sources(), interval_s=0.0, looks=3):
            seen.append(sight)
            impostor.passing = 1 if len(seen) == 1 else node.port
    assert [sight.changes for sight in seen] == [(), (), ()]
    assert [sight.facts["verdict"] for sight in seen] == ["accepted", "undecided", "accepted"]


@dataclass
class Changing:
    """A source of collateral whose second answer is damaged."""

    good: str
    asked: int = 0

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        self.asked += 1
        if self.asked != 2:
            return self.good
        return json.dumps(json.loads(self.good) | {"tcb_info_signature": "11" * 64})


@pytest.mark.exhaustive
async def test_collateral_that_is_at_fault_is_no_change(development_node: VerifiableNode) -> None:
    node = development_node
    source = Changing((node.root.parent / "collateral.json").read_text())
    sources = replace(node.sources(), collateral=source)
    seen = [sight async for sight in watch(node.address, node.trust(), sources, interval_s=0.0, looks=3)]
    assert [sight.facts["verdict"] for sight in seen] == ["accepted", "undecided", "accepted"]
    assert [sight.changes for sight in seen] == [(), (), ()]
