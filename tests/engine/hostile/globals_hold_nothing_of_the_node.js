// expect: ok []
function main() {
  const names = new Set();
  for (let o = globalThis; o !== null; o = Object.getPrototypeOf(o)) Reflect.ownKeys(o).forEach((key) => names.add(String(key)));
  return ['emit', 'randomHex', 'bridge', 'process', 'require', 'module', 'std', 'os', 'scriptArgs', 'print', '__loadScript', 'Worker', 'WebAssembly', 'gc'].filter((name) => names.has(name));
}
