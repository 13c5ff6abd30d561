// expect: ActionCrashed
async function main() { for (;;) fetch('http://h/').catch(() => {}); }
