// expect: ok []
async function main() {
  const makers = [
    () => eval('1'), () => (0, eval)('1'), () => globalThis.eval('1'), () => Function('return 1')(), () => new Function('return 1')(),
    () => (() => {}).constructor('return 1')(), () => (async () => {}).constructor('return 1')(),
    () => (function* () {}).constructor('yield 1')(), () => (async function* () {}).constructor('yield 1')(),
    () => console.log.constructor('return 1')(), () => Svc.Actions.signMessage.constructor('return 1')(),
    () => Reflect.construct(Function, ['return 1'])(), () => Object.getPrototypeOf(main).constructor('return 1')(),
    () => setTimeout('1'), () => class extends Function {}.constructor('return 1')(),
    () => new (class extends Function {})('return 1')(),
  ];
  const worked = [];
  for (const maker of makers) {
    try { worked.push(`${maker}: ${await maker()}`); } catch (e) { if (!(e instanceof EvalError) && !(e instanceof TypeError)) worked.push(String(e)); }
  }
  return worked;
}
