/**
 * Functions, structs and errors of the account contract, as text (docs/contract.md). A test holds them against its ABI.
 * @module
 */

/** Fields of the structs that views return, by the struct's name. */
export const STRUCTS = {
  AuthorisationView:
    "(bool canExecute, bool[] canUseWallets, uint256 masterHash, bool managed, bool isMaster, " +
    "uint256 expiration, uint256 cap, uint256 blockNumber, uint256 blockTimestamp, bool openedManaged, " +
    "address adminApiPayer, uint64 adminApiPayerReplacements)",
  UsageApiKeyView:
    "(uint256 apiKeyHash, string name, string description, uint256 expiration, uint256 balance, " +
    "bool createGroups, bool deleteGroups, bool createPKPs, uint256[] manageIPFSIdsInGroups, " +
    "uint256[] addPkpToGroups, uint256[] removePkpFromGroups, uint256[] executeInGroups)",
  AccountView:
    "(uint256 masterHash, bool managed, bool isMaster, address adminWallet, string name, string description, " +
    "uint256 apiKeyCount, uint256 groupCount, uint256 pkpCount, uint256 actionCount, " +
    "UsageApiKeyView usageApiKey)",
  ActionView:
    "(uint256 actionHash, string name, string description, string cid)",
  GroupView:
    "(uint256 id, string name, string description, uint256[] cidHashes, address[] pkpIds)",
  WalletView:
    "(uint256 id, address pkpId, uint256 derivationPath, string name, string description)",
};

export const WRITES = [
  "acceptOwnership()",
  "addAction(uint256 accountHash, string name, string description, uint256 actionHash)",
  "addActionToGroup(uint256 accountHash, uint256 groupId, uint256 action)",
  "addActionWithCid(uint256 accountHash, string name, string description, string cid)",
  "addApiPayers(address[] payers)",
  "addGroup(uint256 accountHash, string name, string description, uint256[] cidHashes, " +
    "address[] pkpIds) returns (uint256 groupId)",
  "addPkpToGroup(uint256 accountHash, uint256 groupId, address pkpId)",
  "applyOwnerChange()",
  "cancelOwnerChange()",
  "clearUsageApiKeys(uint256 accountHash)",
  "convertToChainSecuredAccount(uint256 apiKeyHash, address newAdminWalletAddress)",
  "createManagedAccount(uint256 apiKeyHash, string name, string description, address adminWallet, " +
    "uint256 derivationPath)",
  "multicall(bytes[] calls) returns (bool[] ok, bytes[] results)",
  "newAccount(uint256 apiKeyHash, bool managed, string name, string description, address adminWallet)",
  "newChainSecuredAccount(string name, string description)",
  "registerWalletDerivation(uint256 accountHash, address pkpId, uint256 derivationPath, string name, " +
    "string description)",
  "removeAction(uint256 accountHash, uint256 actionHash)",
  "removeActionFromGroup(uint256 accountHash, uint256 groupId, uint256 action)",
  "removeApiPayers(address[] payers)",
  "removeGroup(uint256 accountHash, uint256 groupId)",
  "removePkpFromGroup(uint256 accountHash, uint256 groupId, address pkpId)",
  "removeUsageApiKey(uint256 accountHash, uint256 usageHash)",
  "setAdminApiPayerAccount(address account)",
  "setApiPayers(address[] payers)",
  "setConfigOperator(address operator)",
  "setNodeConfiguration(string key, string value)",
  "setRebalanceAmount(uint256 amount)",
  "setRequestedApiPayerCount(uint256 count)",
  "setUsageApiKey(uint256 accountHash, uint256 usageHash, uint256 expiration, uint256 balance, " +
    "string name, string description, bool createGroups, bool deleteGroups, bool createPKPs, " +
    "uint256[] manageIPFSIdsInGroups, uint256[] addPkpToGroups, uint256[] removePkpFromGroups, " +
    "uint256[] executeInGroups)",
  "transferChainSecuredAccountOwnership(uint256 apiKeyHash, address newAdminWalletAddress)",
  "transferOwnership(address newOwner)",
  "updateActionMetadata(uint256 accountHash, uint256 actionHash, uint256 groupId, string name, string description)",
  "updateGroup(uint256 accountHash, uint256 groupId, string name, string description, uint256[] cidHashes, " +
    "address[] pkpIds)",
  "updateGroupMetadata(uint256 accountHash, uint256 groupId, string name, string description)",
  "updateUsageApiKey(uint256 accountHash, uint256 usageHash, uint256 expiration, uint256 balance, " +
    "string name, string description, bool createGroups, bool deleteGroups, bool createPKPs, " +
    "uint256[] manageIPFSIdsInGroups, uint256[] addPkpToGroups, uint256[] removePkpFromGroups, " +
    "uint256[] executeInGroups)",
  "updateUsageApiKeyMetadata(uint256 accountHash, uint256 usageHash, string name, string description)",
];

