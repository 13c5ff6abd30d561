// expect: ActionTimeout ActionOutOfMemory
function main() { const again = () => { setTimeout(again); setTimeout(again); }; again(); return new Promise(() => {}); }
