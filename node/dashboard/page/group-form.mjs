/** Form of a group: which actions may use which wallets. */

import { DESCRIPTION_BYTES, EVERY_ACTION, EVERY_WALLET, MASTER_WALLET, NAME_BYTES, actionName, walletName } from "./account.mjs";
import { h, notice } from "./dom.mjs";
import { openForm } from "./dialog.mjs";
import { checkList, textField } from "./form.mjs";

/** @typedef {import("./account.mjs").Account} Account */
/** @typedef {import("./account.mjs").Action} Action */
/** @typedef {import("./account.mjs").Group} Group */
/** @typedef {import("./account.mjs").GroupContents} GroupContents */
/** @typedef {import("./account.mjs").Wallet} Wallet */

const ENTRIES_MAX = 100;

/**
 * Opens the form of a new group, or of one that is changed. With a usage key only memberships are changed, one by one,
 * since the node lets the account key alone replace a group.
 * @param {{account: Account, owner: boolean, group: Group | null, actions: readonly Action[], wallets: readonly Wallet[],
 *   done: (text: string) => Promise<void>}} options
 */
export function openGroupForm({ account, owner, group, actions, wallets, done }) {
  const names = owner || group === null;
  const name = textField({ label: "Name", value: group?.name ?? "", required: true, maxBytes: NAME_BYTES, help: "Public: names are stored on chain." });
  const description = textField({ label: "Description", value: group?.description ?? "", maxBytes: DESCRIPTION_BYTES });
  const actionList = bounded(checkList({
    title: "Actions",
    choices: actionChoices(actions, group, owner),
    chosen: group?.actions ?? [],
    none: "No action is registered yet: register one under Actions.",
  }), owner);
  const walletList = bounded(checkList({
    title: "Wallets that these actions may use",
    choices: walletChoices(wallets, group, owner),
    chosen: group?.wallets ?? [],
    none: "There is no wallet yet: create one under Wallets.",
  }), owner);
  openForm({
    title: group === null ? "New group" : `Change ${group.name === "" ? `group ${group.id}` : group.name}`,
    intro: group !== null && notice("info", h("p", {}, "Every usage key that runs this group gains or loses what is changed here.")),
    fields: [...(names ? [name, description] : []), actionList, walletList],
    label: group === null ? "Create group" : "Save",
    wide: true,
    split: true,
    submit: async () => {
      const contents = { name: name.value().trim(), description: description.value().trim(), actions: actionList.values(), wallets: walletList.values() };
      if (group === null) await account.createGroup(contents);
      else if (owner) await account.updateGroup(group.id, contents);
      else await changeMembers(account, group, contents, actions);
      await done(group === null ? `The group ${contents.name} was created.` : "The group was changed.");
    },
  });
}

/**
 * @param {readonly Action[]} actions
 * @param {Group | null} group
 * @param {boolean} owner
 */
function actionChoices(actions, group, owner) {
  const hashes = [...actions.map((action) => action.hash), ...(group?.actions ?? [])].filter((hash) => hash !== EVERY_ACTION);
  const every = owner || group?.actions.includes(EVERY_ACTION) === true;
  return [
    ...(every ? [{ value: EVERY_ACTION, label: "Any action", help: "Any code at all may then use the wallets of this group." }] : []),
    ...[...new Set(hashes)].map((hash) => ({ value: hash, label: actionName(hash, actions) })),
  ];
}

/**
 * @param {readonly Wallet[]} wallets
 * @param {Group | null} group
 * @param {boolean} owner
 */
function walletChoices(wallets, group, owner) {
  const addresses = [...wallets.map((wallet) => wallet.address), ...(group?.wallets ?? [])].filter((address) => address !== EVERY_WALLET);
  const master = wallets.find((wallet) => wallet.id === MASTER_WALLET)?.address;
  const every = owner || group?.wallets.includes(EVERY_WALLET) === true;
  // Only the account key adds the master wallet and wildcards.
  const offered = [...new Set(addresses)].filter((address) => owner || address !== master || group?.wallets.includes(address));
  return [
    ...(every ? [{ value: EVERY_WALLET, label: "Every wallet but the master wallet", help: "Present and future ones." }] : []),
    ...offered.map((address) => ({ value: address, label: walletName(address, wallets) })),
  ];
}

/**
 * @param {ReturnType<typeof checkList>} list
 * @param {boolean} owner
 */
function bounded(list, owner) {
  const check = () => (owner && list.values().length > ENTRIES_MAX ? `A group is saved with at most ${ENTRIES_MAX} of these.` : null);
  return { ...list, check };
}

/**
 * @param {Account} account
 * @param {Group} group
 * @param {GroupContents} contents
 * @param {readonly Action[]} actions
 */
async function changeMembers(account, group, contents, actions) {
  const added = (/** @type {string[]} */ before, /** @type {string[]} */ after) => after.filter((each) => !before.includes(each));
  for (const hash of added(group.actions, contents.actions)) {
    await account.addActionToGroup(group.id, { hash, cid: actions.find((each) => each.hash === hash)?.cid ?? null });
  }
  for (const hash of added(contents.actions, group.actions)) await account.removeActionFromGroup(group.id, hash);
  for (const address of added(group.wallets, contents.wallets)) await account.addWalletToGroup(group.id, address);
  for (const address of added(contents.wallets, group.wallets)) await account.removeWalletFromGroup(group.id, address);
}
