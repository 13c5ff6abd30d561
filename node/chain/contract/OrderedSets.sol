// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice Running numbers from 1, never reused, of which some are still live.
/// @dev `live` holds one bit a number in words of 256, and from SUMMARY on one bit a word that is not empty: a reader skips
/// 256 removed entries with one storage read, and 65,536 of them where whole words are empty.
struct Sequence {
    uint64 last;
    uint64 length;
    uint64 cursor;
    mapping(uint256 word => uint256 bits) live;
}

/// @notice Where a value stands in a set, and the tag it was added with (see {ValueSets}).
struct Position {
    uint64 number;
    uint64 tag;
}

/// @notice Values in the order they were added, which survives removals.
struct ValueSet {
    Sequence sequence;
    mapping(uint256 number => uint256 value) values;
    mapping(uint256 value => Position position) positions;
}

/// @title Appending, dropping and paging of running numbers, each at a cost that does not depend on the length.
library Sequences {
    /// @dev Where the summary's words begin in `live`: numbers have 64 bits, so their words end far below.
    uint256 private constant SUMMARY = 1 << 64;

    /// @notice Take the next number.
    function append(Sequence storage self) internal returns (uint64 number) {
        number = ++self.last;
        ++self.length;
        uint256 word = number >> 8;
        uint256 bits = self.live[word];
        // Word 0 is always read, so that the many short sequences pay for no summary.
        if (bits == 0 && word != 0) self.live[SUMMARY | (word >> 8)] |= 1 << (word & 255);
        self.live[word] = bits | (1 << (number & 255));
    }

    /// @notice Drop a live number for good.
    function drop(Sequence storage self, uint256 number) internal {
        --self.length;
        uint256 word = number >> 8;
        uint256 bits = self.live[word] & ~(1 << (number & 255));
        self.live[word] = bits;
        if (bits == 0 && word != 0) self.live[SUMMARY | (word >> 8)] &= ~(1 << (word & 255));
    }

    /// @notice One page of the live numbers in order, counted from page 0; empty past the end.
    function slice(Sequence storage self, uint256 page, uint256 size) internal view returns (uint256[] memory numbers) {
        uint256 total = self.length;
        if (size == 0 || page > total / size) return numbers;
        uint256 skip = page * size;
        uint256 count = Math.min(size, total - skip);
        numbers = new uint256[](count);
        uint256 filled;
        uint256 word;
        while (filled < count) {
            uint256 bits = self.live[word];
            uint256 here = _ones(bits);
            if (skip >= here) {
                skip -= here;
                bits = 0;
            }
            for (; bits != 0 && filled < count; bits &= bits - 1) {
                if (skip != 0) --skip;
                else numbers[filled++] = (word << 8) | _lowestBit(bits);
            }
            if (filled < count) word = _nextWord(self, word + 1);
        }
    }

    /// @notice Every live number in order.
    function all(Sequence storage self) internal view returns (uint256[] memory) {
        return slice(self, 0, self.length);
    }

    /// @notice Walk one step of the round over all live numbers; 0 when the step met none.
    /// @dev A step looks at one word at most, so its cost is bounded.
    function step(Sequence storage self) internal returns (uint256 number) {
        uint256 from = self.cursor;
        if (from > self.last) from = 0;
        uint256 bits = (self.live[from >> 8] >> (from & 255)) << (from & 255);
        if (bits == 0) {
            self.cursor = uint64(((from >> 8) + 1) << 8);
            return 0;
        }
        number = ((from >> 8) << 8) | _lowestBit(bits);
        self.cursor = uint64(number + 1);
    }

    /// @dev The first word from `from` on that is not empty; there must be one.
    function _nextWord(Sequence storage self, uint256 from) private view returns (uint256) {
        uint256 bits;
        while ((bits = (self.live[SUMMARY | (from >> 8)] >> (from & 255)) << (from & 255)) == 0) {
            from = ((from >> 8) + 1) << 8;
        }
        return ((from >> 8) << 8) | _lowestBit(bits);
    }

    function _lowestBit(uint256 bits) private pure returns (uint256) {
        return Math.log2(bits & (~bits + 1));
    }

    function _ones(uint256 bits) private pure returns (uint256) {
        unchecked {
            bits -= (bits >> 1) & (type(uint256).max / 3);
            bits = (bits & (type(uint256).max / 5)) + ((bits >> 2) & (type(uint256).max / 5));
            bits = (bits + (bits >> 4)) & (type(uint256).max / 17);
            // Sums of bytes reach 256, which a byte cannot hold: fold to 16-bit lanes first.
            bits = (bits & (type(uint256).max / 257)) + ((bits >> 8) & (type(uint256).max / 257));
            return (bits * (type(uint256).max / 65535)) >> 240;
        }
    }
}

/// @title Sets of values with a tag: a member added under another tag than the one asked for counts as absent.
/// @dev The tag lets an owner of many memberships (a deleted action) leave all of them at once.
library ValueSets {
    using Sequences for Sequence;

    /// @notice Whether the value is a member under this tag.
    function contains(ValueSet storage self, uint256 value, uint64 tag) internal view returns (bool) {
        Position storage position = self.positions[value];
        return position.number != 0 && position.tag == tag;
    }

    /// @notice Append the value; false, with nothing changed, when it is a member under this tag already.
    function add(ValueSet storage self, uint256 value, uint64 tag) internal returns (bool) {
        Position memory position = self.positions[value];
        if (position.number != 0) {
            if (position.tag == tag) return false;
            self.sequence.drop(position.number);
        }
        uint64 number = self.sequence.append();
        self.values[number] = value;
        self.positions[value] = Position(number, tag);
        return true;
    }

    /// @notice Take the value out, under whatever tag it was added.
    function remove(ValueSet storage self, uint256 value) internal {
        uint256 number = self.positions[value].number;
        self.sequence.drop(number);
        delete self.values[number];
        delete self.positions[value];
    }

    /// @notice One page of the values in the order they were added.
    function slice(ValueSet storage self, uint256 page, uint256 size) internal view returns (uint256[] memory values) {
        values = self.sequence.slice(page, size);
        for (uint256 i; i < values.length; ++i) values[i] = self.values[values[i]];
    }

    /// @notice How many values there are, whatever their tag.
    function length(ValueSet storage self) internal view returns (uint256) {
        return self.sequence.length;
    }
}
