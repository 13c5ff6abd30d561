// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Every event of the account contract. `account` is always the master hash.
interface IAccountEvents {
    /// @notice An account was opened; `admin` has power over it only where `managed` is false.
    event AccountCreated(uint256 indexed apiKeyHash, address indexed admin, bool managed);
    /// @notice A managed account is its new admin wallet's alone from now on.
    event AccountConvertedToChainSecured(uint256 indexed apiKeyHash, address indexed newAdmin);
    /// @notice An unmanaged account has another admin wallet.
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdmin,
        address indexed newAdmin
    );

    /// @notice A usage key was created, or everything about it replaced.
    event UsageApiKeySet(uint256 indexed account, uint256 indexed usage);
    /// @notice A usage key was renamed.
    event UsageApiKeyMetadataUpdated(uint256 indexed account, uint256 indexed usage);
    /// @notice A usage key is gone, for good.
    event UsageApiKeyRemoved(uint256 indexed account, uint256 indexed usage);
    /// @notice Every usage key of the account is gone, for good.
    event UsageApiKeysCleared(uint256 indexed account);

    /// @notice A group was added; its first members follow, one event each.
    event GroupAdded(uint256 indexed account, uint256 indexed groupId);
    /// @notice A group was emptied and renamed; its new members follow, one event each.
    event GroupUpdated(uint256 indexed account, uint256 indexed groupId);
    /// @notice A group was renamed.
    event GroupMetadataUpdated(uint256 indexed account, uint256 indexed groupId);
    /// @notice A group is gone with all it listed.
    event GroupRemoved(uint256 indexed account, uint256 indexed groupId);

    /// @notice An action was registered.
    event ActionAdded(uint256 indexed account, uint256 indexed actionHash);
    /// @notice An action was renamed.
    event ActionMetadataUpdated(uint256 indexed account, uint256 indexed actionHash);
    /// @notice An action is gone, out of every group too.
    event ActionRemoved(uint256 indexed account, uint256 indexed actionHash);

    /// @notice A group lists a wallet it did not list before; 0x0 is the wildcard.
    event PkpAddedToGroup(uint256 indexed account, uint256 indexed groupId, address pkpId);
    /// @notice A group no longer lists a wallet.
    event PkpRemovedFromGroup(uint256 indexed account, uint256 indexed groupId, address pkpId);
    /// @notice A group lists an action it did not list before; 0 is the wildcard.
    event ActionAddedToGroup(uint256 indexed account, uint256 indexed groupId, uint256 actionHash);
    /// @notice A group no longer lists an action.
    event ActionRemovedFromGroup(uint256 indexed account, uint256 indexed groupId, uint256 actionHash);
    /// @notice A wallet was registered to an account.
    event WalletDerivationRegistered(uint256 indexed account, address indexed pkpId, uint256 derivationPath);

    /// @notice The payers as they are from now on; none after each naming of an admin payer.
    event ApiPayersUpdated(address[] payers);
    /// @notice The admin payer as it is from now on.
    event AdminApiPayerUpdated(address indexed adminApiPayer);
    /// @notice The configuration operator as it is from now on; 0x0 for none.
    event ConfigOperatorUpdated(address indexed configOperator);
    /// @notice The published number of payers a node should keep.
    event RequestedApiPayerCountUpdated(uint256 count);
    /// @notice The published top-up of a payer, in wei.
    event RebalanceAmountUpdated(uint256 amount);
    /// @notice A value was published under a name.
    event NodeConfigurationUpdated(string key, string value);

    /// @notice The owner scheduled another admin payer (`accounts`), to be applied from `effectiveAt` (unix seconds) on.
    event OwnerChangeScheduled(bytes4 indexed selector, address[] accounts, uint256 effectiveAt);
    /// @notice The owner's change is in force.
    event OwnerChangeApplied(bytes4 indexed selector, address[] accounts);
    /// @notice The owner's change was dropped.
    event OwnerChangeCancelled(bytes4 indexed selector, address[] accounts);

    /// @notice A call of a multicall failed, with this revert data; the others stand.
    event CallFailed(uint256 index, bytes reason);
}
