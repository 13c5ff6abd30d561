"""No secret of the keyring prints, pickles, copies or turns up in an error."""

import contextlib
import copy
import gc
import pickle
import traceback

import pytest

from node.keyring.enclave import Derivation, EnclaveRoot, Label
from node.keyring.port import RootKeyUnavailableError
from tests.support import keyring_vectors as known


def _objects() -> list[object]:
    keyring = known.keyring()
    return [
        keyring,
        Derivation(known.ROOT),
        EnclaveRoot(known.ROOT, b"\x02" * 33),
        keyring.wallet(known.OWNER, known.PATH),
        keyring.action_identity(known.CID),
        keyring.payer(known.INSTANCE, 3),
        keyring.admin_payer(),
        keyring.wallet_sealer(known.OWNER, known.PATH),
        keyring.idempotency_sealer(),
        keyring.email_sealer(),
        keyring.tls_sealer(known.INSTANCE),
    ]


def _secrets() -> list[bytes]:
    written = known.vectors()
    signing, symmetric = written["signing_keys"], written["symmetric_keys"]
    assert isinstance(signing, dict)
    assert isinstance(symmetric, dict)
    keys = [*(row["private_key"] for row in signing.values()), *symmetric.values()]
    acme = known.keyring().acme_account_key().private_numbers().private_value.to_bytes(32)
    return [known.ROOT, acme, *(bytes.fromhex(key[2:]) for key in keys)]


def _assert_clean(text: str) -> None:
    for secret in _secrets():
        assert secret.hex() not in text.lower()
        assert repr(secret)[2:-1] not in text
        assert str(int.from_bytes(secret)) not in text


@pytest.mark.parametrize(
    "thing", [*_objects(), known.keyring().acme_account_key()], ids=lambda thing: type(thing).__name__
)
def test_it_does_not_print(thing: object) -> None:
    dumps = [repr(thing), str(thing), f"{thing}", f"{[thing]}", ascii(thing)]
    with contextlib.suppress(TypeError):
        dumps.append(repr(vars(thing)))
    dumps += [repr(getattr(thing, name)) for name in dir(thing) if not callable(getattr(thing, name))]
    dumps += [repr(inner) for inner in gc.get_referents(thing)]
    _assert_clean("\n".join(dumps))


@pytest.mark.parametrize("thing", _objects(), ids=lambda thing: type(thing).__name__)
def test_it_does_not_leave_the_process(thing: object) -> None:
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy, lambda value: value.__getstate__()):
        with pytest.raises(TypeError) as refused:
            attempt(thing)
        _assert_clean("".join(traceback.format_exception(refused.value)))


def test_errors_do_not_quote_what_they_refuse() -> None:
    root = known.ROOT + b"\x99"
    with pytest.raises(RootKeyUnavailableError) as refused:
        Derivation(root)
    _assert_clean("".join(traceback.format_exception(refused.value)) + repr(vars(refused.value)))


def test_opening_with_another_key_does_not_tell_either_key() -> None:
    keyring = known.keyring()
    sealed = keyring.wallet_sealer(1, 1).seal(b"x", b"")
    with pytest.raises(ValueError, match="another key") as refused:
        keyring.wallet_sealer(known.OWNER, known.PATH).open(sealed, b"")
    _assert_clean("".join(traceback.format_exception(refused.value)))
    assert refused.value.__cause__ is None


def test_the_account_secret_is_no_derived_key() -> None:
    derivation = Derivation(known.ROOT)
    assert derivation.key(Label.ADMIN_PAYER) != known.ROOT
