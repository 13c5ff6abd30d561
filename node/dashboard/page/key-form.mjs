/** Form of a usage key: every grant, with groups by name and wildcards in words. */

import { DESCRIPTION_BYTES, EVERY_GROUP, EXPIRES_AHEAD_MAX_S, NAME_BYTES, groupName } from "./account.mjs";
import { h, notice } from "./dom.mjs";
import { openForm } from "./dialog.mjs";
import { checkField, checkList, textField } from "./form.mjs";
import { centsOf } from "./format.mjs";

/** @typedef {import("./account.mjs").KeyGrants} KeyGrants */
/** @typedef {import("./account.mjs").Group} Group */

const ENTRIES_MAX = 100;
/** Unix seconds of the last day that a date field can hold in any time zone. */
const FIELD_MAX_S = 253_402_214_400;

/** @type {KeyGrants} */
const NOTHING = {
  name: "",
  description: "",
  expires: 0,
  capCents: 0,
  createGroups: false,
  deleteGroups: false,
  createWallets: false,
  manageActionsIn: [],
  addWalletsIn: [],
  removeWalletsFrom: [],
  executeIn: [],
};

/**
 * Opens the form of a new key, or of one that is changed.
 * @param {{key: KeyGrants | null, groups: readonly Group[], save: (grants: KeyGrants, close: () => void) => Promise<unknown>}} options
 */
export function openKeyForm({ key, groups, save }) {
  const old = key ?? NOTHING;
  const name = textField({ label: "Name", value: old.name, required: true, maxBytes: NAME_BYTES, help: "Public: names are stored on chain." });
  const description = textField({ label: "Description", value: old.description, maxBytes: DESCRIPTION_BYTES });
  const limits = limitFields(old);
  const lists = {
    executeIn: groupList("May run the actions of", old.executeIn, groups, "With every group the key may run any code at all. A wallet can be used only where one group lists both it and the action."),
    manageActionsIn: groupList("May change the actions of", old.manageActionsIn, groups),
    addWalletsIn: groupList("May add wallets to", old.addWalletsIn, groups),
    removeWalletsFrom: groupList("May remove wallets from", old.removeWalletsFrom, groups),
  };
  const flags = {
    createWallets: checkField({ label: "May create wallets", checked: old.createWallets }),
    createGroups: checkField({ label: "May create groups", checked: old.createGroups }),
    deleteGroups: checkField({ label: "May remove groups", help: "Any group of the account.", checked: old.deleteGroups }),
  };
  openForm({
    title: key === null ? "New usage key" : "Change a usage key",
    intro: key === null ? null : notice("info", h("p", {}, "Saving replaces every grant of the key by what is chosen here.")),
    fields: [
      name, description,
      ...Object.values(lists),
      ...Object.values(flags),
      limits.expires, limits.cap,
    ],
    label: key === null ? "Create key" : "Save",
    wide: true,
    split: true,
    submit: (close) =>
      save({
        name: name.value().trim(),
        description: description.value().trim(),
        expires: limits.expiresValue(),
        capCents: limits.capValue(),
        createWallets: flags.createWallets.checked(),
        createGroups: flags.createGroups.checked(),
        deleteGroups: flags.deleteGroups.checked(),
        executeIn: lists.executeIn.values(),
        manageActionsIn: lists.manageActionsIn.values(),
        addWalletsIn: lists.addWalletsIn.values(),
        removeWalletsFrom: lists.removeWalletsFrom.values(),
      }, close),
  });
}

/**
 * @param {string} title
 * @param {readonly string[]} chosen
 * @param {readonly Group[]} groups
 * @param {string} [everyHelp]
 */
function groupList(title, chosen, groups, everyHelp) {
  // A removed group that the key still lists is shown, so that it can be taken out.
  const gone = chosen.filter((id) => id !== EVERY_GROUP && !groups.some((group) => group.id === id));
  const every = { value: EVERY_GROUP, label: "Every group, present and future", ...(everyHelp === undefined ? {} : { help: everyHelp }) };
  const choices = [every, ...[...groups.map((group) => group.id), ...gone].map((id) => ({ value: id, label: groupName(id, groups) }))];
  const list = checkList({ title, choices, chosen, none: "" });
  return {
    ...list,
    check: () => (list.values().length > ENTRIES_MAX ? `At most ${ENTRIES_MAX} groups; choose every group instead, or make fewer groups.` : null),
  };
}

/** @param {KeyGrants} old */
function limitFields(old) {
  const before = old.expires === 0 ? "" : localText(old.expires);
  const expires = textField({
    label: "Expires",
    type: "datetime-local",
    value: before,
    help: old.expires > FIELD_MAX_S ? "After the year 9999, which stays so if this is left empty." : "In this computer's time zone. Empty: never.",
    check: (value) => {
      if (value === "") return null;
      const ahead = expiresValue() - Date.now() / 1000;
      return ahead > 0 && (value === before || ahead <= EXPIRES_AHEAD_MAX_S) ? null : "Choose a time in the next 100 years, or none.";
    },
  });
  const cap = textField({
    label: "Cap in dollars",
    value: old.capCents === 0 ? "" : (old.capCents / 100).toFixed(2),
    help: "The most that the key may spend in its whole life. Empty: no cap.",
    check: (value) => {
      if (value.trim() === "") return null;
      const cents = centsOf(value);
      if (cents === null) return "Write an amount such as 25 or 12.50.";
      return cents === 0 ? "0 would mean no cap. Leave it empty for none." : null;
    },
  });
  function expiresValue() {
    const text = expires.value();
    // The field has minutes, and no year of five digits: an unchanged one keeps what the key has.
    if (text === before) return old.expires;
    return text === "" ? 0 : Math.floor(new Date(text).getTime() / 1000);
  }
  return { expires, cap, expiresValue, capValue: () => centsOf(cap.value()) ?? 0 };
}

/** @param {number} seconds */
function localText(seconds) {
  if (seconds > FIELD_MAX_S) return "";
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
