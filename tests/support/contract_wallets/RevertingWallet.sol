// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A hostile wallet: it reverts with the bytes it was deployed with, be they the magic value.
contract RevertingWallet {
    bytes private _reason;

    constructor(bytes memory reason) {
        _reason = reason;
    }

    fallback() external {
        bytes memory reason = _reason;
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }
}
