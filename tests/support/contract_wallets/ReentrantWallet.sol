// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Signatures} from "./Signatures.sol";

/// @title A hostile wallet: asked for its signature, it first calls whom it was deployed to call, and then says yes.
/// @notice With itself as target it goes round until the gas is all but gone.
contract ReentrantWallet {
    address private _target;
    bytes private _call;

    /// @param target Zero stands for the wallet itself, and then `call` is what it was asked.
    constructor(address target, bytes memory call) {
        _target = target;
        _call = call;
    }

    /// @dev Not a view, so that the compiler lets it try to write.
    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        bool itself = _target == address(0);
        (bool ok, ) = itself ? address(this).call(msg.data) : _target.call(_call);
        ok; // it says yes whatever came of it
        return Signatures.MAGIC;
    }
}
