// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, AccountStorage, Group} from "./AccountStorage.sol";
import {Sequence, Sequences} from "./OrderedSets.sol";
import {Memberships} from "./Memberships.sol";

/// @title Groups: added, replaced, renamed, removed. Ids run from 1 per account and are never reused.
abstract contract Groups is Memberships {
    using Sequences for Sequence;

    /// @notice Add a group with its first contents, and return its id.
    /// @dev A usage key needs createGroups, for contents also the wildcard 0 in manageIPFSIdsInGroups or addPkpToGroups;
    /// wildcards and the master wallet enter by the master only (NotMasterAccount). Reverts AccountDoesNotExist,
    /// NoAccountAccess, UsageApiKeyExpired, NotAllowedTo…, GroupLimitReached, PkpDoesNotExist (a wallet not registered).
    function addGroup(
        uint256 accountHash,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external returns (uint256 groupId) {
        (Account storage account, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster) _requireMayCreateGroup(accountHash, cidHashes.length != 0, pkpIds.length != 0);
        uint256 limit = isMaster ? MAX_GROUPS : MAX_GROUPS - RESERVED_GROUPS;
        if (account.groupIds.length >= limit) revert GroupLimitReached(accountHash, limit);
        groupId = account.groupIds.append();
        Group storage group = account.groups[groupId];
        group.generation = 1;
        group.name = name;
        group.description = description;
        emit GroupAdded(master, groupId);
        _fill(account, group, Target(accountHash, master, groupId, isMaster), cidHashes, pkpIds);
    }

    /// @notice Replace a group's names and contents. The master only. What it held costs nothing to drop.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, GroupDoesNotExist, PkpDoesNotExist.
    function updateGroup(
        uint256 accountHash,
        uint256 groupId,
        string calldata name,
        string calldata description,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        Group storage group = _groupOf(account, accountHash, groupId);
        ++group.generation;
        group.name = name;
        group.description = description;
        emit GroupUpdated(master, groupId);
        _fill(account, group, Target(accountHash, master, groupId, true), cidHashes, pkpIds);
    }

    /// @notice Rename a group; its contents stay. The master only.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, GroupDoesNotExist.
    function updateGroupMetadata(
        uint256 accountHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        Group storage group = _groupOf(account, accountHash, groupId);
        group.name = name;
        group.description = description;
        emit GroupMetadataUpdated(master, groupId);
    }

    /// @notice Remove a group. Constant gas: its contents become unreachable with it.
    /// @dev A usage key needs deleteGroups. Reverts AccountDoesNotExist, NoAccountAccess, UsageApiKeyExpired,
    /// NotAllowedToDeleteGroup, GroupDoesNotExist.
    function removeGroup(uint256 accountHash, uint256 groupId) external {
        (Account storage account, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster && !_liveRecord(accountHash).deleteGroups) revert NotAllowedToDeleteGroup(accountHash);
        _groupOf(account, accountHash, groupId).generation = 0;
        account.groupIds.drop(groupId);
        emit GroupRemoved(master, groupId);
    }

    /// @dev Reverts UsageApiKeyExpired, NotAllowedToCreateGroup, NotAllowedToManageIPFSIdsInGroup, NotAllowedToAddPkpToGroup.
    function _requireMayCreateGroup(uint256 usageHash, bool withActions, bool withWallets) private view {
        if (!_liveRecord(usageHash).createGroups) revert NotAllowedToCreateGroup(usageHash);
        // Group 0 exists nowhere, so only the wildcard grants it.
        if (withActions && !_grants(_record(usageHash).manageIPFSIdsInGroups, 0)) {
            revert NotAllowedToManageIPFSIdsInGroup(usageHash, 0);
        }
        if (withWallets && !_grants(_record(usageHash).addPkpToGroups, 0)) {
            revert NotAllowedToAddPkpToGroup(usageHash, 0);
        }
    }

    /// @dev What is passed twice is listed once.
    function _fill(
        Account storage account,
        Group storage group,
        Target memory target,
        uint256[] calldata cidHashes,
        address[] calldata pkpIds
    ) private {
        for (uint256 i; i < cidHashes.length; ++i) _addAction(account, group, target, cidHashes[i]);
        for (uint256 i; i < pkpIds.length; ++i) _addWallet(account, group, target, pkpIds[i]);
    }
}
