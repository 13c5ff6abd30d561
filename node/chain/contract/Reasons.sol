// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, Group, UsageRecord} from "./AccountStorage.sol";
import {Sequence, Sequences} from "./OrderedSets.sol";
import {Permissions} from "./Permissions.sol";

/// @title The reasons: which group a decision of {Permissions} rests on, or what it is short of.
abstract contract Reasons is Permissions {
    using Sequences for Sequence;

    /// @notice Which groups list the action, and which list the wallet too (0x0: none is asked about), the wildcards
    /// counting as in {canUseWalletInAction}. Each is the lowest id, 0 for none. Never reverts; all 0 for what is no
    /// usage key in force.
    /// @dev `granted` are among the groups of executeInGroups; with 0 there any action runs, and they are looked for only
    /// when a wallet is asked about. `known` are among the groups of the key's other lists, looked for only when the key
    /// may not run the action: one of these, granted, would let it.
    function decidingGroups(
        uint256 key,
        uint256 cid,
        address pkpId
    )
        external
        view
        returns (uint256 granted, uint256 grantedWithWallet, uint256 known, uint256 knownWithWallet)
    {
        (uint256 master, bool isMaster) = _resolve(key);
        if (master == 0 || isMaster) return (0, 0, 0, 0);
        UsageRecord storage record = _record(key);
        if (_expired(record.expiration)) return (0, 0, 0, 0);
        Account storage account = _accounts[master];
        bool everyGroup = _grants(record.executeInGroups, 0);
        if (everyGroup && pkpId == address(0)) return (0, 0, 0, 0);
        uint256[] memory groupIds = everyGroup ? account.groupIds.all() : _unpacked(record.executeInGroups);
        (granted, grantedWithWallet) = _lowest(account, groupIds, cid, pkpId);
        if (everyGroup || granted != 0) return (granted, grantedWithWallet, 0, 0);
        (known, knownWithWallet) = _lowest(account, _otherwiseListed(account, record), cid, pkpId);
    }

    /// @dev The groups of every list but executeInGroups.
    function _otherwiseListed(
        Account storage account,
        UsageRecord storage record
    ) private view returns (uint256[] memory groupIds) {
        uint64[][3] memory lists = [record.manageIPFSIdsInGroups, record.addPkpToGroups, record.removePkpFromGroups];
        groupIds = new uint256[](lists[0].length + lists[1].length + lists[2].length);
        uint256 count;
        for (uint256 list; list < lists.length; ++list) {
            for (uint256 i; i < lists[list].length; ++i) {
                if (lists[list][i] == 0) return account.groupIds.all();
                groupIds[count++] = lists[list][i];
            }
        }
    }

    function _lowest(
        Account storage account,
        uint256[] memory groupIds,
        uint256 cid,
        address pkpId
    ) private view returns (uint256 listing, uint256 listingBoth) {
        uint64 tag = account.actions[cid].generation;
        uint256 number = _number(account, pkpId);
        for (uint256 i; i < groupIds.length; ++i) {
            Group storage group = account.groups[groupIds[i]];
            if (!_listsAction(group, cid, tag)) continue;
            listing = _lower(listing, groupIds[i]);
            if (number != 0 && _listsWallet(group, pkpId, number)) listingBoth = _lower(listingBoth, groupIds[i]);
        }
    }

    function _lower(uint256 lowest, uint256 groupId) private pure returns (uint256) {
        return lowest == 0 || groupId < lowest ? groupId : lowest;
    }
}
