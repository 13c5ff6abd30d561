// expect: TypeError
async function main() { const c = new AbortController(); c.signal.addEventListener('abort', () => null.x); c.abort(); await new Promise(() => {}); }
