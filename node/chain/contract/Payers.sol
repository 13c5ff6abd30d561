// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {AccountStorage, OwnerChange} from "./AccountStorage.sol";
import {ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title Who may speak for managed accounts.
/// @dev The owner names the admin payer (an enclave key) and no payer; the admin payer alone adds and removes payers, at
/// once. Naming an admin payer removes every payer, so no payer outlasts the admin payer that added it. The first naming
/// is immediate. Each later one waits for `ownerChangeDelay`: setAdminApiPayerAccount schedules it, applyOwnerChange
/// carries it out. What the payers of a former admin payer wrote stays in the managed accounts: so the contract counts how
/// often the admin payer was replaced by another one, and nobody can take that back.
abstract contract Payers is AccountStorage, Ownable2Step {
    using ValueSets for ValueSet;

    /// @notice How long the owner's naming of another admin payer waits, in seconds; set at deployment.
    uint256 public immutable ownerChangeDelay;

    /// @dev The admin payer alone. Reverts OnlyApiPayer.
    modifier onlyAdminApiPayer() {
        if (msg.sender != _adminApiPayer) revert OnlyApiPayer(msg.sender);
        _;
    }

    /// @dev Reverts OwnableInvalidOwner (zero owner), InvalidRequest (delay over a year).
    constructor(address initialOwner, address initialAdminApiPayer, uint256 ownerChangeDelay_) Ownable(initialOwner) {
        if (ownerChangeDelay_ > 365 days) revert InvalidRequest("delay over a year");
        ownerChangeDelay = ownerChangeDelay_;
        if (initialAdminApiPayer != address(0)) _nameAdminApiPayer(initialAdminApiPayer);
    }

    /// @notice Add payers. The admin payer only.
    /// @dev Reverts OnlyApiPayer, InvalidRequest (zero address).
    function addApiPayers(address[] calldata payers) external onlyAdminApiPayer {
        _addPayers(payers);
        emit ApiPayersUpdated(_payerList());
    }

    /// @notice Remove payers; an address that is no payer is skipped. The admin payer only.
    /// @dev Reverts OnlyApiPayer.
    function removeApiPayers(address[] calldata payers) external onlyAdminApiPayer {
        ValueSet storage present = _payers[_payerGeneration];
        for (uint256 i; i < payers.length; ++i) {
            if (_isPayer(payers[i])) present.remove(uint160(payers[i]));
        }
        emit ApiPayersUpdated(_payerList());
    }

    /// @notice Replace all payers; dropping the old ones costs the same however many there are. The admin payer only.
    /// @dev Reverts OnlyApiPayer, InvalidRequest (zero address).
    function setApiPayers(address[] calldata payers) external onlyAdminApiPayer {
        ++_payerGeneration;
        _addPayers(payers);
        emit ApiPayersUpdated(_payerList());
    }

    /// @notice Name the admin payer. The owner only. The first naming is immediate; a later one is scheduled, and
    /// scheduling again replaces the scheduled one and restarts the delay.
    /// @dev Reverts OwnableUnauthorizedAccount, InvalidRequest (zero address).
    function setAdminApiPayerAccount(address account) external onlyOwner {
        if (account == address(0)) revert InvalidRequest("zero address");
        if (_adminApiPayer == address(0)) return _nameAdminApiPayer(account);
        uint256 effectiveAt = block.timestamp + ownerChangeDelay;
        _ownerChange = OwnerChange(account, uint64(effectiveAt));
        emit OwnerChangeScheduled(this.setAdminApiPayerAccount.selector, _list(account), effectiveAt);
    }

    /// @notice Carry out the owner's scheduled change once it is due. The owner only.
    /// @dev Reverts OwnableUnauthorizedAccount, InvalidRequest (none scheduled, too early).
    function applyOwnerChange() external onlyOwner {
        OwnerChange memory change = _takeOwnerChange();
        if (block.timestamp < change.effectiveAt) revert InvalidRequest("owner change not due yet");
        emit OwnerChangeApplied(this.setAdminApiPayerAccount.selector, _list(change.adminApiPayer));
        _nameAdminApiPayer(change.adminApiPayer);
    }

    /// @notice Cancel the owner's scheduled change. The owner only.
    /// @dev Reverts OwnableUnauthorizedAccount, InvalidRequest (none scheduled).
    function cancelOwnerChange() external onlyOwner {
        OwnerChange memory change = _takeOwnerChange();
        emit OwnerChangeCancelled(this.setAdminApiPayerAccount.selector, _list(change.adminApiPayer));
    }

    /// @notice The owner's scheduled change: setAdminApiPayerAccount's selector, the admin payer it names, and the unix
    /// second from which it may be applied; all zero when there is none. There is at most one.
    function scheduledOwnerChange()
        external
        view
        returns (bytes4 selector, address[] memory accounts, uint256 effectiveAt)
    {
        effectiveAt = _ownerChange.effectiveAt;
        if (effectiveAt == 0) return (selector, accounts, effectiveAt);
        return (this.setAdminApiPayerAccount.selector, _list(_ownerChange.adminApiPayer), effectiveAt);
    }

    /// @notice The payers, in the order they were added.
    function api_payers() external view returns (address[] memory) {
        return _payerList();
    }

    /// @notice Whether the address is a payer.
    function isApiPayer(address account) external view returns (bool) {
        return _isPayer(account);
    }

    /// @notice The admin payer; 0x0 until one is named.
    function adminApiPayerAccount() external view returns (address) {
        return _adminApiPayer;
    }

    /// @notice How often the admin payer was replaced by another address. Neither the first naming counts nor naming the
    /// same one again. Unless 0, managed accounts may hold what the payers of another admin payer wrote.
    function adminApiPayerReplacements() external view returns (uint64) {
        return _adminApiPayerReplacements;
    }

    /// @notice Always reverts: a contract without an owner could never replace a lost admin payer.
    function renounceOwnership() public pure override {
        revert InvalidRequest("ownership cannot be renounced");
    }

    function _addPayers(address[] calldata payers) private {
        ValueSet storage present = _payers[_payerGeneration];
        for (uint256 i; i < payers.length; ++i) {
            if (payers[i] == address(0)) revert InvalidRequest("zero address");
            present.add(uint160(payers[i]), 0);
        }
    }

    /// @dev Deleted before it is applied. Reverts InvalidRequest (none scheduled).
    function _takeOwnerChange() private returns (OwnerChange memory change) {
        change = _ownerChange;
        if (change.effectiveAt == 0) revert InvalidRequest("no owner change scheduled");
        delete _ownerChange;
    }

    /// @dev Removes every payer: those of the former admin payer must not speak for anybody under the new one.
    function _nameAdminApiPayer(address account) private {
        if (_adminApiPayer != address(0) && _adminApiPayer != account) ++_adminApiPayerReplacements;
        _adminApiPayer = account;
        ++_payerGeneration;
        emit AdminApiPayerUpdated(account);
        emit ApiPayersUpdated(new address[](0));
    }

    function _payerList() private view returns (address[] memory list) {
        ValueSet storage payers = _payers[_payerGeneration];
        uint256[] memory values = payers.slice(0, payers.length());
        list = new address[](values.length);
        for (uint256 i; i < values.length; ++i) list[i] = address(uint160(values[i]));
    }

    function _list(address account) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = account;
    }
}
