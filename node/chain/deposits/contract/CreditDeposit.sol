// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

import {IAccountDirectory} from "./IAccountDirectory.sol";

/// @title Pay for an account's credit with an ERC-20 token.
/// @notice What is paid goes from the payer straight to the treasury; the event says for whom, and the node credits that
/// account at the price it publishes. The contract holds nothing, takes no native coin and is not upgradeable.
contract CreditDeposit is Ownable2Step, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// @notice `amount` base units of `token` have come to the treasury for the account of this master hash.
    event CreditDeposited(uint256 indexed accountHash, address indexed payer, address indexed token, uint256 amount);
    event TokenAccepted(address indexed token);
    event TokenRefused(address indexed token);
    event TreasuryChanged(address indexed treasury);

    error AccountDoesNotExist(uint256 accountHash);
    error TokenNotAccepted(address token);
    error NothingReceived();
    error NotAContract(address account);
    error InvalidTreasury(address treasury);
    error RenouncingIsOff();

    /// @notice Which accounts there are: the AccountConfig contract, for good.
    IAccountDirectory public immutable accountConfig;

    /// @notice Where payments go.
    address public treasury;

    /// @notice The tokens that are taken now.
    mapping(address token => bool accepted) public acceptedTokens;

    /// @param initialOwner Who names tokens and treasury.
    /// @param accountConfig_ The AccountConfig contract whose accounts are paid for.
    /// @param treasury_ Where payments go at first.
    /// @param tokens What is taken from the start.
    /// @dev Reverts NotAContract, InvalidTreasury, OwnableInvalidOwner.
    constructor(
        address initialOwner,
        address accountConfig_,
        address treasury_,
        address[] memory tokens
    ) Ownable(initialOwner) {
        _requireContract(accountConfig_);
        accountConfig = IAccountDirectory(accountConfig_);
        _setTreasury(treasury_);
        for (uint256 i; i < tokens.length; ++i) _accept(tokens[i]);
    }

    /// @notice Pay `amount` base units of an accepted token for an account, named by its master hash or an alias of it.
    /// @dev Needs an allowance for this contract. What counts is what arrived, so a token that takes a fee is fine.
    /// Reverts TokenNotAccepted, AccountDoesNotExist, NothingReceived, and what the token reverts with.
    /// @return received What arrived, as in the event.
    function deposit(uint256 accountHash, address token, uint256 amount) external nonReentrant returns (uint256 received) {
        return _deposit(accountHash, token, amount);
    }

    /// @notice As {deposit}, with the allowance given by an ERC-2612 signature of the sender's.
    /// @dev A permit that fails may have been used by somebody else just before; then the allowance is there, or the
    /// payment reverts.
    function depositWithPermit(
        uint256 accountHash,
        address token,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (uint256 received) {
        if (!acceptedTokens[token]) revert TokenNotAccepted(token);
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        return _deposit(accountHash, token, amount);
    }

    /// @notice The master hash a payment for this hash is credited to; reverts AccountDoesNotExist.
    /// @dev A usage key's hash is refused, whoever's it is: anybody may register the hash of an account still to come as a
    /// usage key of their own, and would be paid in its place.
    function accountOf(uint256 accountHash) public view returns (uint256 master) {
        bool isMaster;
        (, master, , isMaster) = accountConfig.getAccount(accountHash);
        if (master == 0 || !isMaster) revert AccountDoesNotExist(accountHash);
    }

    /// @notice Take a token from now on; only the owner.
    function acceptToken(address token) external onlyOwner {
        _accept(token);
    }

    /// @notice Take a token no longer; only the owner.
    function refuseToken(address token) external onlyOwner {
        acceptedTokens[token] = false;
        emit TokenRefused(token);
    }

    /// @notice Change where payments go; only the owner.
    function setTreasury(address treasury_) external onlyOwner {
        _setTreasury(treasury_);
    }

    /// @notice Send the treasury what somebody sent to this contract by mistake, which credits nobody; only the owner.
    function sweep(address token) external onlyOwner nonReentrant {
        IERC20(token).safeTransfer(treasury, IERC20(token).balanceOf(address(this)));
    }

    /// @notice Always reverts: without an owner a token that breaks could not be refused.
    function renounceOwnership() public pure override {
        revert RenouncingIsOff();
    }

    /// @dev From the payer to the treasury, nothing in between.
    function _deposit(uint256 accountHash, address token, uint256 amount) private returns (uint256 received) {
        if (!acceptedTokens[token]) revert TokenNotAccepted(token);
        uint256 master = accountOf(accountHash);
        address to = treasury;
        uint256 before = IERC20(token).balanceOf(to);
        IERC20(token).safeTransferFrom(msg.sender, to, amount);
        uint256 afterwards = IERC20(token).balanceOf(to);
        if (afterwards <= before) revert NothingReceived();
        // What a token adds of its own accord, or somebody else sends meanwhile, is not this payer's.
        received = afterwards - before < amount ? afterwards - before : amount;
        if (received == 0) revert NothingReceived();
        emit CreditDeposited(master, msg.sender, token, received);
    }

    function _accept(address token) private {
        _requireContract(token);
        acceptedTokens[token] = true;
        emit TokenAccepted(token);
    }

    function _setTreasury(address treasury_) private {
        if (treasury_ == address(0) || treasury_ == address(this)) revert InvalidTreasury(treasury_);
        treasury = treasury_;
        emit TreasuryChanged(treasury_);
    }

    function _requireContract(address account) private view {
        if (account.code.length == 0) revert NotAContract(account);
    }
}
