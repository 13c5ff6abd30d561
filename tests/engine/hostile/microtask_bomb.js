// expect: ActionTimeout
function main() { const again = () => queueMicrotask(again); again(); return new Promise(() => {}); }
