// expect: ok ["refused","refused","refused"]
async function main() {
  const seen = [];
  for (const name of ['os', 'std', '/etc/passwd']) await import(name).then(() => seen.push('loaded'), () => seen.push('refused'));
  return seen;
}
