// expect: NotJson
function main() { let v = 1; for (let i = 0; i < 101; i += 1) v = [v]; return v; }
