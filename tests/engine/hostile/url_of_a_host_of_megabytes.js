// expect: ok ["TypeError","TypeError","TypeError","TypeError"]
async function main() {
  const hosts = ['\u00e9'.repeat(1100), '\u00e9'.repeat(100000), '\u00e9'.repeat(1000000), 'xn--' + 'a9'.repeat(100000) + '.\u00e9'];
  return hosts.map((host) => { try { return new URL(`http://${host}/`).host.length; } catch (e) { return e.name; } });
}
