// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Signatures} from "./Signatures.sol";

/// @title A contract wallet of three keys, two of which sign (ERC-1271) and act together.
/// @notice Signatures are 65 bytes each, one after the other, in ascending order of their signers.
contract MultisigWallet {
    uint256 public constant THRESHOLD = 2;
    uint256 private constant SIGNATURE_BYTES = 65;

    mapping(address => bool) public isOwner;
    uint256 public nonce;

    error NotSigned();
    error BadOwners();

    /// @param owners In ascending order, none of them zero.
    constructor(address[3] memory owners) {
        address last;
        for (uint256 i; i < owners.length; ++i) {
            if (owners[i] <= last) revert BadOwners();
            last = owners[i];
            isOwner[last] = true;
        }
    }

    receive() external payable {}

    /// @notice ERC-1271: the magic value for two owners' signatures, else four zero bytes.
    function isValidSignature(bytes32 digest, bytes calldata signatures) external view returns (bytes4) {
        return _signed(digest, signatures) ? Signatures.MAGIC : bytes4(0);
    }

    /// @notice What two owners sign for {execute}: bound to chain, wallet and nonce, so that it counts once.
    function executionDigest(
        address to,
        uint256 value,
        bytes calldata data,
        uint256 nonce_
    ) public view returns (bytes32) {
        bytes32 what = keccak256(abi.encode(block.chainid, nonce_, to, value, keccak256(data)));
        return keccak256(abi.encodePacked(bytes2(0x1900), address(this), what));
    }

    /// @notice Call as this wallet; anybody may bring the signatures. What the call reverts with is passed on.
    function execute(
        address to,
        uint256 value,
        bytes calldata data,
        bytes calldata signatures
    ) external returns (bytes memory) {
        if (!_signed(executionDigest(to, value, data, nonce++), signatures)) revert NotSigned();
        return Signatures.callOrRevert(to, value, data);
    }

    function _signed(bytes32 digest, bytes calldata signatures) private view returns (bool) {
        if (signatures.length != THRESHOLD * SIGNATURE_BYTES) return false;
        address last;
        for (uint256 i; i < THRESHOLD; ++i) {
            address signer = Signatures.signer(digest, signatures[i * SIGNATURE_BYTES:(i + 1) * SIGNATURE_BYTES]);
            if (signer <= last || !isOwner[signer]) return false;
            last = signer;
        }
        return true;
    }
}
