// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Accounts} from "./Accounts.sol";
import {AccountViews} from "./AccountViews.sol";
import {Actions} from "./Actions.sol";
import {Configuration} from "./Configuration.sol";
import {Groups} from "./Groups.sol";
import {Payers} from "./Payers.sol";
import {UsageKeys} from "./UsageKeys.sol";

/// @title Accounts, usage keys, wallets, groups and actions of the service, and who may change them.
/// @notice Immutable: there is no proxy, no upgrade, and no way for anybody but its admin wallet to touch an unmanaged
/// account. ETH is refused, there being no payable function.
/// @dev One contract is over the size limit of EIP-170, so the views of accounts live in {AccountViews}, which this
/// constructor deploys and whose address never changes.
contract AccountConfig is Accounts, UsageKeys, Groups, Actions, Configuration {
    /// @notice Where the views' code is.
    address public immutable viewsModule = address(new AccountViews());

    /// @param initialOwner Owner of the configuration; not a payer.
    /// @param initialAdminApiPayer The enclave's admin payer, its first naming; 0x0 leaves that to the owner.
    /// @param ownerChangeDelay_ Seconds the owner's naming of another admin payer waits; at most a year.
    constructor(
        address initialOwner,
        address initialAdminApiPayer,
        uint256 ownerChangeDelay_
    ) Payers(initialOwner, initialAdminApiPayer, ownerChangeDelay_) {}

    /// @dev The views of {AccountViews}, run on this contract's storage; anything unknown there reverts without data.
    fallback() external {
        address module = viewsModule;
        assembly ("memory-safe") {
            let data := mload(0x40)
            calldatacopy(data, 0, calldatasize())
            let ok := delegatecall(gas(), module, data, calldatasize(), 0, 0)
            returndatacopy(data, 0, returndatasize())
            switch ok
            case 0 {
                revert(data, returndatasize())
            }
            default {
                return(data, returndatasize())
            }
        }
    }

    /// @notice Several calls in one transaction, each as if sent alone by the sender: one that fails undoes only itself.
    /// @return ok Whether each succeeded.
    /// @return results What each returned, ABI-encoded, or its revert data. A multicall inside is such a failure.
    function multicall(bytes[] calldata calls) external returns (bool[] memory ok, bytes[] memory results) {
        ok = new bool[](calls.length);
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            (ok[i], results[i]) = _callSelf(calls[i]);
            if (!ok[i]) emit CallFailed(i, results[i]);
        }
    }

    function _callSelf(bytes calldata call) private returns (bool, bytes memory) {
        if (bytes4(call) == this.multicall.selector) {
            return (false, abi.encodeWithSelector(InvalidRequest.selector, "multicall inside a multicall"));
        }
        return address(this).delegatecall(call);
    }
}
