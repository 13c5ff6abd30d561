// Bundles modules of the locked npm packages with esbuild, and states what a bundle contains.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const packages = path.join(root, "node_modules");
const esbuild = path.join(packages, "@esbuild/linux-x64/bin/esbuild");

// Without --tsconfig-raw the options of the project's jsconfig.json would change the bundles.
const OPTIONS = [
  "--bundle", "--platform=browser", "--target=es2022", "--charset=ascii", "--main-fields=browser,module,main", "--minify-whitespace",
  "--minify-syntax", "--line-limit=120", "--legal-comments=none", "--preserve-symlinks", "--tsconfig-raw={}", "--log-level=warning",
];

export const manifest = (name) => JSON.parse(readFileSync(path.join(packages, name, "package.json"), "utf8"));

export function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Returns the code of a bundle of `entry`, a module's text in `folder`, and the paths of all files that are part of it. */
export function bundle(folder, entry, options) {
  const made = mkdtempSync(path.join(tmpdir(), "bundle-"));
  try {
    const [code, metafile] = [path.join(made, "code.js"), path.join(made, "meta.json")];
    execFileSync(esbuild, [...OPTIONS, ...options, `--outfile=${code}`, `--metafile=${metafile}`], { cwd: folder, input: entry });
    const { inputs } = Object.values(JSON.parse(readFileSync(metafile, "utf8")).outputs)[0];
    // A module that is disabled for browsers is there by its name alone.
    const isUsed = (input) => inputs[input].bytesInOutput > 0 && !input.startsWith("(disabled):");
    return { code: readFileSync(code, "utf8"), used: Object.keys(inputs).filter(isUsed) };
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** The folders of the packages that files are of, relative to node_modules. */
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

/** Packages of a bundle, and the licences that have to stay with it. */
export function header(used) {
  const byText = new Map();
  for (const folder of packagesOf(used)) {
    const title = `${manifest(folder).name} ${manifest(folder).version}`;
    byText.set(licenceOf(folder), [...(byText.get(licenceOf(folder)) ?? []), title]);
  }
  const sections = [...byText].map(([text, titles]) => `${titles.join(", ")}:\n\n${text}`);
  return `/* Made by build.mjs, not by hand. Contains:\n\n${sections.join("\n\n")}\n*/\n`;
}

/** Writes the bundle; with --check, fails where the committed one is another. */
export function writeOrCheck(committed, built) {
  if (!process.argv.includes("--check")) writeFileSync(committed, built);
  else if (!existsSync(committed) || readFileSync(committed, "utf8") !== built) {
    fail(`${committed} is not what the packages give: run \`make libraries\` and commit it.`);
  }
  console.log(`${path.basename(committed)}: ${built.length} bytes`);
}
