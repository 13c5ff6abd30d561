// FormData (XMLHttpRequest Standard, section 5).
let formEntries;
let formOf;
let isForm;

const formText = (value) => toWellFormed(textOf(value));

/** A File for a Blob in a form, with the name that was given, its own, or "blob". */
const fileOfEntry = (blob, given) => {
  if (isFile(blob)) return given === undefined ? blob : fileFrom(blobBytes(blob), blobType(blob), given, fileModified(blob));
  return fileFrom(blobBytes(blob), blobType(blob), given === undefined ? "blob" : given, now());
};

/** An entry from the arguments of `append` and `set`. */
const entryOf = (args) => {
  needArguments(args.length, 2);
  const name = formText(args[0]);
  if (isBlob(args[1])) {
    return { __proto__: null, name, value: fileOfEntry(args[1], args.length > 2 && args[2] !== undefined ? formText(args[2]) : undefined) };
  }
  if (args.length > 2) throw new TypeError("Only a Blob has a file name.");
  return { __proto__: null, name, value: formText(args[1]) };
};

class FormData {
  #entries = list();

  static {
    isForm = (value) => typeof value === "object" && value !== null && #entries in value;
    formEntries = (form) => form.#entries;
    formOf = (entries) => {
      const form = new FormData();
      form.#entries = entries;
      return form;
    };
  }

  constructor(form = undefined) {
    if (form !== undefined) throw new TypeError("FormData takes no form: an action has no document.");
  }

  #matching(name) {
    const wanted = formText(name);
    const found = list();
    for (let i = 0; i < this.#entries.length; i += 1) if (this.#entries[i].name === wanted) append(found, this.#entries[i].value);
    return found;
  }

  /** Removes the entries of a name. `entry`, if any, takes the place of the first, else the last. */
  #put(name, entry) {
    const kept = list();
    let placed = entry === undefined;
    for (let i = 0; i < this.#entries.length; i += 1) {
      if (this.#entries[i].name !== name) append(kept, this.#entries[i]);
      else if (!placed) {
        append(kept, entry);
        placed = true;
      }
    }
    if (!placed) append(kept, entry);
    this.#entries = kept;
  }

  append(name, value, filename = undefined) { append(this.#entries, entryOf(arguments)); }

  set(name, value, filename = undefined) {
    const entry = entryOf(arguments);
    this.#put(entry.name, entry);
  }

  delete(name) {
    needArguments(arguments.length, 1);
    this.#put(formText(name), undefined);
  }

  get(name) {
    needArguments(arguments.length, 1);
    const found = this.#matching(name);
    return found.length === 0 ? null : found[0];
  }

  getAll(name) {
    needArguments(arguments.length, 1);
    return setPrototypeOf(this.#matching(name), arrayPrototype);
  }

  has(name) {
    needArguments(arguments.length, 1);
    return this.#matching(name).length > 0;
  }
}
iterableAs(FormData, formEntries);
