// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A hostile wallet: it computes until its gas is gone.
contract GasBurningWallet {
    fallback() external {
        bytes32 value;
        while (true) value = keccak256(abi.encode(value));
    }
}
