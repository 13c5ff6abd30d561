// expect: ActionCrashed
function main() { return JSON.rawJSON('1'.repeat(5000)); }
