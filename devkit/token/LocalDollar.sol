// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title The local chain's dollar, to try token payments with. Anybody may mint: it is worth nothing anywhere.
contract LocalDollar is ERC20, ERC20Permit {
    constructor(address[] memory holders, uint256 each) ERC20("Local Dollar", "LUSD") ERC20Permit("Local Dollar") {
        for (uint256 i; i < holders.length; ++i) _mint(holders[i], each);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
