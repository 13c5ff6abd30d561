// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice What a usage key may do, as passed to setUsageApiKey and updateUsageApiKey.
/// @dev Only a memory shape: the external functions take these values one by one, as existing tools send them.
struct UsageApiKeyInput {
    uint256 expiration;
    uint256 balance;
    string name;
    string description;
    bool createGroups;
    bool deleteGroups;
    bool createPKPs;
    uint256[] manageIPFSIdsInGroups;
    uint256[] addPkpToGroups;
    uint256[] removePkpFromGroups;
    uint256[] executeInGroups;
}

/// @notice A usage key as listed. `expiration` is in unix seconds (0 never), `balance` the lifetime cap in cents (0 none).
struct UsageApiKeyView {
    uint256 apiKeyHash;
    string name;
    string description;
    uint256 expiration;
    uint256 balance;
    bool createGroups;
    bool deleteGroups;
    bool createPKPs;
    uint256[] manageIPFSIdsInGroups;
    uint256[] addPkpToGroups;
    uint256[] removePkpFromGroups;
    uint256[] executeInGroups;
}

/// @notice A group with its contents; action hash 0 and wallet 0x0 are the wildcards.
struct GroupView {
    uint256 id;
    string name;
    string description;
    uint256[] cidHashes;
    address[] pkpIds;
}

/// @notice A registered wallet; id 0 is the master wallet. The wildcard is listed as wallet 0x0 with the highest id.
struct WalletView {
    uint256 id;
    address pkpId;
    uint256 derivationPath;
    string name;
    string description;
}

/// @notice An action; `cid` is empty where only the hash is known, the names too where it is not registered.
struct ActionView {
    uint256 actionHash;
    string name;
    string description;
    string cid;
}

/// @notice Everything about an account but its lists. All zero for an unknown or removed hash.
/// `isMaster`: the hash asked is the master or an alias; `usageApiKey` is filled when it is a usage key's.
struct AccountView {
    uint256 masterHash;
    bool managed;
    bool isMaster;
    address adminWallet;
    string name;
    string description;
    uint256 apiKeyCount;
    uint256 groupCount;
    uint256 pkpCount;
    uint256 actionCount;
    UsageApiKeyView usageApiKey;
}

/// @notice The decision on one execution, taken at one block; `cap` is the usage key's balance. `adminApiPayer` is who
/// names the payers at that block, `adminApiPayerReplacements` how often another one did before. `openedManaged`: payers
/// could or can write the account, so that what it grants is only as trustworthy as they are; it stays true after a
/// conversion, which payers make too.
struct AuthorisationView {
    bool canExecute;
    bool[] canUseWallets;
    uint256 masterHash;
    bool managed;
    bool isMaster;
    uint256 expiration;
    uint256 cap;
    uint256 blockNumber;
    uint256 blockTimestamp;
    bool openedManaged;
    address adminApiPayer;
    uint64 adminApiPayerReplacements;
}
