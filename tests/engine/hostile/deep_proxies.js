// expect: RangeError ActionTimeout
function main() { let p = {}; for (let i = 0; i < 1e5; i += 1) p = new Proxy(p, {}); return p.x; }
