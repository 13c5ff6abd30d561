// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title What the wallets of the tests share.
library Signatures {
    /// @notice What ERC-1271 calls a yes.
    bytes4 internal constant MAGIC = 0x1626ba7e;

    /// @notice Who made this 65-byte signature (r, s, v 27 or 28); zero for none.
    function signer(bytes32 digest, bytes calldata signature) internal pure returns (address) {
        return ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }

    /// @notice A call whose revert is passed on as it is.
    function callOrRevert(address to, uint256 value, bytes calldata data) internal returns (bytes memory) {
        (bool ok, bytes memory answer) = to.call{value: value}(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
        return answer;
    }
}
