// expect: NotJson RangeError ActionResponseLimit
function main() { let v = 1; for (let i = 0; i < 1e5; i += 1) v = [v]; return v; }
