// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Signatures} from "./Signatures.sol";

/// @title A contract wallet of one key: it signs (ERC-1271) and acts for whoever holds that key.
contract OwnerWallet {
    address public immutable owner;

    error NotOwner(address sender);

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    /// @notice ERC-1271: the magic value for a 65-byte signature of the owner's, else four zero bytes.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        bool valid = signature.length == 65 && Signatures.signer(digest, signature) == owner;
        return valid ? Signatures.MAGIC : bytes4(0);
    }

    /// @notice Call as this wallet; the owner alone may. What the call reverts with is passed on.
    function execute(address to, uint256 value, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        return Signatures.callOrRevert(to, value, data);
    }
}
