/** Amounts, times and identifiers as text. Pure. */

/**
 * Returns cents as dollars, for instance `$1,234.05`.
 * @param {number} cents
 */
export function dollars(cents) {
  const text = (Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${cents < 0 ? "−" : ""}$${text}`;
}

/**
 * Returns whole cents of an amount in dollars that a person typed, null for anything else. Commas may
 * only separate thousands: `50,00` is fifty in many countries, and would pay five thousand.
 * @param {string} text
 * @returns {number | null}
 */
export function centsOf(text) {
  const found = /^\$?([0-9]{1,13}|[0-9]{1,3}(?:,[0-9]{3}){1,4})(?:\.([0-9]{1,2}))?$/.exec(text.trim());
  if (found === null) return null;
  const [, whole = "", fraction = ""] = found;
  return Number(whole.replaceAll(",", "")) * 100 + Number(fraction.padEnd(2, "0"));
}

/**
 * Returns a time as date and minutes in the browser's zone.
 * @param {string | number} time RFC 3339, or unix seconds
 */
export function timeText(time) {
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  // A key may expire after the last date that a browser knows.
  if (Number.isNaN(date.getTime())) return typeof time === "number" ? "in the far future" : time;
  return date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/**
 * Returns a calendar day of the browser's zone as `YYYY-MM-DD`, as a date field has it.
 * @param {Date} date
 */
export function dayText(date) {
  const part = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

/**
 * Returns an identifier shortened to its ends.
 * @param {string} text
 */
export function shortened(text) {
  return text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
}

/**
 * Returns a count with its noun: `1 group`, `2 groups`.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Writes by the contract's function that makes them. */
const OPERATIONS = new Map(Object.entries({
  addGroup: "Group created",
  updateGroup: "Group changed",
  removeGroup: "Group removed",
  addAction: "Action registered",
  addActionWithCid: "Action registered",
  removeAction: "Action removed",
  updateActionMetadata: "Action renamed",
  addActionToGroup: "Action added to a group",
  removeActionFromGroup: "Action removed from a group",
  addPkpToGroup: "Wallet added to a group",
  removePkpFromGroup: "Wallet removed from a group",
  registerWalletDerivation: "Wallet created",
  setUsageApiKey: "Usage key created",
  updateUsageApiKey: "Usage key changed",
  updateUsageApiKeyMetadata: "Usage key renamed",
  removeUsageApiKey: "Usage key removed",
}));

/**
 * Returns what a charged write did, in words.
 * @param {string | null} operation function of the account contract
 */
export function operationText(operation) {
  return operation === null ? "Change" : (OPERATIONS.get(operation) ?? operation);
}
