"""From a signed envelope to the wallet that signed it: recovered, or vouched for by its contract (spec.md "ChainSecured endpoints")."""

from collections.abc import Callable

from node.chain.port import ContractVerdict, WalletContracts
from node.chainsecured.envelope import Envelope, Expected, PrimaryType, read_envelope, signature_bytes
from node.chainsecured.refusals import EnvelopeFault, Reason
from node.keyring.signing_key import recovered_address


class EnvelopeVerifier:
    """Verifies envelopes for one chain; `clock` gives unix seconds. Nothing is kept: the window alone bounds replays."""

    def __init__(self, chain_id: int, contracts: WalletContracts, clock: Callable[[], float]) -> None:
        self._chain_id = chain_id
        self._contracts = contracts
        self._clock = clock

    async def signer(self, primary_type: PrimaryType, typed_data: str, signature: str) -> str:
        """The EIP-55 address that signed `typed_data` (of `typed_data_text`) for this purpose, which is the one it names.

        `signature` is 0x hex. Raises EnvelopeFault for the first fault there is, NodeError `chain_unavailable`.
        """
        envelope = read_envelope(typed_data, Expected(primary_type, self._chain_id, self._clock()))
        await self._check(envelope, signature_bytes(signature))
        return envelope.address

    async def _check(self, envelope: Envelope, signature: bytes) -> None:
        """Pass when the address the envelope names signed it."""
        digest = envelope.digest()
        if recovered_address(digest, signature) == envelope.address:
            return
        verdict = await self._contracts.verdict(envelope.address, digest, signature)
        if verdict is ContractVerdict.NO_CODE:
            raise EnvelopeFault(
                Reason.SIGNATURE_NO_CODE,
                "message.address did not sign this typed data, and no contract is deployed there.",
                fix="Sign with that very wallet (65 bytes with a low s, or 64 compact); deploy a contract wallet first.",
            )
        if verdict is not ContractVerdict.ACCEPTED:
            raise EnvelopeFault(
                Reason.SIGNATURE_REJECTED,
                "The contract at message.address does not accept this signature (ERC-1271).",
                fix="isValidSignature must return 0x1626ba7e in 32 bytes for the digest of this typed data.",
            )
