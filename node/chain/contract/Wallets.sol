// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, AccountStorage, Wallet} from "./AccountStorage.sol";
import {ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title Wallets registered to accounts. They are never removed; the first takes id 0 and is the master wallet.
abstract contract Wallets is AccountStorage {
    using ValueSets for ValueSet;

    /// @notice Register a wallet under its derivation path; both unique per account, neither zero.
    /// @dev A usage key needs createPKPs. Reverts AccountDoesNotExist, NoAccountAccess, UsageApiKeyExpired,
    /// NotAllowedToCreatePkp, InvalidRequest, AccountAlreadyExists (with the address or the path).
    function registerWalletDerivation(
        uint256 accountHash,
        address pkpId,
        uint256 derivationPath,
        string calldata name,
        string calldata description
    ) external {
        (Account storage account, uint256 master, bool isMaster) = _open(accountHash);
        if (!isMaster && !_liveRecord(accountHash).createPKPs) revert NotAllowedToCreatePkp(accountHash);
        _registerWallet(account, master, pkpId, derivationPath, name, description);
    }

    /// @dev Reverts InvalidRequest, AccountAlreadyExists.
    function _registerWallet(
        Account storage account,
        uint256 master,
        address pkpId,
        uint256 derivationPath,
        string memory name,
        string memory description
    ) internal {
        if (pkpId == address(0)) revert InvalidRequest("zero wallet address");
        if (derivationPath == 0) revert InvalidRequest("zero derivation path");
        if (account.pathTaken[derivationPath]) revert AccountAlreadyExists(derivationPath);
        if (!account.walletAddresses.add(uint160(pkpId), 0)) revert AccountAlreadyExists(uint160(pkpId));
        account.pathTaken[derivationPath] = true;
        Wallet storage wallet = account.wallets[pkpId];
        wallet.derivationPath = derivationPath;
        wallet.name = name;
        wallet.description = description;
        ++_pkpCount;
        emit WalletDerivationRegistered(master, pkpId, derivationPath);
    }

    /// @notice A wallet's running number from 1 (its id plus 1); 0 when it is not registered to the account.
    function _walletNumber(Account storage account, address pkpId) internal view returns (uint256) {
        return account.walletAddresses.positions[uint160(pkpId)].number;
    }
}
