// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Which compose hashes are allowed, and which will be: an approval is announced and waits before it counts.
/// @notice Removing takes effect at once: what turns out to be bad must not run a minute longer.
abstract contract ComposeApprovals {
    /// @notice An approval that waits; from `eta` (unix seconds) on the owner can make it count with addComposeHash.
    struct PendingApproval {
        bytes32 composeHash;
        uint256 eta;
    }

    event ComposeHashAdded(bytes32 composeHash);
    event ComposeHashRemoved(bytes32 composeHash);
    event ComposeHashScheduled(bytes32 composeHash, uint256 eta);
    event ComposeHashCancelled(bytes32 composeHash);

    error DelayTooLong(uint256 delay);
    error TooManyPending();
    error ComposeHashAlreadyAllowed(bytes32 composeHash);
    error ComposeHashAlreadyScheduled(bytes32 composeHash);
    error ComposeHashNotScheduled(bytes32 composeHash);
    error ComposeHashNotDue(bytes32 composeHash, uint256 eta);

    uint256 private constant MAX_DELAY = 365 days;
    uint256 private constant MAX_PENDING = 64; // so that one call reads them all

    /// @notice Seconds between announcing an approval and the first moment it can count.
    uint256 public immutable approvalDelay;

    /// @notice What may run as this app now: every one of them gets the same keys.
    mapping(bytes32 composeHash => bool allowed) public allowedComposeHashes;

    PendingApproval[] private _pending;

    /// @dev Reverts DelayTooLong.
    constructor(bytes32 initialComposeHash, uint256 approvalDelay_) {
        if (approvalDelay_ > MAX_DELAY) revert DelayTooLong(approvalDelay_);
        approvalDelay = approvalDelay_;
        if (initialComposeHash != 0) _allow(initialComposeHash);
    }

    /// @notice Every approval that waits, in no particular order.
    function pendingComposeHashes() external view returns (PendingApproval[] memory) {
        return _pending;
    }

    /// @notice Announce an approval; only the owner.
    /// @dev Reverts ComposeHashAlreadyAllowed, ComposeHashAlreadyScheduled, TooManyPending.
    function scheduleComposeHash(bytes32 composeHash) external returns (uint256 eta) {
        _requireOwner();
        if (allowedComposeHashes[composeHash]) revert ComposeHashAlreadyAllowed(composeHash);
        if (_indexOf(composeHash) < _pending.length) revert ComposeHashAlreadyScheduled(composeHash);
        if (_pending.length == MAX_PENDING) revert TooManyPending();
        eta = block.timestamp + approvalDelay;
        _pending.push(PendingApproval(composeHash, eta));
        emit ComposeHashScheduled(composeHash, eta);
    }

    /// @notice Take an announced approval back; only the owner.
    /// @dev Reverts ComposeHashNotScheduled.
    function cancelComposeHash(bytes32 composeHash) external {
        _requireOwner();
        uint256 index = _indexOf(composeHash);
        if (index == _pending.length) revert ComposeHashNotScheduled(composeHash);
        _forget(index);
        emit ComposeHashCancelled(composeHash);
    }

    /// @notice Make an announced approval count; only the owner. Without a delay it needs no announcement.
    /// @dev Reverts ComposeHashAlreadyAllowed, ComposeHashNotScheduled, ComposeHashNotDue.
    function addComposeHash(bytes32 composeHash) external {
        _requireOwner();
        if (allowedComposeHashes[composeHash]) revert ComposeHashAlreadyAllowed(composeHash);
        uint256 index = _indexOf(composeHash);
        if (index < _pending.length) {
            uint256 eta = _pending[index].eta;
            if (block.timestamp < eta) revert ComposeHashNotDue(composeHash, eta);
            _forget(index);
        } else if (approvalDelay != 0) {
            revert ComposeHashNotScheduled(composeHash);
        }
        _allow(composeHash);
    }

    /// @notice Disallow at once; only the owner.
    function removeComposeHash(bytes32 composeHash) external {
        _requireOwner();
        allowedComposeHashes[composeHash] = false;
        emit ComposeHashRemoved(composeHash);
    }

    /// @dev Reverts unless the sender is the owner.
    function _requireOwner() internal view virtual;

    /// @dev The number of those that wait when it is none of them.
    function _indexOf(bytes32 composeHash) private view returns (uint256 index) {
        while (index < _pending.length && _pending[index].composeHash != composeHash) ++index;
    }

    function _forget(uint256 index) private {
        _pending[index] = _pending[_pending.length - 1];
        _pending.pop();
    }

    function _allow(bytes32 composeHash) private {
        allowedComposeHashes[composeHash] = true;
        emit ComposeHashAdded(composeHash);
    }
}
