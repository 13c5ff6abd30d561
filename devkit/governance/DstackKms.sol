// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

import {IAppAuth} from "./IAppAuth.sol";

/// @title The key service: its keys, the OS images it trusts, and the apps it knows.
/// @notice A stand-in for development with the interface of dstack's contract of this name. No proxy, no upgrade, and
/// no factory of apps.
contract DstackKms is Ownable2Step, IAppAuth {
    /// @notice k256Pubkey: compressed; caPubkey: DER SubjectPublicKeyInfo, the id of the key-provider event.
    struct KmsInfo {
        bytes k256Pubkey;
        bytes caPubkey;
        bytes quote;
        bytes eventlog;
    }

    event AppRegistered(address appId);
    event KmsInfoSet(bytes k256Pubkey);
    event OsImageHashAdded(bytes32 osImageHash);
    event OsImageHashRemoved(bytes32 osImageHash);
    event KmsAggregatedMrAdded(bytes32 mrAggregated);
    event KmsAggregatedMrRemoved(bytes32 mrAggregated);
    event KmsDeviceAdded(bytes32 deviceId);
    event KmsDeviceRemoved(bytes32 deviceId);

    error InvalidApp();

    /// @notice Who signs every key.
    KmsInfo public kmsInfo;

    /// @notice The app id of the gateway; there is none here.
    string public gatewayAppId;

    /// @notice What new apps would be proxies of; there is no factory here.
    address public constant appImplementation = address(0);

    /// @notice Known apps. Anybody may register one: being known proves nothing.
    mapping(address app => bool registered) public registeredApps;

    /// @notice The OS images machines may boot.
    mapping(bytes32 osImageHash => bool allowed) public allowedOsImages;

    /// @notice Which machines may be the key service itself.
    mapping(bytes32 mrAggregated => bool allowed) public kmsAllowedAggregatedMrs;

    /// @notice Which devices may run the key service itself.
    mapping(bytes32 deviceId => bool allowed) public kmsAllowedDeviceIds;

    /// @param initialOwner Who decides.
    /// @param k256Pubkey The root's public key, compressed.
    /// @param caPubkey The public key of the service's certificate authority, DER.
    /// @param osImageHash The first OS image allowed.
    constructor(
        address initialOwner,
        bytes memory k256Pubkey,
        bytes memory caPubkey,
        bytes32 osImageHash
    ) Ownable(initialOwner) {
        kmsInfo = KmsInfo(k256Pubkey, caPubkey, "", "");
        emit KmsInfoSet(k256Pubkey);
        allowedOsImages[osImageHash] = true;
        emit OsImageHashAdded(osImageHash);
    }

    /// @notice Make an app known; anybody may.
    /// @dev Reverts InvalidApp for the zero address.
    function registerApp(address appId) external {
        if (appId == address(0)) revert InvalidApp();
        registeredApps[appId] = true;
        emit AppRegistered(appId);
    }

    function addOsImageHash(bytes32 osImageHash) external onlyOwner {
        allowedOsImages[osImageHash] = true;
        emit OsImageHashAdded(osImageHash);
    }

    function removeOsImageHash(bytes32 osImageHash) external onlyOwner {
        allowedOsImages[osImageHash] = false;
        emit OsImageHashRemoved(osImageHash);
    }

    function addKmsAggregatedMr(bytes32 mrAggregated) external onlyOwner {
        kmsAllowedAggregatedMrs[mrAggregated] = true;
        emit KmsAggregatedMrAdded(mrAggregated);
    }

    function removeKmsAggregatedMr(bytes32 mrAggregated) external onlyOwner {
        kmsAllowedAggregatedMrs[mrAggregated] = false;
        emit KmsAggregatedMrRemoved(mrAggregated);
    }

    function addKmsDevice(bytes32 deviceId) external onlyOwner {
        kmsAllowedDeviceIds[deviceId] = true;
        emit KmsDeviceAdded(deviceId);
    }

    function removeKmsDevice(bytes32 deviceId) external onlyOwner {
        kmsAllowedDeviceIds[deviceId] = false;
        emit KmsDeviceRemoved(deviceId);
    }

    /// @inheritdoc IAppAuth
    function isAppAllowed(AppBootInfo calldata bootInfo) external view returns (bool, string memory) {
        if (!registeredApps[bootInfo.appId]) return (false, "App not registered");
        if (!allowedOsImages[bootInfo.osImageHash]) return (false, "OS image is not allowed");
        if (bootInfo.appId.code.length == 0) return (false, "App contract not found");
        return IAppAuth(bootInfo.appId).isAppAllowed(bootInfo);
    }
}
