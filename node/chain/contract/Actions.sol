// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Account, Action, ActionRecord, Group} from "./AccountStorage.sol";
import {Memberships} from "./Memberships.sol";
import {ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title Actions registered to accounts, by the account's master alone.
abstract contract Actions is Memberships {
    using ValueSets for ValueSet;

    /// @notice Register an action by the hash of its CID string.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, InvalidRequest (hash 0, the wildcard),
    /// AccountAlreadyExists (with the action's hash: registered already).
    function addAction(
        uint256 accountHash,
        string calldata name,
        string calldata description,
        uint256 actionHash
    ) external {
        _addActionRecord(accountHash, name, description, actionHash, "");
    }

    /// @notice Register an action by its CID string, which stays readable; the hash is keccak256 of its bytes.
    /// @dev Reverts as {addAction}; InvalidRequest for an empty CID.
    function addActionWithCid(
        uint256 accountHash,
        string calldata name,
        string calldata description,
        string calldata cid
    ) external {
        if (bytes(cid).length == 0) revert InvalidRequest("empty CID");
        _addActionRecord(accountHash, name, description, uint256(keccak256(bytes(cid))), cid);
    }

    /// @notice Delete an action and take it out of every group. Constant gas, however many list it.
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, ActionDoesNotExist.
    function removeAction(uint256 accountHash, uint256 actionHash) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        Action storage action = _actionOf(account, accountHash, actionHash);
        action.registered = false;
        ++action.generation;
        account.actionHashes.remove(actionHash);
        emit ActionRemoved(master, actionHash);
    }

    /// @notice Rename an action. `groupId` 0, or a group that must list it (names are the account's, not the group's).
    /// @dev Reverts AccountDoesNotExist, NoAccountAccess, NotMasterAccount, ActionDoesNotExist, GroupDoesNotExist.
    function updateActionMetadata(
        uint256 accountHash,
        uint256 actionHash,
        uint256 groupId,
        string calldata name,
        string calldata description
    ) external {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        Action storage action = _actionOf(account, accountHash, actionHash);
        if (groupId != 0) {
            Group storage group = _groupOf(account, accountHash, groupId);
            if (!group.actions[group.generation].contains(actionHash, action.generation)) {
                revert ActionDoesNotExist(accountHash, groupId, actionHash);
            }
        }
        ActionRecord storage record = action.records[action.generation];
        record.name = name;
        record.description = description;
        emit ActionMetadataUpdated(master, actionHash);
    }

    /// @dev The record of the action's present generation is untouched storage: a deleted action comes back empty.
    function _addActionRecord(
        uint256 accountHash,
        string calldata name,
        string calldata description,
        uint256 actionHash,
        string memory cid
    ) private {
        (Account storage account, uint256 master) = _openAsMaster(accountHash);
        if (actionHash == 0) revert InvalidRequest("action 0 is the wildcard");
        Action storage action = account.actions[actionHash];
        if (action.registered) revert AccountAlreadyExists(actionHash);
        action.registered = true;
        account.actionHashes.add(actionHash, 0);
        action.records[action.generation] = ActionRecord(name, description, cid);
        emit ActionAdded(master, actionHash);
    }

    /// @dev Reverts ActionDoesNotExist.
    function _actionOf(
        Account storage account,
        uint256 accountHash,
        uint256 actionHash
    ) internal view returns (Action storage action) {
        action = account.actions[actionHash];
        if (!action.registered) revert ActionDoesNotExist(accountHash, 0, actionHash);
    }
}
