// expect: ActionCrashed
async function main() { for (;;) { const c = new AbortController(); fetch('http://h/', { signal: c.signal }).catch(() => {}); c.abort(); } }
