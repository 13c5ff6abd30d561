// Bundles ethers v5 and v6 from the locked packages, with curve and hashes of the worker.
//   node build.mjs           writes ethers.js and ethers6.js
//   node build.mjs --check   exit 1 when a committed bundle is not what the packages give
// A bundle is a function expression that takes the native functions and returns the library.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../..");
const packages = path.join(root, "node_modules");
const esbuild = path.join(packages, "@esbuild/linux-x64/bin/esbuild");

const manifest = (name) => JSON.parse(readFileSync(path.join(packages, name, "package.json"), "utf8"));

const BUNDLES = {
  ethers: {
    replacements: {
      "@ethersproject/bytes": "./shims/ethersproject_bytes.js",
      "ethersproject-bytes-parts": path.join(packages, "@ethersproject/bytes/lib.esm"),
      "@ethersproject/hash": "./shims/ethersproject_hash.js",
      "@ethersproject/pbkdf2": "./shims/ethersproject_pbkdf2.js",
      "@ethersproject/signing-key": "./shims/ethersproject_signing_key.js",
      "ethersproject-hash-parts": path.join(packages, "@ethersproject/hash/lib.esm"),
      "hash.js": "./shims/hash_js.js",
      "js-sha3": "./shims/js_sha3.js",
    },
    defines: { SIGNING_KEY_VERSION: `"signing-key/${manifest("@ethersproject/signing-key").version}"` },
  },
  ethers6: {
    replacements: {
      "@noble/curves/secp256k1": "./shims/noble_secp256k1.js",
      "@noble/hashes/hmac": "./shims/noble_hashes.js",
      "@noble/hashes/pbkdf2": "./shims/noble_hashes.js",
      "@noble/hashes/sha256": "./shims/noble_hashes.js",
      "@noble/hashes/sha3": "./shims/noble_hashes.js",
      "@noble/hashes/sha512": "./shims/noble_hashes.js",
    },
    defines: {},
  },
};

// Names are kept for actions that read `constructor.name`, and for reviewers of a bundle. Without
// --tsconfig-raw the options of the project's jsconfig.json would change the bundles.
const OPTIONS = [
  "--bundle", "--keep-names", "--format=iife", "--global-name=library", "--platform=browser", "--target=es2022", "--charset=ascii",
  "--main-fields=browser,module,main", "--minify-whitespace", "--minify-syntax", "--line-limit=120",
  "--legal-comments=none", "--preserve-symlinks", "--tsconfig-raw={}", "--log-level=warning", "--define:global=globalThis", "--define:self=globalThis",
];

function fail(message) {
  console.error(message);
  process.exit(1);
}

function run(name, { replacements, defines }, folder) {
  const outputs = { code: path.join(folder, `${name}.js`), metafile: path.join(folder, `${name}.json`) };
  const aliases = Object.entries(replacements).map(([from, to]) => `--alias:${from}=${to}`);
  const constants = Object.entries(defines).map(([key, value]) => `--define:${key}=${value}`);
  const files = [`--outfile=${outputs.code}`, `--metafile=${outputs.metafile}`];
  execFileSync(esbuild, [...OPTIONS, ...aliases, ...constants, ...files], { cwd: here, input: `export * from "${name}";` });
  const { inputs } = Object.values(JSON.parse(readFileSync(outputs.metafile, "utf8")).outputs)[0];
  const used = Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0);
  return { code: readFileSync(outputs.code, "utf8"), used };
}

/** The folders of the packages a bundle has code of, relative to node_modules. */
function packagesOf(used) {
  const nested = used.map((input) => input.match(/node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//)?.[1]);
  return [...new Set(nested.filter((name) => name !== undefined))].sort();
}

function licenceOf(folder) {
  const name = readdirSync(path.join(packages, folder)).find((file) => /^licen[cs]e/i.test(file));
  const text = name ? readFileSync(path.join(packages, folder, name), "utf8") : `Licence: ${manifest(folder).license}`;
  // Plain quotes, since a letter beyond Latin-1 would double the bundle's memory in Python.
  const plain = text.replace(/[\u201c\u201d]/g, '"').trim();
  if (plain.includes("*/") || /[^\x00-\x7f]/.test(plain)) fail(`The licence of ${folder} cannot stand in a comment.`);
  return plain;
}

/** What the bundle is made of, and the licences that ask to be kept with it. */
function header(used) {
  const byText = new Map();
  for (const folder of packagesOf(used)) {
    const title = `${manifest(folder).name} ${manifest(folder).version}`;
    byText.set(licenceOf(folder), [...(byText.get(licenceOf(folder)) ?? []), title]);
  }
  const sections = [...byText].map(([text, titles]) => `${titles.join(", ")}:\n\n${text}`);
  return `/* Made by build.mjs, not by hand. Contains:\n\n${sections.join("\n\n")}\n*/\n`;
}

function bundle(name, recipe, folder) {
  const { code, used } = run(name, recipe, folder);
  const whole = used.filter((input) => /\/(elliptic(\.js)?|hash\.js|js-sha3|curves)(\/|$)/.test(input));
  if (whole.length > 0) fail(`${name} still contains what native functions stand for: ${whole.join(", ")}`);
  return `${header(used)}((natives) => {\n${code}return library;\n})\n`;
}

const folder = mkdtempSync(path.join(tmpdir(), "bundle-"));
try {
  for (const [name, recipe] of Object.entries(BUNDLES)) {
    const built = bundle(name, recipe, folder);
    const committed = path.join(here, `${name}.js`);
    if (!process.argv.includes("--check")) writeFileSync(committed, built);
    else if (!existsSync(committed) || readFileSync(committed, "utf8") !== built) {
      fail(`${committed} is not what the packages give: run \`make libraries\` and commit it.`);
    }
    console.log(`${name}: ${built.length} bytes`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
