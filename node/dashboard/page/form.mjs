/** Form fields with labels, descriptions and errors, and the form that holds them. */

import { button, failure, h, replace, uniqueId, whileBusy } from "./dom.mjs";

/** @typedef {import("./dom.mjs").Child} Child */

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => string | null} check returns an error in words, null for none
 * @property {(error: string) => void} fail shows an error
 */

/** @typedef {Field & {value: () => string, set: (value: string) => void}} TextField */

/**
 * @typedef {object} TextOptions
 * @property {string} label
 * @property {string} [help]
 * @property {string} [value]
 * @property {boolean} [required]
 * @property {number} [maxBytes] most bytes of UTF-8
 * @property {string} [type] of the input: text, password, number, date
 * @property {string} [autocomplete]
 * @property {string} [placeholder]
 * @property {string} [min]
 * @property {string} [max]
 * @property {string} [step]
 * @property {number} [rows] makes it a text area
 * @property {boolean} [code] shown in a fixed font
 * @property {(value: string) => string | null} [check] returns an error in words, null for none
 */

/**
 * Builds a labelled text field or area.
 * @param {TextOptions} options
 * @returns {TextField}
 */
export function textField(options) {
  const id = uniqueId("field");
  const attributes = {
    id,
    required: options.required,
    autocomplete: options.autocomplete ?? "off",
    spellcheck: "false",
    placeholder: options.placeholder,
    class: options.code ? "code" : null,
  };
  const input = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (
    options.rows === undefined
      ? h("input", { ...attributes, type: options.type ?? "text", min: options.min, max: options.max, step: options.step })
      : h("textarea", { ...attributes, rows: options.rows })
  );
  input.value = options.value ?? "";
  const described = labelled(id, input, options);

  function check() {
    const value = input.value;
    // A date or a number that cannot be read has an empty value, which must not pass as "none".
    if (input.validity.badInput) return "This cannot be read.";
    if (options.required && value.trim() === "") return "This is needed.";
    const bytes = new TextEncoder().encode(value).length;
    if (options.maxBytes !== undefined && bytes > options.maxBytes) {
      return `At most ${options.maxBytes} bytes; this has ${bytes}.`;
    }
    return options.check?.(value) ?? null;
  }

  return {
    element: described.element,
    value: () => input.value,
    set: (value) => {
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
    check,
    fail: described.fail,
  };
}

/**
 * Label, control, help and error of a field, tied together for screen readers.
 * @param {string} id
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @param {{label: string, help?: string | undefined, required?: boolean | undefined}} options
 */
function labelled(id, control, { label, help, required }) {
  const helpId = uniqueId("help");
  const errorId = uniqueId("error");
  const error = h("p", { class: "field-error", id: errorId, "aria-live": "polite" });
  control.setAttribute("aria-describedby", `${help === undefined ? "" : helpId} ${errorId}`.trim());
  control.addEventListener("input", () => {
    control.removeAttribute("aria-invalid");
    error.textContent = "";
  });
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label, required === true && h("span", { class: "muted" }, " (needed)")),
    help !== undefined && h("p", { class: "help", id: helpId }, help),
    control,
    error,
  );
  /** @param {string} text */
  function fail(text) {
    error.textContent = text;
    control.setAttribute("aria-invalid", "true");
    control.focus();
  }
  return { element, fail };
}

/**
 * Builds a labelled choice of one of several values.
 * @param {{label: string, help?: string, value?: string, required?: boolean, choices: readonly {value: string, label: string}[]}} options
 * @returns {TextField}
 */
export function selectField(options) {
  const id = uniqueId("field");
  const select = /** @type {HTMLSelectElement} */ (
    h("select", { id }, ...options.choices.map((each) => h("option", { value: each.value }, each.label)))
  );
  if (options.value !== undefined) select.value = options.value;
  const described = labelled(id, select, options);
  return {
    element: described.element,
    value: () => select.value,
    set: (value) => {
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    },
    check: () => (options.required && select.value === "" ? "Choose one." : null),
    fail: described.fail,
  };
}

/**
 * Builds a labelled check box.
 * @param {{label: string, help?: string, checked?: boolean}} options
 * @returns {Field & {checked: () => boolean}}
 */
export function checkField({ label, help, checked = false }) {
  const id = uniqueId("field");
  const helpId = uniqueId("help");
  const input = /** @type {HTMLInputElement} */ (
    h("input", { id, type: "checkbox", "aria-describedby": help === undefined ? null : helpId })
  );
  input.checked = checked;
  const element = h(
    "div",
    { class: "check" },
    input,
    h("div", {}, h("label", { for: id }, label), help !== undefined && h("p", { class: "help", id: helpId }, help)),
  );
  return { element, checked: () => input.checked, check: () => null, fail: () => input.focus() };
}

/**
 * Builds a list of check boxes under one title. `every` is the value of a wildcard that stands first; while it is checked the
 * others keep their state, since they mean something else on chain than the wildcard.
 * @param {{title: string, help?: string, choices: readonly {value: string, label: string, help?: string}[],
 *   chosen: readonly string[], none: string}} options `none` says what to do when there is no choice
 * @returns {Field & {values: () => string[]}}
 */
export function checkList({ title, help, choices, chosen, none }) {
  const boxes = choices.map((choice) => ({
    value: choice.value,
    label: choice.label,
    field: checkField({
      label: choice.label,
      checked: chosen.includes(choice.value),
      ...(choice.help === undefined ? {} : { help: choice.help }),
    }),
  }));
  const search = textField({ label: `Search ${title.toLowerCase()}`, type: "search" });
  search.element.addEventListener("input", () => {
    const wanted = search.value().trim().toLowerCase();
    for (const box of boxes) box.field.element.hidden = !box.label.toLowerCase().includes(wanted);
  });
  const element = h(
    "fieldset",
    {},
    h("legend", {}, title),
    help !== undefined && h("p", { class: "help" }, help),
    boxes.length > 8 && search.element,
    h("div", { class: "check-list" }, ...boxes.map((box) => box.field.element)),
    boxes.length === 0 && h("p", { class: "muted" }, none),
  );
  return {
    element,
    values: () => boxes.filter((box) => box.field.checked()).map((box) => box.value),
    check: () => null,
    fail: () => undefined,
  };
}

/**
 * Builds a form. On submit every field is checked; the first error takes the focus, otherwise `submit` runs with progress,
 * and its error is shown below the fields.
 * @param {{fields: (Field | HTMLElement)[], label: string, submit: () => Promise<unknown>, cancel?: () => void,
 *   split?: boolean}} options `split`: in two columns where there is room
 * @returns {HTMLFormElement}
 */
export function form({ fields, label, submit, cancel, split = false }) {
  const message = h("div", { class: "message" });
  const send = /** @type {HTMLButtonElement} */ (h("button", { type: "submit", class: "button primary" }, label));
  const element = /** @type {HTMLFormElement} */ (
    h(
      "form",
      { novalidate: true, class: split ? "stack split" : "stack" },
      ...fields.map((field) => (field instanceof HTMLElement ? field : field.element)),
      message,
      h("div", { class: "actions end" }, cancel !== undefined && button("Cancel", cancel), send),
    )
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    message.replaceChildren();
    for (const field of fields) {
      if (field instanceof HTMLElement) continue;
      const error = field.check();
      if (error !== null) {
        field.fail(error);
        return;
      }
    }
    void whileBusy(send, submit, (error) => replace(message, failure(error)));
  });
  return element;
}
