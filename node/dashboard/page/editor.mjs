/** Editor of code: a text area with line numbers, a mark at the line of an error, and indentation by the Tab key. */

import { h } from "./dom.mjs";
import { textField } from "./form.mjs";

const INDENT = "  ";

/**
 * @typedef {import("./form.mjs").TextField & {
 *   control: HTMLTextAreaElement,
 *   mark: (line: number) => void,
 *   goTo: (line: number, column?: number) => void,
 * }} Editor `mark` shows a line as that of an error, until the text is edited; `goTo` puts the cursor there. Lines and columns
 * count from 1.
 */

/**
 * Builds an editor. Tab indents; Escape and then Tab, or Shift and Tab, leave it.
 * @param {import("./form.mjs").TextOptions} options
 * @returns {Editor}
 */
export function codeEditor(options) {
  const help = "Tab indents; Escape and then Tab leave the editor.";
  const field = textField({ rows: 16, ...options, code: true, help: options.help === undefined ? help : `${options.help} ${help}` });
  const area = /** @type {HTMLTextAreaElement} */ (field.element.querySelector("textarea"));
  area.wrap = "off";
  area.setAttribute("autocapitalize", "off");
  const numbers = h("div", { class: "editor-numbers", "aria-hidden": "true" });
  const band = h("div", { class: "editor-band", hidden: true });
  const frame = h("div", { class: "editor" });
  area.replaceWith(frame);
  frame.append(numbers, h("div", { class: "editor-text" }, band, area));
  let lines = 0;
  let marked = 0;

  function place() {
    numbers.scrollTop = area.scrollTop;
    band.style.top = `${(marked - 1) * lineHeight(area) + paddingTop(area) - area.scrollTop}px`;
  }
  function number() {
    const count = area.value.split("\n").length;
    if (count !== lines) numbers.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
    lines = count;
    place();
  }
  area.addEventListener("scroll", place);
  area.addEventListener("input", () => {
    band.hidden = true;
    number();
  });
  indentByKeys(area);
  number();

  return {
    ...field,
    control: area,
    mark: (line) => {
      marked = Math.min(Math.max(1, line), lines);
      band.hidden = false;
      area.scrollTop = (marked - 1) * lineHeight(area) - area.clientHeight / 2;
      place();
    },
    goTo: (line, column = 1) => {
      const before = area.value.split("\n").slice(0, line - 1);
      const at = before.reduce((total, each) => total + each.length + 1, 0) + column - 1;
      area.focus();
      area.setSelectionRange(at, at);
      area.scrollTop = (line - 1) * lineHeight(area) - area.clientHeight / 2;
    },
  };
}

/** @param {HTMLTextAreaElement} area */
function lineHeight(area) {
  return Number.parseFloat(getComputedStyle(area).lineHeight);
}

/** @param {HTMLTextAreaElement} area */
function paddingTop(area) {
  return Number.parseFloat(getComputedStyle(area).paddingTop);
}

/** @param {HTMLTextAreaElement} area */
function indentByKeys(area) {
  // The keyboard must find a way out: after Escape the next Tab moves the focus.
  let leaving = false;
  area.addEventListener("blur", () => {
    leaving = false;
  });
  area.addEventListener("keydown", (event) => {
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey && !event.isComposing;
    if (event.key === "Tab" && plain && !leaving) {
      event.preventDefault();
      indent(area);
    } else if (event.key === "Enter" && plain) {
      const line = area.value.slice(0, area.selectionStart).split("\n").at(-1) ?? "";
      const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
      if (indentation !== "") {
        event.preventDefault();
        insert(area, `\n${indentation}`);
      }
    }
    leaving = event.key === "Escape" || (leaving && event.key === "Shift");
  });
}

/** @param {HTMLTextAreaElement} area */
function indent(area) {
  const { selectionStart, selectionEnd, value } = area;
  if (!value.slice(selectionStart, selectionEnd).includes("\n")) {
    insert(area, INDENT);
    return;
  }
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  area.setSelectionRange(start, selectionEnd);
  const indented = value.slice(start, selectionEnd).replace(/^(?=.)/gm, INDENT);
  insert(area, indented);
  area.setSelectionRange(start, start + indented.length);
}

/**
 * Types text in place of the selection.
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 */
function insert(area, text) {
  // The command is old, and the only one that the browser can undo.
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}
