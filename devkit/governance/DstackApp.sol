// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

import {ComposeApprovals} from "./ComposeApprovals.sol";
import {DstackKms} from "./DstackKms.sol";
import {IAppAuth} from "./IAppAuth.sol";

/// @title One application: its address is the app id, and its owner says what may run as this app.
/// @notice A stand-in for development with the interface of dstack's contract of this name. No proxy, no upgrade. Ours:
/// an approval of a compose hash waits for a delay that anybody can read, and can be seen while it waits.
contract DstackApp is Ownable2Step, ComposeApprovals, IAppAuth, IERC165 {
    event DeviceAdded(bytes32 deviceId);
    event DeviceRemoved(bytes32 deviceId);
    event AllowAnyDeviceSet(bool allowAny);
    event RequireTcbUpToDateSet(bool requireUpToDate);

    /// @notice Whether devices need no approval of their own.
    bool public allowAnyDevice;

    /// @notice Whether a platform whose patches are not up to date is refused.
    bool public requireTcbUpToDate;

    /// @notice The devices that may run it.
    mapping(bytes32 deviceId => bool allowed) public allowedDeviceIds;

    /// @param initialOwner Who decides.
    /// @param kms The key service this app is registered with.
    /// @param initialComposeHash Allowed from the start; zero for none.
    /// @param approvalDelay_ Seconds that every later approval waits; at most a year.
    constructor(
        address initialOwner,
        DstackKms kms,
        bytes32 initialComposeHash,
        uint256 approvalDelay_
    ) Ownable(initialOwner) ComposeApprovals(initialComposeHash, approvalDelay_) {
        allowAnyDevice = true;
        requireTcbUpToDate = true;
        emit AllowAnyDeviceSet(true);
        emit RequireTcbUpToDateSet(true);
        kms.registerApp(address(this));
    }

    /// @notice The version of dstack's interface.
    function version() external pure returns (uint256) {
        return 2;
    }

    function addDevice(bytes32 deviceId) external onlyOwner {
        allowedDeviceIds[deviceId] = true;
        emit DeviceAdded(deviceId);
    }

    function removeDevice(bytes32 deviceId) external onlyOwner {
        allowedDeviceIds[deviceId] = false;
        emit DeviceRemoved(deviceId);
    }

    function setAllowAnyDevice(bool allowAny) external onlyOwner {
        allowAnyDevice = allowAny;
        emit AllowAnyDeviceSet(allowAny);
    }

    function setRequireTcbUpToDate(bool requireUpToDate) external onlyOwner {
        requireTcbUpToDate = requireUpToDate;
        emit RequireTcbUpToDateSet(requireUpToDate);
    }

    /// @inheritdoc IAppAuth
    function isAppAllowed(AppBootInfo calldata bootInfo) external view returns (bool, string memory) {
        if (requireTcbUpToDate && keccak256(bytes(bootInfo.tcbStatus)) != keccak256("UpToDate")) {
            return (false, "TCB status is not up to date");
        }
        if (!allowedComposeHashes[bootInfo.composeHash]) return (false, "Compose hash not allowed");
        if (!allowAnyDevice && !allowedDeviceIds[bootInfo.deviceId]) return (false, "Device not allowed");
        return (true, "");
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IAppAuth).interfaceId || interfaceId == type(IERC165).interfaceId;
    }

    function _requireOwner() internal view override {
        _checkOwner();
    }
}
