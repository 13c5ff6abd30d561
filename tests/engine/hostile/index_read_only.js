// expect: Own
Object.defineProperty(Object.prototype, '0', { value: 1 });
function main() { throw Object.assign(new Error('mine'), { name: 'Own' }); }
