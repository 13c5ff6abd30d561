// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Every error of the account contract. Hashes are given as they were passed, never resolved.
interface IAccountErrors {
    /// @notice The hash resolves to no account: unknown, removed or cleared.
    error AccountDoesNotExist(uint256 accountHash);
    /// @notice The sender is neither a payer of a managed account nor the admin wallet of an unmanaged one.
    error NoAccountAccess(uint256 accountHash, address sender);
    /// @notice Something of this identity is there already: account, wallet, path, action, or a usage hash once used.
    error AccountAlreadyExists(uint256 identity);
    /// @notice The account has no such group.
    error GroupDoesNotExist(uint256 accountHash, uint256 groupId);
    /// @notice The account has as many groups as this hash may bring it to: `limit` is lower for a usage key.
    error GroupLimitReached(uint256 accountHash, uint256 limit);
    /// @notice The wallet is not registered (group 0: to the account) or not listed in the group.
    error PkpDoesNotExist(uint256 accountHash, uint256 groupId, address pkpId);
    /// @notice The action is not registered (group 0: to the account) or not listed in the group.
    error ActionDoesNotExist(uint256 accountHash, uint256 groupId, uint256 actionHash);
    /// @notice The account has no such usage key.
    error UsageApiKeyDoesNotExist(uint256 accountHash, uint256 usageHash);
    /// @notice The usage key's expiration has come.
    error UsageApiKeyExpired(uint256 usageHash);
    /// @notice This needs the account's master hash or an alias of it, not a usage key's.
    error NotMasterAccount(uint256 hash);
    /// @notice The usage key may not create groups.
    error NotAllowedToCreateGroup(uint256 usageHash);
    /// @notice The usage key may not delete groups.
    error NotAllowedToDeleteGroup(uint256 usageHash);
    /// @notice The usage key may not register wallets.
    error NotAllowedToCreatePkp(uint256 usageHash);
    /// @notice The usage key may not add wallets to this group (0: to every group).
    error NotAllowedToAddPkpToGroup(uint256 usageHash, uint256 groupId);
    /// @notice The usage key may not remove wallets from this group.
    error NotAllowedToRemovePkpFromGroup(uint256 usageHash, uint256 groupId);
    /// @notice The usage key may not manage the actions of this group (0: of every group).
    error NotAllowedToManageIPFSIdsInGroup(uint256 usageHash, uint256 groupId);
    /// @notice Only a payer may do this; of payers themselves, only the admin payer.
    error OnlyApiPayer(address sender);
    /// @notice No function of this contract reverts with it; declared for tools that know it.
    error OnlyApiPayerOrOwner(address sender);
    /// @notice Only the configuration operator or the owner may do this.
    error OnlyConfigOperatorOrOwner(address sender);
    /// @notice The request makes no sense in itself; the text says why.
    error InvalidRequest(string reason);
}
