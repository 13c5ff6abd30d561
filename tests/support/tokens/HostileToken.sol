// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

interface IPaid {
    function deposit(uint256 accountHash, address token, uint256 amount) external returns (uint256);
}

/// @title A token with any decimals that does in transferFrom whatever it is told.
contract HostileToken is ERC20 {
    enum Mode { Honest, ReturnsFalse, TakesFee, TakesAll, Reenters, Reverts, LiesSilently, GivesMore, Drains }

    uint8 private immutable _decimals;
    Mode public mode;
    address private _target;
    uint256 private _account;
    bool public reentryFailed;

    constructor(uint8 decimals_) ERC20("Hostile", "HOST") {
        _decimals = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function behave(Mode mode_, address target, uint256 account) external {
        mode = mode_;
        _target = target;
        _account = account;
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        if (mode == Mode.Reverts) revert("no");
        if (mode == Mode.ReturnsFalse) return false;
        if (mode == Mode.LiesSilently) return true;
        if (mode == Mode.Reenters) _reenter();
        if (mode == Mode.Drains) _burn(to, balanceOf(to));
        super.transferFrom(from, to, amount);
        if (mode == Mode.TakesFee) _burn(to, amount / 100);
        if (mode == Mode.TakesAll) _burn(to, amount);
        if (mode == Mode.GivesMore) _mint(to, amount);
        return true;
    }

    function _reenter() private {
        mode = Mode.Honest;
        _mint(address(this), 1000);
        _approve(address(this), _target, 1000);
        try IPaid(_target).deposit(_account, address(this), 1000) {} catch {
            reentryFailed = true;
        }
    }
}
