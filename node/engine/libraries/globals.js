// `ethers` and `ethers6`: known by name from the start, evaluated when first asked for.
// Evaluated before the prelude.
(() => {
  "use strict";
  const { defineProperty, freeze } = Object;
  const take = (name) => {
    const value = globalThis[name];
    delete globalThis[name];
    return value;
  };
  const load = take("loadLibrary");
  const natives = { __proto__: null };
  for (const name of NATIVES) natives[name] = take(name);
  freeze(natives);

  const offer = (name) => {
    const settle = (value) => {
      defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
      return value;
    };
    const get = () => settle(load(name)(natives));
    defineProperty(globalThis, name, { get, set: settle, configurable: true, enumerable: false });
  };
  for (const name of LIBRARIES) offer(name);
})();
