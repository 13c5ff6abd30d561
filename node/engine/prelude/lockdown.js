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

// A place of a stack tells its name, not the function itself: that of `evaluate` would make code of any text, and those of this
// prelude are not meant for an action. Shown once, a place leads to what all have in common.
Error.prepareStackTrace = (_, places) => places;
delete getPrototypeOf(new NativeError("").stack[0]).getFunction;
Error.prepareStackTrace = undefined;
