// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account} from "./AccountStorage.sol";
import {Wallets} from "./Wallets.sol";

/// @title Accounts: opened, converted to ChainSecured, handed on.
abstract contract Accounts is Wallets {
    /// @notice Open an account. A managed one: payers only. An unmanaged one: anybody, for themselves only
    /// (`apiKeyHash` = keccak256 of the sender's 20 bytes, `adminWallet` = the sender; else NoAccountAccess).
    /// @dev Reverts InvalidRequest (hash 0), OnlyApiPayer, NoAccountAccess, AccountAlreadyExists.
    function newAccount(
        uint256 apiKeyHash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWallet
    ) external {
        if (managed) {
            if (!_isPayer(msg.sender)) revert OnlyApiPayer(msg.sender);
        } else if (adminWallet != msg.sender || apiKeyHash != _walletHash(msg.sender)) {
            revert NoAccountAccess(apiKeyHash, msg.sender);
        }
        _createAccount(apiKeyHash, managed, name, description, adminWallet);
    }

    /// @notice Open the sender's own unmanaged account, under keccak256 of the sender's 20 bytes.
    /// @dev Reverts AccountAlreadyExists when the sender is or was the admin of an unmanaged account.
    function newChainSecuredAccount(string calldata name, string calldata description) external {
        _createAccount(_walletHash(msg.sender), false, name, description, msg.sender);
    }

    /// @notice Open a managed account with its master wallet (id 0, address `adminWallet`) in one transaction.
    /// @dev Payers only. Reverts OnlyApiPayer, InvalidRequest, AccountAlreadyExists.
    function createManagedAccount(
        uint256 apiKeyHash,
        string calldata name,
        string calldata description,
        address adminWallet,
        uint256 derivationPath
    ) external {
        if (!_isPayer(msg.sender)) revert OnlyApiPayer(msg.sender);
        _createAccount(apiKeyHash, true, name, description, adminWallet);
        _registerWallet(_accounts[apiKeyHash], apiKeyHash, adminWallet, derivationPath, "", "");
    }

    /// @notice Hand a managed account to a wallet, for good: from now on its admin wallet alone may write it.
    /// @dev Payers only. Order: AccountDoesNotExist; already unmanaged InvalidRequest; NoAccountAccess;
    /// NotMasterAccount; zero InvalidRequest; a wallet that was ever an admin AccountAlreadyExists.
    function convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress) external {
        if (!_find(apiKeyHash).managed) revert InvalidRequest("already ChainSecured");
        (Account storage account, uint256 master) = _openAsMaster(apiKeyHash);
        if (newAdminWalletAddress == address(0)) revert InvalidRequest("zero admin wallet");
        account.managed = false;
        _nameAdmin(account, master, newAdminWalletAddress);
        emit AccountConvertedToChainSecured(master, newAdminWalletAddress);
    }

    /// @notice Hand an unmanaged account to another wallet. The previous admin's alias goes on finding the account.
    /// @dev Order: zero InvalidRequest; AccountDoesNotExist; managed InvalidRequest; NoAccountAccess; NotMasterAccount;
    /// the same admin InvalidRequest; a wallet that was ever an admin of any account AccountAlreadyExists.
    function transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress) external {
        if (newAdminWalletAddress == address(0)) revert InvalidRequest("zero admin wallet");
        if (_find(apiKeyHash).managed) revert InvalidRequest("account is managed");
        (Account storage account, uint256 master) = _openAsMaster(apiKeyHash);
        if (newAdminWalletAddress == msg.sender) revert InvalidRequest("same admin wallet");
        _nameAdmin(account, master, newAdminWalletAddress);
        emit ChainSecuredAccountOwnershipTransferred(master, msg.sender, newAdminWalletAddress);
    }

    /// @dev An unmanaged account's own hash is an alias too, so that every admin wallet is found by the aliases alone.
    function _createAccount(
        uint256 hash,
        bool managed,
        string calldata name,
        string calldata description,
        address adminWallet
    ) private {
        if (hash == 0) revert InvalidRequest("zero account hash");
        Account storage account = _accounts[hash];
        if (account.exists || _aliases[hash] != 0) revert AccountAlreadyExists(hash);
        account.exists = true;
        account.managed = managed;
        account.adminWallet = adminWallet;
        account.name = name;
        account.description = description;
        _everAdmin[adminWallet] = true;
        ++_accountCount;
        if (!managed) _aliases[hash] = hash;
        emit AccountCreated(hash, adminWallet, managed);
    }

    /// @dev Reverts AccountAlreadyExists with the wallet's hash.
    function _nameAdmin(Account storage account, uint256 master, address wallet) private {
        uint256 hash = _walletHash(wallet);
        if (_everAdmin[wallet]) revert AccountAlreadyExists(hash);
        _everAdmin[wallet] = true;
        _aliases[hash] = master;
        account.adminWallet = wallet;
    }
}
