// Bundles ethers v5 and v6 from the locked packages, with curve and hashes of the worker, and the
// streams that are part of the prelude.
//   node build.mjs           writes ethers.js, ethers6.js and streams.js
//   node build.mjs --check   exit 1 when a committed bundle is not what the packages give
// A bundle is a function expression that returns the library; those of ethers take the native
// functions.
import path from "node:path";
import { fileURLToPath } from "node:url";

import { bundle, fail, header, manifest, packages, writeOrCheck } from "../../../tools/bundling.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

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

const OPTIONS = ["--format=iife", "--global-name=library", "--define:global=globalThis", "--define:self=globalThis"];
// Names are kept for actions that read `constructor.name`, and for reviewers of a bundle.
const NAMED = ["--keep-names", ...OPTIONS];

for (const [name, { replacements, defines }] of Object.entries(BUNDLES)) {
  const aliases = Object.entries(replacements).map(([from, to]) => `--alias:${from}=${to}`);
  const constants = Object.entries(defines).map(([key, value]) => `--define:${key}=${value}`);
  const { code, used } = bundle(here, `export * from "${name}";`, [...NAMED, ...aliases, ...constants]);
  const whole = used.filter((input) => /\/(elliptic(\.js)?|hash\.js|js-sha3|curves)(\/|$)/.test(input));
  if (whole.length > 0) fail(`${name} still contains what native functions stand for: ${whole.join(", ")}`);
  writeOrCheck(path.join(here, `${name}.js`), `${header(used)}((natives) => {\n${code}return library;\n})\n`);
}

/**
 * The code with its members `_name` under symbols. JSON, console.log and Object.keys then show none
 * of them, as of the web's own objects.
 */
function withHiddenMembers(code) {
  const names = new Set();
  const symbolOf = (name) => {
    names.add(name);
    return `hidden_${name}`;
  };
  const hidden = code
    .replace(/\\\n/g, "") // which the limit of lines puts into texts
    .replace(/(\?)?\.\s*_([a-z]\w*)/gi, (_, optional, name) => `${optional ? "?." : ""}[${symbolOf(name)}]`)
    .replace(/([{,]\s*)_([a-z]\w*):/gi, (_, before, name) => `${before}[${symbolOf(name)}]:`)
    .replace(/"_([a-z]\w*)"/gi, (_, name) => symbolOf(name))
    .replace(/([{}]\s*)_([a-z]\w*)(?=\()/gi, (found, before, name) => (names.has(name) ? `${before}[${symbolOf(name)}]` : found));
  const left = hidden.match(/[^\w$]_[a-z]\w{3,}/i);
  if (left) fail(`streams.js has a member that is not hidden: ${left[0]}`);
  return `const ${[...names].sort().map((name) => `hidden_${name}=Symbol("${name}")`).join(",\n")};\n${hidden}`;
}

const STREAMS = 'export * from "web-streams-polyfill"; export const isDisturbed = (stream) => stream._disturbed;';
const streams = bundle(here, STREAMS, OPTIONS);
writeOrCheck(path.join(here, "streams.js"), `${header(streams.used)}(() => {\n${withHiddenMembers(streams.code)}return library;\n})\n`);
