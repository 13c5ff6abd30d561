// expect: ActionTimeout
function main() { const a = []; a[4294967290] = 1; return a.indexOf(5); }
