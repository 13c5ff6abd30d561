// expect: ActionTimeout ActionOutOfMemory ActionCrashed
function main() { function f() { try { new Array(1e7).fill({}); } catch (e) { f(); } } for (;;) f(); }
