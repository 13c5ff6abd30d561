// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {AccountStorage, OwnerChange} from "./AccountStorage.sol";
import {ValueSet, ValueSets} from "./OrderedSets.sol";

/// @title Who may speak for managed accounts.
/// @dev The admin payer (an enclave key) changes payers at once. The owner's changes wait for `ownerChangeDelay`: the
/// call only schedules, and applyOwnerChange does it later. Two go through at once, since nobody can be harmed by them:
/// the very first payers and the very first admin payer, each only while no managed account exists.
abstract contract Payers is AccountStorage, Ownable2Step {
    using ValueSets for ValueSet;

    /// @notice How long the owner's changes of payers and of the admin payer wait, in seconds; set at deployment.
    uint256 public immutable ownerChangeDelay;

    /// @dev Reverts OwnableInvalidOwner (zero owner), InvalidRequest (delay over a year).
    constructor(address initialOwner, address initialAdminApiPayer, uint256 ownerChangeDelay_) Ownable(initialOwner) {
        if (ownerChangeDelay_ > 365 days) revert InvalidRequest("delay over a year");
        ownerChangeDelay = ownerChangeDelay_;
        if (initialAdminApiPayer != address(0)) _nameAdminApiPayer(initialAdminApiPayer);
    }

    /// @notice Add payers. The admin payer: at once. The owner: see the contract's notes.
    /// @dev Reverts OnlyApiPayerOrOwner, InvalidRequest (zero address).
    function addApiPayers(address[] calldata payers) external {
        _change(this.addApiPayers.selector, payers, _payersEverSet);
    }

    /// @notice Remove payers; those that are none are passed over. The admin payer: at once. The owner: as above.
    /// @dev Reverts OnlyApiPayerOrOwner, InvalidRequest (zero address).
    function removeApiPayers(address[] calldata payers) external {
        _change(this.removeApiPayers.selector, payers, _payersEverSet);
    }

    /// @notice Replace all payers; dropping the old ones costs nothing. The admin payer: at once. The owner: as above.
    /// @dev Reverts OnlyApiPayerOrOwner, InvalidRequest (zero address).
    function setApiPayers(address[] calldata payers) external {
        _change(this.setApiPayers.selector, payers, _payersEverSet);
    }

    /// @notice Name the admin payer. The admin payer itself: at once. The owner: as above.
    /// @dev Reverts OnlyApiPayerOrOwner, InvalidRequest (zero address).
    function setAdminApiPayerAccount(address account) external {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        _change(this.setAdminApiPayerAccount.selector, accounts, _adminApiPayerEverSet);
    }

    /// @notice Apply the owner's scheduled change once its time has come. The owner only.
    /// @dev Reverts OwnableUnauthorizedAccount, InvalidRequest (none scheduled, too early).
    function applyOwnerChange() external onlyOwner {
        OwnerChange memory change = _takeOwnerChange();
        if (block.timestamp < change.effectiveAt) revert InvalidRequest("owner change not due yet");
        emit OwnerChangeApplied(change.selector, change.accounts);
        _apply(change.selector, change.accounts);
    }

    /// @notice Drop the owner's scheduled change. The owner only.
    /// @dev Reverts OwnableUnauthorizedAccount, InvalidRequest (none scheduled).
    function cancelOwnerChange() external onlyOwner {
        OwnerChange memory change = _takeOwnerChange();
        emit OwnerChangeCancelled(change.selector, change.accounts);
    }

    /// @notice The owner's scheduled change: the function asked for, its addresses, and the unix second from which it may
    /// be applied; all zero when there is none. There is at most one: asking again replaces it and waits anew.
    function scheduledOwnerChange()
        external
        view
        returns (bytes4 selector, address[] memory accounts, uint256 effectiveAt)
    {
        return (_ownerChange.selector, _ownerChange.accounts, _ownerChange.effectiveAt);
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

    /// @notice Always reverts: a contract without an owner could never replace a lost admin payer.
    function renounceOwnership() public pure override {
        revert InvalidRequest("ownership cannot be renounced");
    }

    /// @dev Now or later, as the contract's notes say.
    function _change(bytes4 selector, address[] memory accounts, bool everSet) private {
        if (msg.sender != _adminApiPayer && msg.sender != owner()) revert OnlyApiPayerOrOwner(msg.sender);
        for (uint256 i; i < accounts.length; ++i) {
            if (accounts[i] == address(0)) revert InvalidRequest("zero address");
        }
        bool harmless = !everSet && _managedAccountCount == 0;
        if (msg.sender == _adminApiPayer || harmless || ownerChangeDelay == 0) {
            _apply(selector, accounts);
        } else {
            uint256 effectiveAt = block.timestamp + ownerChangeDelay;
            _ownerChange = OwnerChange(selector, uint64(effectiveAt), accounts);
            emit OwnerChangeScheduled(selector, accounts, effectiveAt);
        }
    }

    /// @dev Gone before it is applied, whatever applying does.
    function _takeOwnerChange() private returns (OwnerChange memory change) {
        change = _ownerChange;
        if (change.effectiveAt == 0) revert InvalidRequest("no owner change scheduled");
        delete _ownerChange;
    }

    function _apply(bytes4 selector, address[] memory accounts) private {
        if (selector == this.setAdminApiPayerAccount.selector) return _nameAdminApiPayer(accounts[0]);
        _payersEverSet = true;
        if (selector == this.setApiPayers.selector) ++_payerGeneration;
        ValueSet storage payers = _payers[_payerGeneration];
        bool removing = selector == this.removeApiPayers.selector;
        for (uint256 i; i < accounts.length; ++i) {
            if (!removing) payers.add(uint160(accounts[i]), 0);
            else if (_isPayer(accounts[i])) payers.remove(uint160(accounts[i]));
        }
        emit ApiPayersUpdated(_payerList());
    }

    function _nameAdminApiPayer(address account) private {
        _adminApiPayer = account;
        _adminApiPayerEverSet = true;
        emit AdminApiPayerUpdated(account);
    }

    function _payerList() private view returns (address[] memory list) {
        ValueSet storage payers = _payers[_payerGeneration];
        uint256[] memory values = payers.slice(0, payers.length());
        list = new address[](values.length);
        for (uint256 i; i < values.length; ++i) list[i] = address(uint160(values[i]));
    }
}
