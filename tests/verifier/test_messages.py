"""Messages: each says what was found, where, and whose word it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from svc_verifier.bundle import dump_bundle, read_bundle
from svc_verifier.check import CATALOGUE, Report, failed, passed, unknown
from svc_verifier.errors import VerifierError
from svc_verifier.gathering.collateral import CollateralFile
from svc_verifier.material import Platform
from svc_verifier.procedure import verify
from svc_verifier.rendering.text import page, summary, table
from svc_verifier.tdx.dcap import platform_of
from svc_verifier.trust_file import load_trust
from tests.support.attested.look import Look, development_trust

PEM_BEGIN = b"-----BEGIN CERTIFICATE-----"


def quote() -> tuple[bytes, int]:
    """A good one, and where its chain begins."""
    raw = bytes.fromhex(Look().attestation["quote"])
    return raw, raw.index(PEM_BEGIN)


def without_leaf(raw: bytes, chain: int) -> bytes:
    """The chain without its first certificate, filled up with zeros."""
    rest = raw[raw.index(PEM_BEGIN, chain + 1) :]
    return raw[:chain] + rest.ljust(len(raw) - chain, b"\0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw, chain: raw[: chain - 6] + b"\3\0" + raw[chain - 4 :], "dcap-qvl: no PCK certificate chain"),
        (
            lambda raw, chain: raw[:chain] + b"x" + raw[chain + 1 :],
            "the quote's PCK chain: is no chain of PEM certificates",
        ),
        (lambda raw, chain: raw[:chain] + b"\xff" + raw[chain + 1 :], "the quote's PCK chain: is no chain of PEM"),
        (without_leaf, "the quote's PCK certificate names no platform"),
    ],
)
def test_only_a_quote_without_a_chain_is_said_to_have_none(change: Callable[[bytes, int], bytes], said: str) -> None:
    with pytest.raises(VerifierError) as refused:
        platform_of(change(*quote()))
    assert refused.value.message.startswith(said)


def test_a_file_that_is_not_utf_8_is_named_with_the_offset(tmp_path: Path) -> None:
    bundle, trust = tmp_path / "bundle.json", tmp_path / "trust.toml"
    text = dump_bundle(Look().material()).encode()
    bundle.write_bytes(text[:100] + b"\xff" + text[100:])
    trust.write_bytes(b'host = "a\xff"')
    for read, path, offset in ((read_bundle, bundle, 100), (load_trust, trust, 9)):
        with pytest.raises(VerifierError) as refused:
            read(path)
        assert f"{path}" in refused.value.message
        assert f"is not UTF-8 at offset {offset}" in refused.value.message


async def test_a_file_of_collateral_that_is_not_utf_8_is_named_with_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "collateral.json"
    path.write_bytes(b"{\xff")
    with pytest.raises(LookupError, match=r"collateral\.json is not UTF-8 at offset 1"):
        await CollateralFile(path).fetch(b"", Platform("", "", b"", b"", b""))


def test_an_answer_that_is_not_utf_8_is_named_with_the_offset() -> None:
    look = Look()
    look.files["sha256sum.txt"], look.files["quote.json"] = look.files["sha256sum.txt"], b'{"quote":"\xff"}'
    whys = {check.id: check.why for check in verify(look.material(), development_trust()).checks}
    assert whys["evidence.quote"] == "quote.json: is not UTF-8 at offset 10"


def test_an_address_that_the_other_side_chose_is_its_word_and_no_advice() -> None:
    look = Look()
    look.statement["host"] = "evil.example"
    (cause,) = verify(look.material(), development_trust()).causes
    assert cause.why == "you asked for node.example; the node calls itself 'evil.example'"
    assert "https://evil" not in cause.why + cause.fix


def report() -> Report:
    """Many causes, one with advice, and values whose names a stranger left empty or made of blanks."""
    odd = {"": "of no name", " \t": "of blanks", "\u200b": "of what nobody sees"}
    own = [unknown("hardware.quote", "no quote", "Try again."), passed("code.images", **odd)]
    own += [failed(name, "bad", "Mend it.") for name in list(CATALOGUE)[-6:]]
    made = {check.id: check for check in own}
    return Report("a", 1_750_000_000, False, False, tuple(made.get(name, passed(name)) for name in CATALOGUE))


def test_no_row_of_a_report_is_without_a_label() -> None:
    shown = summary(report(), width=200).splitlines()[1:]
    assert all(line[0] != " " for line in shown), shown
    assert [line.split(" ")[0] for line in shown].count("fix") == 3
    assert "\nmore causes 3: " in "\n" + "\n".join(shown)
    assert "(no name)=of no name" in table(report(), width=200)
    assert " =of" not in table(report(), width=200)
    assert "<dt></dt>" not in page(report())
