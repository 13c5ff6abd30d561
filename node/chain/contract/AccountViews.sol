// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Lists} from "./Lists.sol";
import {Reasons} from "./Reasons.sol";

/// @title The reading half of {AccountConfig}, which deploys it and delegates every call it does not know to it.
/// @dev It holds views only and nothing can make it write. Asked directly it answers from its own, empty storage.
contract AccountViews is Lists, Reasons {}
