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

// A stack's place must not return its function: `evaluate` would run any text, and the prelude's
// functions are not for actions. One place is enough to remove the getter for all.
Error.prepareStackTrace = (_, places) => places;
delete getPrototypeOf(new Error("").stack[0]).getFunction;
Error.prepareStackTrace = undefined;
