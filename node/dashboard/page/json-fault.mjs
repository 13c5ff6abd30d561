/** Place of the first fault in a text that should be JSON (RFC 8259): browsers' own messages often do not tell it. Pure. */

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/**
 * States of the reader: which token may come next.
 * @type {Record<string, string>}
 */
const EXPECTED = {
  value: "a value",
  firstItem: "a value or ]",
  key: 'a name in double quotes',
  firstKey: "a name in double quotes or }",
  colon: ": after the name",
  afterItem: ", or ]",
  afterMember: ", or }",
  end: "nothing more",
};

/**
 * Returns the place of the first fault, counted from 1, and what should stand there; null for JSON.
 * @param {string} text
 * @returns {{ line: number, column: number, expected: string } | null}
 */
export function jsonFault(text) {
  /** @type {string[]} the state after each list and object that is open */
  const open = [];
  let state = "value";
  let index = 0;
  for (;;) {
    SPACE.lastIndex = index;
    SPACE.exec(text);
    index = SPACE.lastIndex;
    if (index >= text.length) return state === "end" ? null : placeOf(text, index, state);
    TOKEN.lastIndex = index;
    const token = TOKEN.exec(text)?.[0];
    const next = token === undefined ? undefined : following(state, token, open);
    if (token === undefined || next === undefined) return placeOf(text, index, state);
    state = next;
    index += token.length;
  }
}

/**
 * Returns the state after a token, undefined for a token that may not come.
 * @param {string} state
 * @param {string} token
 * @param {string[]} open
 * @returns {string | undefined}
 */
function following(state, token, open) {
  const closes = { firstItem: "]", afterItem: "]", firstKey: "}", afterMember: "}" }[state];
  if (token === closes) {
    open.pop();
    return open.at(-1) ?? "end";
  }
  const isText = token.startsWith('"');
  if (state === "key" || state === "firstKey") return isText ? "colon" : undefined;
  if (state === "colon") return token === ":" ? "value" : undefined;
  if (state === "afterItem") return token === "," ? "value" : undefined;
  if (state === "afterMember") return token === "," ? "key" : undefined;
  if (state === "end" || "}],:".includes(token)) return undefined;
  if (token === "[" || token === "{") {
    open.push(token === "[" ? "afterItem" : "afterMember");
    return token === "[" ? "firstItem" : "firstKey";
  }
  return open.at(-1) ?? "end";
}

/**
 * @param {string} text
 * @param {number} index
 * @param {string} state
 */
function placeOf(text, index, state) {
  const lines = text.slice(0, index).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1, expected: EXPECTED[state] ?? "" };
}
