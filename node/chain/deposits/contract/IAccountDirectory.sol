// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title What CreditDeposit asks the AccountConfig contract.
interface IAccountDirectory {
    /// @notice The first words of what AccountConfig's getAccount returns: the place of its struct, and the struct's first
    /// three fields. Being all of fixed size they are all that is copied, however long the account's names are.
    function getAccount(
        uint256 hash
    ) external view returns (uint256 place, uint256 masterHash, bool managed, bool isMaster);
}
