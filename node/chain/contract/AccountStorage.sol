// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccountErrors} from "./IAccountErrors.sol";
import {IAccountEvents} from "./IAccountEvents.sol";
import {Sequence, ValueSet, ValueSets} from "./OrderedSets.sol";

/// @notice A usage key's place: the account it belongs to and which record is its current one.
/// @dev A place is never freed: a removed or cleared key's stays behind as its tombstone.
struct UsagePlace {
    uint256 master;
    uint64 generation;
    uint64 version;
    bool removed;
}

/// @notice What a usage key may do. Group ids of the lists are packed four a slot.
struct UsageRecord {
    uint256 expiration;
    uint256 balance;
    bool createGroups;
    bool deleteGroups;
    bool createPKPs;
    string name;
    string description;
    uint64[] manageIPFSIdsInGroups;
    uint64[] addPkpToGroups;
    uint64[] removePkpFromGroups;
    uint64[] executeInGroups;
}

/// @notice A group. `generation` 0: there is none of this id. Raising it empties the group at once.
struct Group {
    uint64 generation;
    string name;
    string description;
    mapping(uint64 generation => ValueSet) actions;
    mapping(uint64 generation => ValueSet) wallets;
}

/// @notice What an account says of a registered action.
struct ActionRecord {
    string name;
    string description;
    string cid;
}

/// @notice An action. Raising `generation` takes it out of every group and forgets its record at once.
struct Action {
    uint64 generation;
    bool registered;
    mapping(uint64 generation => ActionRecord) records;
}

/// @notice A registered wallet's path and names.
struct Wallet {
    uint256 derivationPath;
    string name;
    string description;
}

/// @notice An account. Raising `usageGeneration` removes every usage key at once.
struct Account {
    address adminWallet;
    bool exists;
    bool managed;
    uint64 usageGeneration;
    string name;
    string description;
    mapping(uint64 usageGeneration => ValueSet) usageKeys;
    Sequence groupIds;
    mapping(uint256 groupId => Group) groups;
    ValueSet actionHashes;
    mapping(uint256 actionHash => Action) actions;
    ValueSet walletAddresses;
    mapping(address pkpId => Wallet) wallets;
    mapping(uint256 derivationPath => bool) pathTaken;
}

/// @notice The naming of an admin payer that the owner has scheduled; `effectiveAt` 0: there is none.
struct OwnerChange {
    address adminApiPayer;
    uint64 effectiveAt;
}

/// @title The state of the contract, and the two questions every write asks: whose hash is this, and may the sender?
abstract contract AccountStorage is IAccountErrors, IAccountEvents {
    using ValueSets for ValueSet;

    /// @dev Groups an account may have, and entries the four lists of a usage key may have together. A decision reads
    /// each of them, as an eth_call that endpoints bound (geth: 50M gas): at this number the worst takes a fifth of that.
    uint256 internal constant MAX_GROUPS = 512;
    /// @dev Of MAX_GROUPS, those that only the master may add: a usage key cannot use up what the account has.
    uint256 internal constant RESERVED_GROUPS = 64;

    /// @dev Masters, aliases and usage hashes live apart, so that nobody can take another's hash by registering it.
    mapping(uint256 masterHash => Account) internal _accounts;
    /// @dev keccak256 of each wallet that is or was admin of an unmanaged account; never removed, never moved.
    mapping(uint256 aliasHash => uint256 masterHash) internal _aliases;
    mapping(uint256 usageHash => UsagePlace) internal _usagePlaces;
    /// @dev Each write of a usage key takes a new version, so that nothing of the old one has to be erased.
    mapping(uint256 usageHash => mapping(uint64 version => UsageRecord)) internal _usageRecords;
    /// @dev Whoever was ever named as an account's admin wallet, managed accounts included.
    mapping(address wallet => bool) internal _everAdmin;
    uint256 internal _accountCount;
    uint256 internal _pkpCount;

    /// @dev Raising it drops every payer at once.
    uint64 internal _payerGeneration;
    mapping(uint64 payerGeneration => ValueSet) internal _payers;
    /// @dev 0x0 until the first naming, and never again.
    address internal _adminApiPayer;
    /// @dev How often another admin payer was named in place of one; in the same slot.
    uint64 internal _adminApiPayerReplacements;
    OwnerChange internal _ownerChange;

    address internal _configOperator;
    uint256 internal _requestedApiPayerCount;
    uint256 internal _rebalanceAmount;
    mapping(string key => string value) internal _nodeConfiguration;

    /// @notice An account hash = keccak256 of the wallet's 20 bytes.
    function _walletHash(address wallet) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(wallet)));
    }

    /// @notice Whether the address is a payer now.
    function _isPayer(address sender) internal view returns (bool) {
        return _payers[_payerGeneration].contains(uint160(sender), 0);
    }

    /// @notice The account of a master or alias hash, else of a usage key in force (expired ones too); 0 for none.
    function _resolve(uint256 hash) internal view returns (uint256 master, bool isMaster) {
        if (_accounts[hash].exists) return (hash, true);
        master = _aliases[hash];
        if (master != 0) return (master, true);
        UsagePlace storage place = _usagePlaces[hash];
        master = place.master;
        if (place.removed || place.generation != _accounts[master].usageGeneration) master = 0;
    }

    /// @notice The account of a hash, whoever asks. Reverts AccountDoesNotExist.
    function _find(uint256 hash) internal view returns (Account storage account) {
        (uint256 master, ) = _resolve(hash);
        if (master == 0) revert AccountDoesNotExist(hash);
        return _accounts[master];
    }

    /// @notice The account of a hash, for a write. Reverts AccountDoesNotExist, NoAccountAccess.
    function _open(uint256 hash) internal view returns (Account storage account, uint256 master, bool isMaster) {
        (master, isMaster) = _resolve(hash);
        if (master == 0) revert AccountDoesNotExist(hash);
        account = _accounts[master];
        bool allowed = account.managed ? _isPayer(msg.sender) : msg.sender == account.adminWallet;
        if (!allowed) revert NoAccountAccess(hash, msg.sender);
    }

    /// @notice As {_open}, for writes no usage key can be given. Reverts NotMasterAccount.
    function _openAsMaster(uint256 hash) internal view returns (Account storage account, uint256 master) {
        bool isMaster;
        (account, master, isMaster) = _open(hash);
        if (!isMaster) revert NotMasterAccount(hash);
    }

    /// @notice The current record of a usage key.
    function _record(uint256 usageHash) internal view returns (UsageRecord storage) {
        return _usageRecords[usageHash][_usagePlaces[usageHash].version];
    }

    /// @notice As {_record}, for a write made with that key. Reverts UsageApiKeyExpired.
    function _liveRecord(uint256 usageHash) internal view returns (UsageRecord storage record) {
        record = _record(usageHash);
        if (_expired(record.expiration)) revert UsageApiKeyExpired(usageHash);
    }

    /// @notice Whether an expiration has come: the first second of expiry is `expiration` itself.
    function _expired(uint256 expiration) internal view returns (bool) {
        return expiration != 0 && expiration <= block.timestamp;
    }

    /// @notice Whether a list of group ids grants a group, by its id or by the wildcard 0.
    function _grants(uint64[] storage groupIds, uint256 groupId) internal view returns (bool) {
        uint256 length = groupIds.length;
        for (uint256 i; i < length; ++i) {
            uint64 id = groupIds[i];
            if (id == 0 || id == groupId) return true;
        }
        return false;
    }
}
