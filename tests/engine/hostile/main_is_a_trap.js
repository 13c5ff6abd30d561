// expect: ActionTimeout
Object.defineProperty(globalThis, 'main', { get() { for (;;); } });
