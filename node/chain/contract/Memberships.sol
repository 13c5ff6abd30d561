// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, AccountStorage, Group} from "./AccountStorage.sol";
import {Sequence, Sequences, ValueSet, ValueSets} from "./OrderedSets.sol";
import {Wallets} from "./Wallets.sol";

/// @title Which actions and wallets a group lists.
/// @dev Adding what is there already succeeds and changes nothing, without an event; removing what is not there reverts.
abstract contract Memberships is Wallets {
    using Sequences for Sequence;
    using ValueSets for ValueSet;

    /// @notice Where a membership is added: the hash passed, the account's master, the group, and who speaks.
    struct Target {
        uint256 accountHash;
        uint256 master;
        uint256 groupId;
        bool isMaster;
    }

    /// @dev How many listed actions an addition looks at, to drop those deleted since: two, so that what deletions
    /// leave behind is cleared faster than additions can bring more.
    uint256 private constant SWEEP_STEPS = 2;

    /// @notice List an action in a group, 0 for any action (the master only). It need not be registered.
    /// @dev A usage key needs the group or 0 in manageIPFSIdsInGroups. Reverts AccountDoesNotExist, NoAccountAccess,
    /// UsageApiKeyExpired, NotAllowedToManageIPFSIdsInGroup, NotMasterAccount, GroupDoesNotExist, InvalidRequest.
    function addActionToGroup(uint256 accountHash, uint256 groupId, uint256 action) external {
        (Account storage account, Target memory target) = _openForActions(accountHash, groupId);
        Group storage group = _groupOf(account, accountHash, groupId);
        _sweep(account, group.actions[group.generation]);
        _addAction(account, group, target, action);
    }

    /// @notice Take an action, or the wildcard 0, out of a group.
    /// @dev Grants and reverts as {addActionToGroup}; also ActionDoesNotExist. The wildcard may be removed by a usage key.
    function removeActionFromGroup(uint256 accountHash, uint256 groupId, uint256 action) external {
        (Account storage account, Target memory target) = _openForActions(accountHash, groupId);
        Group storage group = _groupOf(account, accountHash, groupId);
        ValueSet storage actions = group.actions[group.generation];
        if (!actions.contains(action, account.actions[action].generation)) {
            revert ActionDoesNotExist(accountHash, groupId, action);
        }
        actions.remove(action);
        emit ActionRemovedFromGroup(target.master, groupId, action);
    }

    /// @notice List a wallet of the account in a group, 0x0 for any wallet but the master wallet.
    /// @dev A usage key needs the group or 0 in addPkpToGroups; wildcard and master wallet the master only. Reverts
    /// AccountDoesNotExist, NoAccountAccess, UsageApiKeyExpired, NotAllowedToAddPkpToGroup, NotMasterAccount,
    /// GroupDoesNotExist, InvalidRequest, PkpDoesNotExist (not registered to the account).
    function addPkpToGroup(uint256 accountHash, uint256 groupId, address pkpId) external {
        (Account storage account, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster && !_grants(_liveRecord(accountHash).addPkpToGroups, groupId)) {
            revert NotAllowedToAddPkpToGroup(accountHash, groupId);
        }
        Group storage group = _groupOf(account, accountHash, groupId);
        _addWallet(account, group, Target(accountHash, master, groupId, isMaster), pkpId);
    }

    /// @notice Take a wallet, or the wildcard 0x0, out of a group.
    /// @dev A usage key needs the group or 0 in removePkpFromGroups. Reverts AccountDoesNotExist, NoAccountAccess,
    /// UsageApiKeyExpired, NotAllowedToRemovePkpFromGroup, GroupDoesNotExist, InvalidRequest, PkpDoesNotExist.
    function removePkpFromGroup(uint256 accountHash, uint256 groupId, address pkpId) external {
        (Account storage account, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster && !_grants(_liveRecord(accountHash).removePkpFromGroups, groupId)) {
            revert NotAllowedToRemovePkpFromGroup(accountHash, groupId);
        }
        Group storage group = _groupOf(account, accountHash, groupId);
        ValueSet storage wallets = group.wallets[group.generation];
        if (!wallets.contains(uint160(pkpId), 0)) revert PkpDoesNotExist(accountHash, groupId, pkpId);
        wallets.remove(uint160(pkpId));
        emit PkpRemovedFromGroup(master, groupId, pkpId);
    }

    /// @dev Reverts InvalidRequest for group 0, the wildcard, and GroupDoesNotExist.
    function _groupOf(
        Account storage account,
        uint256 accountHash,
        uint256 groupId
    ) internal view returns (Group storage group) {
        if (groupId == 0) revert InvalidRequest("group 0 is the wildcard");
        group = account.groups[groupId];
        if (group.generation == 0) revert GroupDoesNotExist(accountHash, groupId);
    }

    /// @dev The wildcard by the master only.
    function _addAction(Account storage account, Group storage group, Target memory target, uint256 action) internal {
        if (action == 0 && !target.isMaster) revert NotMasterAccount(target.accountHash);
        if (group.actions[group.generation].add(action, account.actions[action].generation)) {
            emit ActionAddedToGroup(target.master, target.groupId, action);
        }
    }

    /// @dev Registered wallets only; wildcard and master wallet by the master only.
    function _addWallet(Account storage account, Group storage group, Target memory target, address pkpId) internal {
        uint256 number = _walletNumber(account, pkpId);
        if (pkpId != address(0) && number == 0) revert PkpDoesNotExist(target.accountHash, target.groupId, pkpId);
        // Here 0 is the wildcard and 1 the master wallet.
        if (number <= 1 && !target.isMaster) revert NotMasterAccount(target.accountHash);
        if (group.wallets[group.generation].add(uint160(pkpId), 0)) {
            emit PkpAddedToGroup(target.master, target.groupId, pkpId);
        }
    }

    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, UsageApiKeyExpired, NotAllowedToManageIPFSIdsInGroup.
    function _openForActions(
        uint256 accountHash,
        uint256 groupId
    ) private view returns (Account storage account, Target memory target) {
        (Account storage opened, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster && !_grants(_liveRecord(accountHash).manageIPFSIdsInGroups, groupId)) {
            revert NotAllowedToManageIPFSIdsInGroup(accountHash, groupId);
        }
        return (opened, Target(accountHash, master, groupId, isMaster));
    }

    /// @dev Drops members whose action was deleted since they were added.
    function _sweep(Account storage account, ValueSet storage actions) private {
        for (uint256 i; i < SWEEP_STEPS; ++i) {
            uint256 number = actions.sequence.step();
            if (number == 0) continue;
            uint256 action = actions.values[number];
            if (!actions.contains(action, account.actions[action].generation)) actions.remove(action);
        }
    }
}
