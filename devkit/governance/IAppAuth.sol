// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title What the TEE's key service asks before it gives keys to a machine that has booted.
interface IAppAuth {
    /// @notice Who booted, as its verified quote says.
    struct AppBootInfo {
        address appId;
        bytes32 composeHash;
        address instanceId;
        bytes32 deviceId;
        bytes32 mrAggregated;
        bytes32 mrSystem;
        bytes32 osImageHash;
        string tcbStatus;
        string[] advisoryIds;
    }

    /// @return isAllowed Whether it may have the app's keys.
    /// @return reason Why not; empty when it may.
    function isAppAllowed(AppBootInfo calldata bootInfo) external view returns (bool isAllowed, string memory reason);
}
