// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, AccountStorage, Group, UsageRecord} from "./AccountStorage.sol";
import {AuthorisationView} from "./AccountTypes.sol";
import {Sequence, Sequences, ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title The decisions: which key may run which action, and use which wallet in it.
/// @dev A hash presented here stands for a key that was presented to a node. The master or alias hash of an unmanaged
/// account is public (it follows from a wallet's address) and never authorises anything.
abstract contract Permissions is AccountStorage {
    using Sequences for Sequence;
    using ValueSets for ValueSet;

    /// @notice Everything one execution needs, in one call; never reverts. Unknown key: master hash 0, all false.
    /// An expired key: all false, with its expiration shown.
    function authorisation(
        uint256 key,
        uint256 cid,
        address[] calldata wallets
    ) external view returns (AuthorisationView memory) {
        return _decide(key, cid, wallets);
    }

    /// @notice May the key run this action: the account key of a managed account any; a usage key any with 0 in
    /// executeInGroups, else one listed (itself or the action wildcard) by a group granted there.
    function canExecuteAction(uint256 key, uint256 cid) external view returns (bool) {
        return _decide(key, cid, new address[](0)).canExecute;
    }

    /// @notice May the key use this wallet inside this action: the account key of a managed account any registered to it;
    /// a usage key where one and the same granted group lists the action (or any) and the wallet (or any; the master
    /// wallet only by itself).
    function canUseWalletInAction(uint256 key, uint256 cid, address pkpId) external view returns (bool) {
        return _decide(key, cid, _one(pkpId)).canUseWallets[0];
    }

    /// @notice Both decisions at once: run the action, use the wallet in it.
    function canExecuteActionAndUseWallet(
        uint256 key,
        uint256 cid,
        address pkpId
    ) external view returns (bool canExecute, bool canUseWallet) {
        AuthorisationView memory decision = _decide(key, cid, _one(pkpId));
        return (decision.canExecute, decision.canUseWallets[0]);
    }

    function _one(address pkpId) private pure returns (address[] memory wallets) {
        wallets = new address[](1);
        wallets[0] = pkpId;
    }

    function _decide(
        uint256 key,
        uint256 cid,
        address[] memory wallets
    ) private view returns (AuthorisationView memory decision) {
        decision.canUseWallets = new bool[](wallets.length);
        decision.blockNumber = block.number;
        decision.blockTimestamp = block.timestamp;
        decision.adminApiPayer = _adminApiPayer;
        decision.adminApiPayerReplacements = _adminApiPayerReplacements;
        (decision.masterHash, decision.isMaster) = _resolve(key);
        if (decision.masterHash == 0) return decision;
        Account storage account = _accounts[decision.masterHash];
        decision.managed = account.managed;
        // An account that was opened unmanaged has its own hash as an alias.
        decision.openedManaged = _aliases[decision.masterHash] != decision.masterHash;
        if (decision.isMaster) _decideForMaster(account, wallets, decision);
        else _decideForUsageKey(account, _record(key), cid, wallets, decision);
    }

    function _decideForMaster(
        Account storage account,
        address[] memory wallets,
        AuthorisationView memory decision
    ) private view {
        if (!decision.managed) return;
        decision.canExecute = true;
        for (uint256 i; i < wallets.length; ++i) {
            decision.canUseWallets[i] = _number(account, wallets[i]) != 0;
        }
    }

    function _decideForUsageKey(
        Account storage account,
        UsageRecord storage record,
        uint256 cid,
        address[] memory wallets,
        AuthorisationView memory decision
    ) private view {
        decision.expiration = record.expiration;
        decision.cap = record.balance;
        if (_expired(record.expiration)) return;
        bool everyGroup = _grants(record.executeInGroups, 0);
        decision.canExecute = everyGroup;
        if (everyGroup && wallets.length == 0) return;
        uint256[] memory groupIds = everyGroup ? account.groupIds.all() : _unpacked(record.executeInGroups);
        uint256 count = _keepListing(account, groupIds, cid);
        if (count != 0) decision.canExecute = true;
        for (uint256 i; i < wallets.length; ++i) {
            decision.canUseWallets[i] = _anyLists(account, groupIds, count, wallets[i]);
        }
    }

    /// @dev Moves the groups that list the action, or the action wildcard, to the front; returns how many.
    function _keepListing(
        Account storage account,
        uint256[] memory groupIds,
        uint256 cid
    ) private view returns (uint256 count) {
        uint64 tag = account.actions[cid].generation;
        for (uint256 i; i < groupIds.length; ++i) {
            if (_listsAction(account.groups[groupIds[i]], cid, tag)) groupIds[count++] = groupIds[i];
        }
    }

    function _anyLists(
        Account storage account,
        uint256[] memory groupIds,
        uint256 count,
        address pkpId
    ) private view returns (bool) {
        uint256 number = _number(account, pkpId);
        if (number == 0) return false;
        for (uint256 i; i < count; ++i) {
            if (_listsWallet(account.groups[groupIds[i]], pkpId, number)) return true;
        }
        return false;
    }

    /// @notice Whether a group lists the action, or the action wildcard; false for a group that is not there.
    /// @param tag The action's generation.
    function _listsAction(Group storage group, uint256 cid, uint64 tag) internal view returns (bool) {
        uint64 generation = group.generation;
        if (generation == 0) return false;
        ValueSet storage actions = group.actions[generation];
        return actions.contains(cid, tag) || actions.contains(0, 0);
    }

    /// @notice Whether a group lists the wallet, or the wallet wildcard, which never means the master wallet.
    /// @param number The wallet's in its account, not 0.
    function _listsWallet(Group storage group, address pkpId, uint256 number) internal view returns (bool) {
        ValueSet storage listed = group.wallets[group.generation];
        return listed.contains(uint160(pkpId), 0) || (number != 1 && listed.contains(0, 0));
    }

    /// @notice A wallet's running number from 1 in its account; 0 when it is not registered to it.
    function _number(Account storage account, address pkpId) internal view returns (uint256) {
        return account.walletAddresses.positions[uint160(pkpId)].number;
    }

    /// @notice A packed list of group ids as it was given.
    function _unpacked(uint64[] storage packed) internal view returns (uint256[] memory groupIds) {
        uint256 length = packed.length;
        groupIds = new uint256[](length);
        for (uint256 i; i < length; ++i) groupIds[i] = packed[i];
    }
}
