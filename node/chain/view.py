"""View calls on the account contract, typed, whose results a quorum agrees on at one block."""

import functools
from collections.abc import Sequence
from typing import TypeAlias

from node.chain.abi import ContractAbi
from node.chain.errors import ViewNotComputedError
from node.chain.port import Head
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Answer, NotComputed, Returned, ViewCall
from node.chain.rpc import CallRevertedError

View: TypeAlias = tuple[str, Sequence[object]]
"""Name of a view and its arguments."""

Values: TypeAlias = tuple[object, ...]
"""Result of a view: one value per output, structs as tuples, addresses as lower-case 0x hex."""


class ContractViews:
    """Calls views of the contract at `address`; all calls of one method are answered at one and the same block."""

    def __init__(self, quorum: QuorumReader, abi: ContractAbi, address: str) -> None:
        self._quorum = quorum
        self._abi = abi
        self._address = address

    async def view(self, function: str, *arguments: object) -> Values:
        """Call `function` at the head.

        Raises CallRevertedError, ViewNotComputedError when it exceeds an endpoint's bounds, or
        ChainUnavailableError.
        """
        _, (answer,) = await self._quorum.read([self._call(function, arguments)])
        outcome = _outcome(answer)
        if isinstance(outcome, CallRevertedError):
            raise outcome
        return outcome

    async def at_head(self, views: Sequence[View], at: Head | None = None) -> tuple[Head, list[Values]]:
        """Return the results of several views, none of which ever reverts, and the header of the block they were called at.

        The header's number and timestamp are the block's, also where the EVM's `block.number` is another chain's.
        `at`, a head given by an earlier call, pins this one to the same block. Raises ChainUnavailableError.
        """
        head, outcomes = await self.outcomes_at_head(views, at)
        values = [outcome for outcome in outcomes if not isinstance(outcome, CallRevertedError)]
        if len(values) < len(outcomes):
            raise ViewNotComputedError
        return head, values

    async def outcomes_at_head(
        self, views: Sequence[View], at: Head | None = None
    ) -> tuple[Head, list[Values | CallRevertedError]]:
        """Return the same for views that may revert; a revert is a value here, and its data is never empty."""
        calls = [self._call(function, arguments) for function, arguments in views]
        head, answers = await self._quorum.read(calls, at)
        return head, [_outcome(answer) for answer in answers]

    def _call(self, function: str, arguments: Sequence[object]) -> ViewCall:
        decode = functools.partial(self._abi.decode_result, function)
        return ViewCall(self._address, self._abi.encode_call(function, arguments), decode)


def _outcome(answer: Answer) -> Values | CallRevertedError:
    if isinstance(answer, NotComputed):
        raise ViewNotComputedError
    return answer.values if isinstance(answer, Returned) else CallRevertedError(answer.data)
