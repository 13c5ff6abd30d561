// expect: ok true
function main() {
  const controller = new AbortController();
  let last = controller.signal;
  for (let i = 0; i < 20000; i += 1) last = AbortSignal.any([last]);
  controller.abort();
  return last.aborted;
}
