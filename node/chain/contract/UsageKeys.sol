// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, AccountStorage, UsagePlace, UsageRecord} from "./AccountStorage.sol";
import {UsageApiKeyInput} from "./AccountTypes.sol";
import {ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title Usage keys: set, renamed, removed, cleared; by the account's master alone.
abstract contract UsageKeys is AccountStorage {
    using ValueSets for ValueSet;

    /// @notice Create a usage key, or replace everything about it. `expiration` in unix seconds (0 never), `balance` the
    /// lifetime cap in cents (0 none); the lists hold group ids, 0 meaning every group, present and future.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, InvalidRequest (hash 0, id over 64 bits, more
    /// than 512 entries in the lists together), AccountAlreadyExists (somebody's master, alias or usage hash, or one that
    /// was removed).
    function setUsageApiKey(
        uint256 accountHash,
        uint256 usageHash,
        uint256 expiration,
        uint256 balance,
        string memory name,
        string memory description,
        bool createGroups,
        bool deleteGroups,
        bool createPKPs,
        uint256[] memory manageIPFSIdsInGroups,
        uint256[] memory addPkpToGroups,
        uint256[] memory removePkpFromGroups,
        uint256[] memory executeInGroups
    ) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        if (!_isUsageKeyOf(master, usageHash)) _claim(account, master, usageHash);
        _write(
            master,
            usageHash,
            UsageApiKeyInput(
                expiration,
                balance,
                name,
                description,
                createGroups,
                deleteGroups,
                createPKPs,
                manageIPFSIdsInGroups,
                addPkpToGroups,
                removePkpFromGroups,
                executeInGroups
            )
        );
    }

    /// @notice Replace everything about a usage key that exists. Arguments as of {setUsageApiKey}.
    /// @dev Reverts UsageApiKeyDoesNotExist where setUsageApiKey would create.
    function updateUsageApiKey(
        uint256 accountHash,
        uint256 usageHash,
        uint256 expiration,
        uint256 balance,
        string memory name,
        string memory description,
        bool createGroups,
        bool deleteGroups,
        bool createPKPs,
        uint256[] memory manageIPFSIdsInGroups,
        uint256[] memory addPkpToGroups,
        uint256[] memory removePkpFromGroups,
        uint256[] memory executeInGroups
    ) external {
        (, uint256 master) = _openUsageKey(accountHash, usageHash);
        _write(
            master,
            usageHash,
            UsageApiKeyInput(
                expiration,
                balance,
                name,
                description,
                createGroups,
                deleteGroups,
                createPKPs,
                manageIPFSIdsInGroups,
                addPkpToGroups,
                removePkpFromGroups,
                executeInGroups
            )
        );
    }

    /// @notice Rename a usage key; nothing else changes.
    /// @dev Reverts as {_openUsageKey}.
    function updateUsageApiKeyMetadata(
        uint256 accountHash,
        uint256 usageHash,
        string calldata name,
        string calldata description
    ) external {
        (, uint256 master) = _openUsageKey(accountHash, usageHash);
        UsageRecord storage record = _record(usageHash);
        record.name = name;
        record.description = description;
        emit UsageApiKeyMetadataUpdated(master, usageHash);
    }

    /// @notice Remove a usage key. Its hash resolves to nothing from now on and can never be registered again.
    /// @dev Reverts as {_openUsageKey}. Constant gas: the record is left unreachable, not erased.
    function removeUsageApiKey(uint256 accountHash, uint256 usageHash) external {
        (Account storage account, uint256 master) = _openUsageKey(accountHash, usageHash);
        _usagePlaces[usageHash].removed = true;
        account.usageKeys[account.usageGeneration].remove(usageHash);
        emit UsageApiKeyRemoved(master, usageHash);
    }

    /// @notice Remove every usage key of the account at once, each as by {removeUsageApiKey}. Constant gas.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount.
    function clearUsageApiKeys(uint256 accountHash) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        ++account.usageGeneration;
        emit UsageApiKeysCleared(master);
    }

    /// @notice Whether a hash is a usage key in force of this account, expired ones included.
    /// @dev Asked of the account's own keys, so that a master or alias of the same hash does not hide it.
    function _isUsageKeyOf(uint256 master, uint256 usageHash) internal view returns (bool) {
        UsagePlace storage place = _usagePlaces[usageHash];
        return place.master == master && !place.removed && place.generation == _accounts[master].usageGeneration;
    }

    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, UsageApiKeyDoesNotExist.
    function _openUsageKey(
        uint256 accountHash,
        uint256 usageHash
    ) private view returns (Account storage account, uint256 master) {
        (account, master) = _openAsMaster(accountHash);
        if (!_isUsageKeyOf(master, usageHash)) revert UsageApiKeyDoesNotExist(accountHash, usageHash);
    }

    /// @dev Makes a hash this account's, for good. Reverts InvalidRequest, AccountAlreadyExists.
    function _claim(Account storage account, uint256 master, uint256 usageHash) private {
        if (usageHash == 0) revert InvalidRequest("zero usage key hash");
        UsagePlace storage place = _usagePlaces[usageHash];
        if (place.master != 0 || _accounts[usageHash].exists || _aliases[usageHash] != 0) {
            revert AccountAlreadyExists(usageHash);
        }
        place.master = master;
        place.generation = account.usageGeneration;
        account.usageKeys[account.usageGeneration].add(usageHash, 0);
    }

    /// @dev A fresh record each time: replacing costs what creating does, however much the old one held.
    function _write(uint256 master, uint256 usageHash, UsageApiKeyInput memory input) private {
        uint256 entries = input.manageIPFSIdsInGroups.length +
            input.addPkpToGroups.length +
            input.removePkpFromGroups.length +
            input.executeInGroups.length;
        if (entries > MAX_GROUPS) revert InvalidRequest("more than 512 entries in the lists together");
        UsageRecord storage record = _usageRecords[usageHash][++_usagePlaces[usageHash].version];
        record.expiration = input.expiration;
        record.balance = input.balance;
        record.createGroups = input.createGroups;
        record.deleteGroups = input.deleteGroups;
        record.createPKPs = input.createPKPs;
        record.name = input.name;
        record.description = input.description;
        _pack(record.manageIPFSIdsInGroups, input.manageIPFSIdsInGroups);
        _pack(record.addPkpToGroups, input.addPkpToGroups);
        _pack(record.removePkpFromGroups, input.removePkpFromGroups);
        _pack(record.executeInGroups, input.executeInGroups);
        emit UsageApiKeySet(master, usageHash);
    }

    /// @dev Into an empty list. Reverts InvalidRequest.
    function _pack(uint64[] storage packed, uint256[] memory groupIds) private {
        for (uint256 i; i < groupIds.length; ++i) {
            if (groupIds[i] > type(uint64).max) revert InvalidRequest("group id over 64 bits");
            packed.push(uint64(groupIds[i]));
        }
    }
}
