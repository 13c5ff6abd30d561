/**
 * Elements of the page. All text becomes text nodes and no markup is ever parsed, so that names, logs and responses that
 * others chose are shown as they are (the policy requires trusted types and the page creates none).
 */

/**
 * Content of an element; lists are joined.
 * @typedef {Leaf | ChildList} Child
 * @typedef {Node | string | number | null | undefined | false} Leaf
 * @typedef {ReadonlyArray<Child>} ChildList
 */
/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute */

const SVG = "http://www.w3.org/2000/svg";
const SLOW_MS = 4_000;
const COPIED_MS = 2_000;
const ORDER = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINK = /^(#|blob:|https:\/\/|\.\/|\/)/;

/**
 * Builds an element. An attribute of null, undefined or false is left out, true is the empty text; a name that begins with
 * `on` takes a function and adds it as a listener.
 * @param {string} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 * @throws {TypeError} for a handler in text and for a link of another scheme
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Builds an element of SVG; otherwise as `h`.
 * @param {string} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  fill(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2).toLowerCase(), value);
      continue;
    }
    if (name.toLowerCase().startsWith("on")) throw new TypeError(`${name} takes a function`);
    if (name === "href" && !LINK.test(String(value))) throw new TypeError("a link of this scheme is not shown");
    element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, ...children);
}

/**
 * Appends children to an element; null, undefined and false are left out. Characters that change the order in which others
 * are shown (Unicode bidirectional controls) are replaced: with them a name reads as another one.
 * @param {Element} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) put(element, ...child);
    else element.append(child instanceof Node ? child : String(child).replace(ORDER, "\ufffd"));
  }
}

/**
 * Replaces everything in an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function replace(element, ...children) {
  element.replaceChildren();
  put(element, ...children);
}

let lastId = 0;

/**
 * Returns an id that no other element has, for labels and descriptions.
 * @param {string} name
 */
export function uniqueId(name) {
  lastId += 1;
  return `${name}-${lastId}`;
}

/**
 * Button that runs something. While a promise of it is pending the button is disabled and shows progress; an error is
 * handed to `onError`.
 * @param {string} label
 * @param {() => unknown} action
 * @param {{variant?: "primary" | "danger" | "plain", small?: boolean, label?: string, disabled?: boolean,
 *   onError?: (error: unknown) => void}} [options] `label` is what a screen reader says where the text alone is not clear.
 * @returns {HTMLButtonElement}
 */
export function button(label, action, options = {}) {
  const classes = ["button", options.variant ?? "", options.small ? "small" : ""].filter(Boolean).join(" ");
  const element = /** @type {HTMLButtonElement} */ (
    h("button", { type: "button", class: classes, "aria-label": options.label, disabled: options.disabled }, label)
  );
  element.addEventListener("click", () => void whileBusy(element, action, options.onError));
  return element;
}

/**
 * Runs something with a button marked as busy meanwhile; a second call while it is busy does nothing.
 * @param {HTMLButtonElement} element
 * @param {() => unknown} action
 * @param {(error: unknown) => void} [onError] without it the error is thrown on
 */
export async function whileBusy(element, action, onError) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  // aria-disabled and not disabled: a disabled button would lose the keyboard's focus.
  element.setAttribute("aria-disabled", "true");
  try {
    await action();
  } catch (error) {
    if (onError === undefined) throw error;
    onError(error);
  } finally {
    element.removeAttribute("aria-busy");
    element.removeAttribute("aria-disabled");
  }
}

/**
 * Button that copies text to the clipboard and says so.
 * @param {string} text
 * @param {string} what noun of the text, for the button's name: "key", "address"
 * @returns {HTMLButtonElement}
 */
export function copyButton(text, what) {
  const element = button("Copy", async () => {
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers offer the clipboard to secure origins and focused pages alone.
      done = "Not allowed here: select the text and copy it";
    }
    element.textContent = done;
    setTimeout(() => (element.textContent = "Copy"), COPIED_MS);
  }, { small: true, variant: "plain", label: `Copy ${what}` });
  return element;
}

/**
 * Long identifier, shortened to its ends, with the whole text as title and a copy button.
 * @param {string} text
 * @param {string} what
 * @returns {HTMLElement}
 */
export function identifier(text, what) {
  const short = text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
  return h("span", { class: "identifier" }, h("code", { title: text }, short), copyButton(text, what));
}

/**
 * Label of a state: "good", "warn", "bad" or "plain".
 * @param {string} text
 * @param {"good" | "warn" | "bad" | "plain"} [tone]
 */
export function badge(text, tone = "plain") {
  return h("span", { class: `badge ${tone}` }, text);
}

/**
 * Message in a frame; errors are announced at once by screen readers.
 * @param {"info" | "warn" | "error"} tone
 * @param {...Child} children
 */
export function notice(tone, ...children) {
  return h("div", { class: `notice ${tone}`, role: tone === "error" ? "alert" : null }, ...children);
}

/**
 * Paragraph for a list without entries: what is missing, and what to do.
 * @param {string} title
 * @param {string} advice
 * @param {...Child} actions
 */
export function emptyState(title, advice, ...actions) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", {}, advice), ...actions);
}

/**
 * Panel with a heading of the second level.
 * @param {string} title
 * @param {...Child} children
 */
export function panel(title, ...children) {
  const id = uniqueId("panel");
  return h("section", { class: "panel", "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

/**
 * A number that matters, with its name above and a note below.
 * @param {string} name
 * @param {string} value
 * @param {string} note
 */
export function figure(name, value, note) {
  return h("div", { class: "figure" }, h("div", { class: "muted" }, name), h("div", { class: "figure-value" }, value), h("div", { class: "muted" }, note));
}

/**
 * Head of a page: its heading, a sentence, and its buttons. The heading takes the focus after navigation.
 * @param {string} title
 * @param {string} sentence
 * @param {...Child} actions
 */
export function pageHead(title, sentence, ...actions) {
  return h(
    "header",
    { class: "page-head" },
    h("div", {}, h("h1", { tabindex: "-1" }, title), h("p", { class: "muted" }, sentence)),
    h("div", { class: "actions" }, ...actions),
  );
}

/**
 * Terms and their values, one below the other.
 * @param {[string, Child][]} rows
 */
export function terms(rows) {
  return h(
    "dl",
    { class: "terms" },
    ...rows.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]),
  );
}

/**
 * Shows progress in an element until a promise is settled, then its result, or the error in words with a button to retry.
 * @param {Element} root
 * @param {() => Promise<Child>} build
 */
export async function load(root, build) {
  const progress = h("p", { class: "loading", role: "status" }, "Loading…");
  replace(root, progress);
  // The client tries again for a while before it gives up.
  const slow = setTimeout(() => (progress.textContent = "The node has not answered yet. Still trying…"), SLOW_MS);
  try {
    const built = await build();
    replace(root, built);
  } catch (error) {
    replace(root, failure(error), button("Try again", () => load(root, build)));
  } finally {
    clearTimeout(slow);
  }
}

/**
 * An error in words: its message, which says what to do, and the request it belongs to.
 * @param {unknown} error
 */
export function failure(error) {
  const { requestId } = /** @type {{requestId?: unknown}} */ (typeof error === "object" && error !== null ? error : {});
  return notice(
    "error",
    h("p", {}, errorText(error)),
    typeof requestId === "string" && requestId !== "" && h("p", { class: "muted" }, `Request ${requestId}`),
  );
}

/**
 * Returns an error's message.
 * @param {unknown} error
 * @returns {string}
 */
export function errorText(error) {
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
