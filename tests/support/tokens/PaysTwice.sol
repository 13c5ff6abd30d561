// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IDeposit {
    function deposit(uint256 accountHash, address token, uint256 amount) external returns (uint256);
}

interface IApproves {
    function approve(address spender, uint256 amount) external returns (bool);
}

/// @title Two payments in one transaction, of what this contract holds.
contract PaysTwice {
    function pay(address to, uint256[2] calldata accounts, address token, uint256 amount) external {
        IApproves(token).approve(to, 2 * amount);
        IDeposit(to).deposit(accounts[0], token, amount);
        IDeposit(to).deposit(accounts[1], token, amount);
    }
}
