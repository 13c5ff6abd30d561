// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A hostile wallet: whatever it is asked, it answers the bytes it was deployed with, of any length and content.
contract AnsweringWallet {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback() external {
        bytes memory answer = _answer;
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}
