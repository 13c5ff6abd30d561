// URLSearchParams (WHATWG URL Standard, section 6.2).
const wellFormed = (value) => toWellFormed(textOf(value));

/** Own pairs of any init but a text: a sequence of pairs, or the properties of an object. */
const pairsOf = (init) => {
  const pairs = list();
  const method = init[iteratorSymbol];
  if (method !== undefined && method !== null) {
    eachOf(init, (pair) => {
      const items = typeof pair === "object" && pair !== null ? listOf(pair) : list();
      if (items.length !== 2) throw new TypeError("URLSearchParams needs pairs of a name and a value.");
      append(pairs, { __proto__: null, name: wellFormed(items[0]), value: wellFormed(items[1]) });
    });
    return pairs;
  }
  const names = ownKeys(init);
  const places = new NativeMap();
  for (let i = 0; i < names.length; i += 1) {
    const property = getOwnPropertyDescriptor(init, names[i]);
    if (property === undefined || !property.enumerable) continue;
    const name = wellFormed(names[i]);
    const value = wellFormed(init[names[i]]);
    // Names that are equal after their conversion are one, with the last value.
    if (mapHas(places, name)) pairs[mapGet(places, name)].value = value;
    else {
      mapSet(places, name, pairs.length);
      append(pairs, { __proto__: null, name, value });
    }
  }
  return pairs;
};

const initialPairs = (init) => {
  if ((typeof init === "object" && init !== null) || typeof init === "function") return pairsOf(init);
  const text = wellFormed(init);
  return parseForm(text[0] === "?" ? substring(text, 1) : text);
};

// Doors to the private fields, for URL and for fetch.
let paramsOfUrl;
let replacePairs;
let isParams;
let paramsText;
let pairsOfParams;

class URLSearchParams {
  #pairs;

  #changed = undefined;

  constructor(init = "") { this.#pairs = initialPairs(init); }

  /** Params of a URL, which hears of every change. */
  static {
    paramsOfUrl = (query, changed) => {
      const params = new URLSearchParams();
      params.#pairs = parseForm(query);
      params.#changed = changed;
      return params;
    };
    replacePairs = (params, query) => { params.#pairs = parseForm(query); };
    isParams = (value) => typeof value === "object" && value !== null && #pairs in value;
    paramsText = (params) => serializeForm(params.#pairs);
    pairsOfParams = (params) => params.#pairs;
  }

  #keep(kept) {
    const pairs = list();
    for (let i = 0; i < this.#pairs.length; i += 1) if (kept(this.#pairs[i])) append(pairs, this.#pairs[i]);
    this.#pairs = pairs;
  }

  #tell() { if (this.#changed !== undefined) this.#changed(serializeForm(this.#pairs)); }

  get size() { return this.#pairs.length; }

  append(name, value) {
    needArguments(arguments.length, 2);
    append(this.#pairs, { __proto__: null, name: wellFormed(name), value: wellFormed(value) });
    this.#tell();
  }

  delete(name, value = undefined) {
    needArguments(arguments.length, 1);
    const wanted = wellFormed(name);
    const only = value === undefined ? undefined : wellFormed(value);
    this.#keep((pair) => pair.name !== wanted || (only !== undefined && pair.value !== only));
    this.#tell();
  }

  get(name) {
    needArguments(arguments.length, 1);
    const wanted = wellFormed(name);
    for (let i = 0; i < this.#pairs.length; i += 1) if (this.#pairs[i].name === wanted) return this.#pairs[i].value;
    return null;
  }

  getAll(name) {
    needArguments(arguments.length, 1);
    const wanted = wellFormed(name);
    const values = list();
    for (let i = 0; i < this.#pairs.length; i += 1) if (this.#pairs[i].name === wanted) append(values, this.#pairs[i].value);
    return setPrototypeOf(values, arrayPrototype);
  }

  has(name, value = undefined) {
    needArguments(arguments.length, 1);
    const wanted = wellFormed(name);
    const only = value === undefined ? undefined : wellFormed(value);
    for (let i = 0; i < this.#pairs.length; i += 1) {
      if (this.#pairs[i].name === wanted && (only === undefined || this.#pairs[i].value === only)) return true;
    }
    return false;
  }

  set(name, value) {
    needArguments(arguments.length, 2);
    const pair = { __proto__: null, name: wellFormed(name), value: wellFormed(value) };
    let placed = false;
    const pairs = list();
    for (let i = 0; i < this.#pairs.length; i += 1) {
      const same = this.#pairs[i].name === pair.name;
      if (!same) append(pairs, this.#pairs[i]);
      else if (!placed) append(pairs, pair);
      placed = placed || same;
    }
    if (!placed) append(pairs, pair);
    this.#pairs = pairs;
    this.#tell();
  }

  sort() {
    arraySort(this.#pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#tell();
  }

  toString() { return serializeForm(this.#pairs); }
}
iterableAs(URLSearchParams, pairsOfParams);
