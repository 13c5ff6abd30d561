// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Every event of the account contract. `account` is always the master hash.
interface IAccountEvents {
    event AccountCreated(uint256 indexed apiKeyHash, address indexed admin, bool managed);
    event AccountConvertedToChainSecured(uint256 indexed apiKeyHash, address indexed newAdmin);
    event ChainSecuredAccountOwnershipTransferred(
        uint256 indexed masterApiKeyHash,
        address indexed previousAdmin,
        address indexed newAdmin
    );

    event UsageApiKeySet(uint256 indexed account, uint256 indexed usage);
    event UsageApiKeyMetadataUpdated(uint256 indexed account, uint256 indexed usage);
    event UsageApiKeyRemoved(uint256 indexed account, uint256 indexed usage);
    /// @notice Every usage key of the account is gone.
    event UsageApiKeysCleared(uint256 indexed account);

    event GroupAdded(uint256 indexed account, uint256 indexed groupId);
    event GroupUpdated(uint256 indexed account, uint256 indexed groupId);
    event GroupMetadataUpdated(uint256 indexed account, uint256 indexed groupId);
    event GroupRemoved(uint256 indexed account, uint256 indexed groupId);

    event ActionAdded(uint256 indexed account, uint256 indexed actionHash);
    event ActionMetadataUpdated(uint256 indexed account, uint256 indexed actionHash);
    event ActionRemoved(uint256 indexed account, uint256 indexed actionHash);

    event PkpAddedToGroup(uint256 indexed account, uint256 indexed groupId, address pkpId);
    event PkpRemovedFromGroup(uint256 indexed account, uint256 indexed groupId, address pkpId);
    event ActionAddedToGroup(uint256 indexed account, uint256 indexed groupId, uint256 actionHash);
    event ActionRemovedFromGroup(uint256 indexed account, uint256 indexed groupId, uint256 actionHash);
    event WalletDerivationRegistered(uint256 indexed account, address indexed pkpId, uint256 derivationPath);

    /// @notice The payers as they are from now on.
    event ApiPayersUpdated(address[] payers);
    event AdminApiPayerUpdated(address indexed adminApiPayer);
    event ConfigOperatorUpdated(address indexed configOperator);
    event RequestedApiPayerCountUpdated(uint256 count);
    event RebalanceAmountUpdated(uint256 amount);
    event NodeConfigurationUpdated(string key, string value);

    /// @notice The owner asked for a change of payers that may be applied from `effectiveAt` (unix seconds) on.
    event OwnerChangeScheduled(bytes4 indexed selector, address[] accounts, uint256 effectiveAt);
    event OwnerChangeApplied(bytes4 indexed selector, address[] accounts);
    event OwnerChangeCancelled(bytes4 indexed selector, address[] accounts);

    /// @notice A call of a multicall failed; the others stand.
    event CallFailed(uint256 index, bytes reason);
}
