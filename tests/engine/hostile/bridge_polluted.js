// expect: ok {"random":true,"uuid":36,"text":"é","logged":true}
for (const key of ['id', 'name', 'resolve', 'due', 'callback', 'code', 'params']) {
  Object.defineProperty(Object.prototype, key, { configurable: true, set() { throw new Error('polluted'); }, get() { return 'polluted'; } });
}
Array.prototype.push = Array.prototype.join = Array.prototype.map = () => { throw new Error('polluted'); };
Array.prototype[Symbol.iterator] = () => { throw new Error('polluted'); };
String.prototype.replace = String.prototype.slice = String.prototype.split = RegExp.prototype.exec = () => { throw new Error('polluted'); };
Map.prototype.get = Map.prototype.set = Map.prototype.forEach = () => { throw new Error('polluted'); };
JSON.stringify = JSON.parse = () => { throw new Error('polluted'); };
Promise.prototype.then = () => { throw new Error('polluted'); };
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error('polluted'); };
Math.max = Math.min = Math.ceil = Date.now = () => NaN;
function main() {
  console.log('still', 'here');
  const text = new TextDecoder().decode(new TextEncoder().encode('é'));
  return { random: Math.random() < 1, uuid: crypto.randomUUID().length, text, logged: true };
}
