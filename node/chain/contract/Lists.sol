// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, Action, ActionRecord, Group, UsageRecord, Wallet} from "./AccountStorage.sol";
import {AccountView, ActionView, GroupView, UsageApiKeyView, WalletView} from "./AccountTypes.sol";
import {Sequence, Sequences, ValueSet, ValueSets} from "./OrderedSets.sol";
import {Permissions} from "./Permissions.sol";

/// @title Reading accounts: single records, lists in creation order, counts.
/// @dev The account may be named by its master hash, an alias or a usage key's hash; every view but resolveMaster,
/// getAccount and accountExistsAndIsMutable reverts AccountDoesNotExist for a hash that resolves to nothing.
/// Pages count from 0; past the end they are empty; `total` is the whole list's length.
abstract contract Lists is Permissions {
    using Sequences for Sequence;
    using ValueSets for ValueSet;

    /// @notice The master hash a hash stands for; 0 for an unknown, removed or cleared one.
    function resolveMaster(uint256 hash) external view returns (uint256 master) {
        (master, ) = _resolve(hash);
    }

    /// @notice The account a wallet is or once was the admin of, unmanaged accounts only; 0 for none.
    /// @dev Reads the aliases alone: what somebody registered as a usage hash is not seen, so it can mislead no wallet.
    /// A former admin finds the account too; compare with {getAccountWalletAddress} before trusting the wallet.
    function masterOfWallet(address wallet) external view returns (uint256) {
        return _aliases[_walletHash(wallet)];
    }

    /// @notice Whether the hash stands for a managed account, one that payers may still change.
    function accountExistsAndIsMutable(uint256 hash) external view returns (bool) {
        (uint256 master, ) = _resolve(hash);
        return _accounts[master].managed;
    }

    /// @notice Everything about an account but its lists; all zero for a hash that stands for none. Never reverts.
    function getAccount(uint256 hash) external view returns (AccountView memory shown) {
        (shown.masterHash, shown.isMaster) = _resolve(hash);
        if (shown.masterHash == 0) return shown;
        Account storage account = _accounts[shown.masterHash];
        shown.managed = account.managed;
        shown.adminWallet = account.adminWallet;
        shown.name = account.name;
        shown.description = account.description;
        shown.apiKeyCount = account.usageKeys[account.usageGeneration].length();
        shown.groupCount = account.groupIds.length;
        shown.pkpCount = account.walletAddresses.length();
        shown.actionCount = account.actionHashes.length();
        if (!shown.isMaster) shown.usageApiKey = _showUsageKey(hash);
    }

    /// @notice The account's admin wallet; of a managed account without any authority.
    function getAccountWalletAddress(uint256 hash) external view returns (address) {
        return _find(hash).adminWallet;
    }

    /// @notice The derivation path of a wallet registered to the account. Reverts PkpDoesNotExist.
    function getWalletDerivation(uint256 hash, address pkpId) external view returns (uint256) {
        return _showPkp(hash, pkpId).derivationPath;
    }

    /// @notice One wallet by its address. Reverts PkpDoesNotExist.
    function getPkp(uint256 hash, address pkpId) external view returns (WalletView memory) {
        return _showPkp(hash, pkpId);
    }

    /// @notice One wallet by its id, 0 being the master wallet. Reverts PkpDoesNotExist with wallet 0x0.
    function getPkpById(uint256 hash, uint256 id) external view returns (WalletView memory) {
        Account storage account = _find(hash);
        if (id >= account.walletAddresses.length()) revert PkpDoesNotExist(hash, 0, address(0));
        return _showWallet(account, account.walletAddresses.values[id + 1]);
    }

    /// @notice One usage key of the account. Reverts UsageApiKeyDoesNotExist.
    function getUsageApiKey(uint256 hash, uint256 usageHash) external view returns (UsageApiKeyView memory) {
        Account storage account = _find(hash);
        if (!account.usageKeys[account.usageGeneration].contains(usageHash, 0)) {
            revert UsageApiKeyDoesNotExist(hash, usageHash);
        }
        return _showUsageKey(usageHash);
    }

    /// @notice One registered action. Reverts ActionDoesNotExist.
    function getAction(uint256 hash, uint256 actionHash) external view returns (ActionView memory) {
        Account storage account = _find(hash);
        if (!account.actions[actionHash].registered) revert ActionDoesNotExist(hash, 0, actionHash);
        return _showAction(account, actionHash);
    }

    /// @notice One group with its contents. Reverts GroupDoesNotExist.
    function getGroup(uint256 hash, uint256 groupId) external view returns (GroupView memory) {
        (Account storage account, ) = _findGroup(hash, groupId);
        return _showGroup(account, groupId);
    }

    /// @notice As {getGroup}.
    function listGroupContents(uint256 hash, uint256 groupId) external view returns (GroupView memory) {
        (Account storage account, ) = _findGroup(hash, groupId);
        return _showGroup(account, groupId);
    }

    /// @notice Whether a group lists this very action (0: the wildcard itself), at a cost that its size does not change.
    function isActionInGroup(uint256 hash, uint256 groupId, uint256 action) external view returns (bool) {
        (Account storage account, Group storage group) = _findGroup(hash, groupId);
        return group.actions[group.generation].contains(action, account.actions[action].generation);
    }

    /// @notice Whether a group lists this very wallet (0x0: the wildcard itself), likewise.
    function isPkpInGroup(uint256 hash, uint256 groupId, address pkpId) external view returns (bool) {
        (, Group storage group) = _findGroup(hash, groupId);
        return group.wallets[group.generation].contains(uint160(pkpId), 0);
    }

    /// @notice A page of the usage keys, expired ones included.
    function listApiKeys(
        uint256 hash,
        uint256 page,
        uint256 size
    ) external view returns (UsageApiKeyView[] memory items, uint256 total) {
        Account storage account = _find(hash);
        ValueSet storage keys = account.usageKeys[account.usageGeneration];
        uint256[] memory hashes = keys.slice(page, size);
        items = new UsageApiKeyView[](hashes.length);
        for (uint256 i; i < hashes.length; ++i) items[i] = _showUsageKey(hashes[i]);
        total = keys.length();
    }

    /// @notice A page of the groups with their contents.
    function listGroups(
        uint256 hash,
        uint256 page,
        uint256 size
    ) external view returns (GroupView[] memory items, uint256 total) {
        Account storage account = _find(hash);
        uint256[] memory ids = account.groupIds.slice(page, size);
        items = new GroupView[](ids.length);
        for (uint256 i; i < ids.length; ++i) items[i] = _showGroup(account, ids[i]);
        total = account.groupIds.length;
    }

    /// @notice A page of the wallets.
    function listPkps(
        uint256 hash,
        uint256 page,
        uint256 size
    ) external view returns (WalletView[] memory items, uint256 total) {
        Account storage account = _find(hash);
        return _showWallets(account, account.walletAddresses, page, size);
    }

    /// @notice A page of the registered actions.
    function listActions(
        uint256 hash,
        uint256 page,
        uint256 size
    ) external view returns (ActionView[] memory items, uint256 total) {
        Account storage account = _find(hash);
        items = _showActions(account, account.actionHashes.slice(page, size));
        total = account.actionHashes.length();
    }

    /// @notice A page of the wallets a group lists; the wildcard as wallet 0x0 with the highest id.
    function listWalletsInGroup(
        uint256 hash,
        uint256 groupId,
        uint256 page,
        uint256 size
    ) external view returns (WalletView[] memory items, uint256 total) {
        (Account storage account, Group storage group) = _findGroup(hash, groupId);
        return _showWallets(account, group.wallets[group.generation], page, size);
    }

    /// @notice A page of the actions a group lists; the wildcard as action 0; unregistered ones by their hash alone.
    function listActionsInGroup(
        uint256 hash,
        uint256 groupId,
        uint256 page,
        uint256 size
    ) external view returns (ActionView[] memory items, uint256 total) {
        (Account storage account, Group storage group) = _findGroup(hash, groupId);
        uint256[] memory hashes = _listedActions(account, group);
        total = hashes.length;
        items = _showActions(account, _page(hashes, page, size));
    }

    /// @notice How many usage keys the account has, expired ones included.
    function apiKeyCount(uint256 hash) external view returns (uint256) {
        Account storage account = _find(hash);
        return account.usageKeys[account.usageGeneration].length();
    }

    /// @notice How many groups the account has.
    function groupCount(uint256 hash) external view returns (uint256) {
        return _find(hash).groupIds.length;
    }

    /// @notice How many groups an account may have, and how many of them only the account's master may add.
    function groupLimits() external pure returns (uint256 most, uint256 reserved) {
        return (MAX_GROUPS, RESERVED_GROUPS);
    }

    /// @notice How many wallets are registered to the account.
    function pkpCountOf(uint256 hash) external view returns (uint256) {
        return _find(hash).walletAddresses.length();
    }

    /// @notice How many actions are registered to the account.
    function actionCount(uint256 hash) external view returns (uint256) {
        return _find(hash).actionHashes.length();
    }

    /// @notice How many wallets a group lists, the wildcard included.
    function groupWalletCount(uint256 hash, uint256 groupId) external view returns (uint256) {
        (, Group storage group) = _findGroup(hash, groupId);
        return group.wallets[group.generation].length();
    }

    /// @notice How many actions a group lists, the wildcard included.
    function groupActionCount(uint256 hash, uint256 groupId) external view returns (uint256) {
        (Account storage account, Group storage group) = _findGroup(hash, groupId);
        return _listedActions(account, group).length;
    }

    /// @notice How many accounts there are.
    function accountCount() external view returns (uint256) {
        return _accountCount;
    }

    /// @notice How many wallets are registered over all accounts.
    function pkpCount() external view returns (uint256) {
        return _pkpCount;
    }

    function _findGroup(
        uint256 hash,
        uint256 groupId
    ) private view returns (Account storage account, Group storage group) {
        account = _find(hash);
        group = account.groups[groupId];
        if (group.generation == 0) revert GroupDoesNotExist(hash, groupId);
    }

    /// @dev What a group lists but for actions deleted since they were added.
    function _listedActions(
        Account storage account,
        Group storage group
    ) private view returns (uint256[] memory hashes) {
        ValueSet storage actions = group.actions[group.generation];
        hashes = actions.slice(0, actions.length());
        uint256 count;
        for (uint256 i; i < hashes.length; ++i) {
            if (actions.contains(hashes[i], account.actions[hashes[i]].generation)) hashes[count++] = hashes[i];
        }
        assembly ("memory-safe") {
            mstore(hashes, count)
        }
    }

    function _page(
        uint256[] memory whole,
        uint256 page,
        uint256 size
    ) private pure returns (uint256[] memory part) {
        if (size == 0 || page > whole.length / size) return part;
        uint256 from = page * size;
        part = new uint256[](size < whole.length - from ? size : whole.length - from);
        for (uint256 i; i < part.length; ++i) part[i] = whole[from + i];
    }

    function _showUsageKey(uint256 usageHash) private view returns (UsageApiKeyView memory) {
        UsageRecord storage record = _record(usageHash);
        return
            UsageApiKeyView(
                usageHash,
                record.name,
                record.description,
                record.expiration,
                record.balance,
                record.createGroups,
                record.deleteGroups,
                record.createPKPs,
                _unpacked(record.manageIPFSIdsInGroups),
                _unpacked(record.addPkpToGroups),
                _unpacked(record.removePkpFromGroups),
                _unpacked(record.executeInGroups)
            );
    }

    function _showGroup(Account storage account, uint256 groupId) private view returns (GroupView memory shown) {
        Group storage group = account.groups[groupId];
        ValueSet storage wallets = group.wallets[group.generation];
        uint256[] memory values = wallets.slice(0, wallets.length());
        address[] memory pkpIds = new address[](values.length);
        for (uint256 i; i < values.length; ++i) pkpIds[i] = address(uint160(values[i]));
        return GroupView(groupId, group.name, group.description, _listedActions(account, group), pkpIds);
    }

    function _showPkp(uint256 hash, address pkpId) private view returns (WalletView memory) {
        Account storage account = _find(hash);
        if (!account.walletAddresses.contains(uint160(pkpId), 0)) revert PkpDoesNotExist(hash, 0, pkpId);
        return _showWallet(account, uint160(pkpId));
    }

    function _showWallet(Account storage account, uint256 value) private view returns (WalletView memory) {
        uint256 id;
        unchecked {
            // The wildcard is no wallet, has number 0 and so the highest id.
            id = uint256(account.walletAddresses.positions[value].number) - 1;
        }
        address pkpId = address(uint160(value));
        Wallet storage wallet = account.wallets[pkpId];
        return WalletView(id, pkpId, wallet.derivationPath, wallet.name, wallet.description);
    }

    function _showWallets(
        Account storage account,
        ValueSet storage set,
        uint256 page,
        uint256 size
    ) private view returns (WalletView[] memory items, uint256 total) {
        uint256[] memory values = set.slice(page, size);
        items = new WalletView[](values.length);
        for (uint256 i; i < values.length; ++i) items[i] = _showWallet(account, values[i]);
        total = set.length();
    }

    function _showAction(Account storage account, uint256 actionHash) private view returns (ActionView memory) {
        Action storage action = account.actions[actionHash];
        ActionRecord storage record = action.records[action.generation];
        return ActionView(actionHash, record.name, record.description, record.cid);
    }

    function _showActions(
        Account storage account,
        uint256[] memory hashes
    ) private view returns (ActionView[] memory items) {
        items = new ActionView[](hashes.length);
        for (uint256 i; i < hashes.length; ++i) items[i] = _showAction(account, hashes[i]);
    }
}
