// Text never becomes code inside an action: what runs is exactly what its CID names.
const refuse = (name) => function refused() {
  throw new EvalError(join([name, " is not available in an action: code cannot be made from text."], ""));
};

for (const [name, sample] of [
  ["Function", function () {}], ["AsyncFunction", async function () {}],
  ["GeneratorFunction", function* () {}], ["AsyncGeneratorFunction", async function* () {}],
]) {
  const prototype = getPrototypeOf(sample);
  const stand = refuse(name);
  defineProperty(stand, "prototype", { value: prototype, writable: false });
  defineProperty(prototype, "constructor", { value: stand, writable: false, configurable: false });
  if (name === "Function") expose(name, stand);
}
expose("eval", refuse("eval"));

// The lengths of bytes are read through these, here and in the libraries, so that no action may
// replace them.
for (const [prototype, names] of [
  [TypedArray.prototype, ["buffer", "byteLength", "byteOffset", "length"]],
  [ArrayBuffer.prototype, ["byteLength"]],
  [DataView.prototype, ["buffer", "byteLength", "byteOffset"]],
]) for (const name of names) defineProperty(prototype, name, { __proto__: null, configurable: false });

// A stack's place must not return its function: `evaluate` would run any text, and the prelude's
// functions are not for actions. One place is enough to remove the getter for all.
Error.prepareStackTrace = (_, places) => places;
delete getPrototypeOf(new Error("").stack[0]).getFunction;
Error.prepareStackTrace = undefined;
