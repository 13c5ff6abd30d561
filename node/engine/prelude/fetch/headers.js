// Headers (WHATWG Fetch Standard, section 5.1).
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const headerName = (name) => {
  const text = textOf(name);
  if (!match(TOKEN, text)) throw new TypeError(join(["Invalid header name: ", stringify(text)], ""));
  return toLowerCase(text);
};

/** A trimmed header value of bytes. It may be a secret, so that no error shows it. */
const headerValue = (name, value) => {
  const text = trimmed(textOf(value));
  if (match(/[\0\n\r]|[^\0-\xff]/, text)) throw new TypeError(join(["Invalid value of the header ", name], ""));
  return text;
};

// Doors for Request and Response, which ask nothing of a prototype an action can change.
let headerList;
let headersOf;
let defaultHeader;
let pairsOfHeaders;

class Headers {
  #list = list();

  /** The pairs as they are iterated, until the list changes. */
  #pairs = undefined;

  #immutable = false;

  static {
    headerList = (headers) => headers.#list;
    pairsOfHeaders = (headers) => {
      if (headers.#pairs === undefined) headers.#pairs = headers.#sorted();
      return headers.#pairs;
    };
    defaultHeader = (headers, name, value) => {
      if (headers.#valuesOf(name).length === 0) headers.#append(name, value);
    };
    headersOf = (pairs) => {
      const headers = new Headers();
      for (let i = 0; i < pairs.length; i += 1) {
        append(headers.#list, { __proto__: null, name: toLowerCase(pairs[i][0]), value: pairs[i][1] });
      }
      headers.#immutable = true;
      return headers;
    };
  }

  constructor(init = undefined) {
    if (init === undefined) return;
    if (!isObject(init)) throw new TypeError("Headers are made of an object, pairs or Headers.");
    if (#list in init) {
      for (let i = 0; i < init.#list.length; i += 1) this.#append(init.#list[i].name, init.#list[i].value);
    } else if (init[iteratorSymbol] === undefined || init[iteratorSymbol] === null) this.#fillFromObject(init);
    else {
      eachOf(init, (pair) => {
        const items = typeof pair === "object" && pair !== null ? listOf(pair) : list();
        if (items.length !== 2) throw new TypeError("Headers need pairs of a name and a value.");
        this.#append(items[0], items[1]);
      });
    }
  }

  #fillFromObject(init) {
    const names = ownKeys(init);
    for (let i = 0; i < names.length; i += 1) {
      const property = getOwnPropertyDescriptor(init, names[i]);
      if (property !== undefined && property.enumerable) this.#append(names[i], init[names[i]]);
    }
  }

  #append(name, value) {
    this.#pairs = undefined;
    const lower = headerName(name);
    append(this.#list, { __proto__: null, name: lower, value: headerValue(lower, value) });
  }

  #change() { if (this.#immutable) throw new TypeError("These headers are immutable."); }

  #without(name) {
    this.#pairs = undefined;
    const kept = list();
    for (let i = 0; i < this.#list.length; i += 1) if (this.#list[i].name !== name) append(kept, this.#list[i]);
    this.#list = kept;
  }

  #valuesOf(name) {
    const values = list();
    for (let i = 0; i < this.#list.length; i += 1) if (this.#list[i].name === name) append(values, this.#list[i].value);
    return values;
  }

  /** Pairs as they are iterated: sorted, values of one name together, but for set-cookie. */
  #sorted() {
    const names = new NativeSet();
    for (let i = 0; i < this.#list.length; i += 1) setAdd(names, this.#list[i].name);
    const ordered = list();
    setForEach(names, (name) => { append(ordered, name); });
    arraySort(ordered);
    const pairs = list();
    for (let i = 0; i < ordered.length; i += 1) {
      const values = this.#valuesOf(ordered[i]);
      if (ordered[i] !== "set-cookie") append(pairs, { __proto__: null, name: ordered[i], value: join(values, ", ") });
      else for (let j = 0; j < values.length; j += 1) append(pairs, { __proto__: null, name: ordered[i], value: values[j] });
    }
    return pairs;
  }

  append(name, value) {
    needArguments(arguments.length, 2);
    this.#change();
    this.#append(name, value);
  }

  delete(name) {
    needArguments(arguments.length, 1);
    const lower = headerName(name);
    this.#change();
    this.#without(lower);
  }

  get(name) {
    needArguments(arguments.length, 1);
    const values = this.#valuesOf(headerName(name));
    return values.length === 0 ? null : join(values, ", ");
  }

  getSetCookie() { return setPrototypeOf(this.#valuesOf("set-cookie"), arrayPrototype); }

  has(name) {
    needArguments(arguments.length, 1);
    return this.#valuesOf(headerName(name)).length > 0;
  }

  set(name, value) {
    needArguments(arguments.length, 2);
    const lower = headerName(name);
    const text = headerValue(lower, value);
    this.#change();
    this.#pairs = undefined;
    let placed = false;
    const kept = list();
    for (let i = 0; i < this.#list.length; i += 1) {
      if (this.#list[i].name !== lower) append(kept, this.#list[i]);
      else if (!placed) {
        append(kept, { __proto__: null, name: lower, value: text });
        placed = true;
      }
    }
    if (!placed) append(kept, { __proto__: null, name: lower, value: text });
    this.#list = kept;
  }
}
iterableAs(Headers, pairsOfHeaders);
