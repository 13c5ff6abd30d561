// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Payers} from "./Payers.sol";

/// @title Values that operators publish for nodes. Nothing inside an enclave is decided by them.
abstract contract Configuration is Payers {
    /// @dev Reverts OnlyConfigOperatorOrOwner.
    modifier onlyConfigOperatorOrOwner() {
        if (msg.sender != _configOperator && msg.sender != owner()) revert OnlyConfigOperatorOrOwner(msg.sender);
        _;
    }

    /// @notice Name the configuration operator; 0x0 for none. The owner only.
    function setConfigOperator(address operator) external onlyOwner {
        _configOperator = operator;
        emit ConfigOperatorUpdated(operator);
    }

    /// @notice Publish how many payers a node should keep. Operator or owner.
    function setRequestedApiPayerCount(uint256 count) external onlyConfigOperatorOrOwner {
        _requestedApiPayerCount = count;
        emit RequestedApiPayerCountUpdated(count);
    }

    /// @notice Publish how much (wei) a payer is topped up by. Operator or owner.
    function setRebalanceAmount(uint256 amount) external onlyConfigOperatorOrOwner {
        _rebalanceAmount = amount;
        emit RebalanceAmountUpdated(amount);
    }

    /// @notice Publish a value under a name. Operator or owner.
    function setNodeConfiguration(string calldata key, string calldata value) external onlyConfigOperatorOrOwner {
        _nodeConfiguration[key] = value;
        emit NodeConfigurationUpdated(key, value);
    }

    /// @notice The configuration operator; 0x0 for none.
    function configOperator() external view returns (address) {
        return _configOperator;
    }

    /// @notice How many payers a node should keep.
    function requestedApiPayerCount() external view returns (uint256) {
        return _requestedApiPayerCount;
    }

    /// @notice How much (wei) a payer is topped up by.
    function rebalanceAmount() external view returns (uint256) {
        return _rebalanceAmount;
    }

    /// @notice A value published under a name; empty for none.
    function nodeConfigurationValue(string calldata key) external view returns (string memory) {
        return _nodeConfiguration[key];
    }
}
