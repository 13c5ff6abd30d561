// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A hostile wallet: the magic value in a clean word, and more after it: as many bytes as it was told.
contract FloodingWallet {
    uint256 private immutable _bytes;

    constructor(uint256 bytes_) {
        _bytes = bytes_;
    }

    fallback() external {
        uint256 length = _bytes;
        assembly {
            mstore(0, 0x1626ba7e00000000000000000000000000000000000000000000000000000000)
            return(0, length)
        }
    }
}