export const VIEWS = [
  "adminApiPayerAccount() returns (address)",
  "adminApiPayerReplacements() returns (uint64)",
  "api_payers() returns (address[])",
  "configOperator() returns (address)",
  "isApiPayer(address account) returns (bool)",
  "nodeConfigurationValue(string key) returns (string)",
  "owner() returns (address)",
  "ownerChangeDelay() returns (uint256)",
  "pendingOwner() returns (address)",
  "rebalanceAmount() returns (uint256)",
  "renounceOwnership()",
  "requestedApiPayerCount() returns (uint256)",
  "scheduledOwnerChange() returns (bytes4 selector, address[] accounts, uint256 effectiveAt)",
  "viewsModule() returns (address)",
  "accountCount() returns (uint256)",
  "accountExistsAndIsMutable(uint256 hash) returns (bool)",
  "actionCount(uint256 hash) returns (uint256)",
  "apiKeyCount(uint256 hash) returns (uint256)",
  "authorisation(uint256 key, uint256 cid, address[] wallets) returns (AuthorisationView)",
  "canExecuteAction(uint256 key, uint256 cid) returns (bool)",
  "canExecuteActionAndUseWallet(uint256 key, uint256 cid, address pkpId) returns (bool canExecute, bool canUseWallet)",
  "canUseWalletInAction(uint256 key, uint256 cid, address pkpId) returns (bool)",
  "decidingGroups(uint256 key, uint256 cid, address pkpId) returns (uint256 granted, uint256 grantedWithWallet, " +
    "uint256 known, uint256 knownWithWallet)",
  "getAccount(uint256 hash) returns (AccountView shown)",
  "getAccountWalletAddress(uint256 hash) returns (address)",
  "getAction(uint256 hash, uint256 actionHash) returns (ActionView)",
  "getGroup(uint256 hash, uint256 groupId) returns (GroupView)",
  "getPkp(uint256 hash, address pkpId) returns (WalletView)",
  "getPkpById(uint256 hash, uint256 id) returns (WalletView)",
  "getUsageApiKey(uint256 hash, uint256 usageHash) returns (UsageApiKeyView)",
  "getWalletDerivation(uint256 hash, address pkpId) returns (uint256)",
  "groupActionCount(uint256 hash, uint256 groupId) returns (uint256)",
  "groupCount(uint256 hash) returns (uint256)",
  "groupLimits() returns (uint256 most, uint256 reserved)",
  "groupWalletCount(uint256 hash, uint256 groupId) returns (uint256)",
  "isActionInGroup(uint256 hash, uint256 groupId, uint256 action) returns (bool)",
  "isPkpInGroup(uint256 hash, uint256 groupId, address pkpId) returns (bool)",
  "listActions(uint256 hash, uint256 page, uint256 size) returns (ActionView[] items, uint256 total)",
  "listActionsInGroup(uint256 hash, uint256 groupId, uint256 page, uint256 size) returns (ActionView[] items, " +
    "uint256 total)",
  "listApiKeys(uint256 hash, uint256 page, uint256 size) returns (UsageApiKeyView[] items, uint256 total)",
  "listGroupContents(uint256 hash, uint256 groupId) returns (GroupView)",
  "listGroups(uint256 hash, uint256 page, uint256 size) returns (GroupView[] items, uint256 total)",
  "listPkps(uint256 hash, uint256 page, uint256 size) returns (WalletView[] items, uint256 total)",
  "listWalletsInGroup(uint256 hash, uint256 groupId, uint256 page, uint256 size) returns (WalletView[] items, " +
    "uint256 total)",
  "masterOfWallet(address wallet) returns (uint256)",
  "pkpCount() returns (uint256)",
  "pkpCountOf(uint256 hash) returns (uint256)",
  "resolveMaster(uint256 hash) returns (uint256 master)",
];

export const ERRORS = [
  "AccountAlreadyExists(uint256 identity)",
  "AccountDoesNotExist(uint256 accountHash)",
  "ActionDoesNotExist(uint256 accountHash, uint256 groupId, uint256 actionHash)",
  "GroupDoesNotExist(uint256 accountHash, uint256 groupId)",
  "GroupLimitReached(uint256 accountHash, uint256 limit)",
  "InvalidRequest(string reason)",
  "NoAccountAccess(uint256 accountHash, address sender)",
  "NotAllowedToAddPkpToGroup(uint256 usageHash, uint256 groupId)",
  "NotAllowedToCreateGroup(uint256 usageHash)",
  "NotAllowedToCreatePkp(uint256 usageHash)",
  "NotAllowedToDeleteGroup(uint256 usageHash)",
  "NotAllowedToManageIPFSIdsInGroup(uint256 usageHash, uint256 groupId)",
  "NotAllowedToRemovePkpFromGroup(uint256 usageHash, uint256 groupId)",
  "NotMasterAccount(uint256 hash)",
  "OnlyApiPayer(address sender)",
  "OnlyApiPayerOrOwner(address sender)",
  "OnlyConfigOperatorOrOwner(address sender)",
  "OwnableInvalidOwner(address owner)",
  "OwnableUnauthorizedAccount(address account)",
  "PkpDoesNotExist(uint256 accountHash, uint256 groupId, address pkpId)",
  "UsageApiKeyDoesNotExist(uint256 accountHash, uint256 usageHash)",
  "UsageApiKeyExpired(uint256 usageHash)",
];

/** Places of the immutables in the runtime code, start and length in bytes; those of one list hold one value. */
export const IMMUTABLES = [[[32, 32], [8508, 32]], [[11328, 32], [13667, 32]]];
