// Bundles what the pages take from npm (source/ethereum.js) from the locked packages.
//   node build.mjs           writes bundle/ethereum.js
//   node build.mjs --check   exit 1 when the committed bundle is not what the packages give
import path from "node:path";
import { fileURLToPath } from "node:url";

import { bundle, fail, header, writeOrCheck } from "../../tools/bundling.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const { code, used } = bundle(here, 'export * from "./source/ethereum.js";', ["--format=esm", "--minify-identifiers"]);
// The pages' policy would stop it, and a node would serve what no browser runs.
if (/\beval\(|\bFunction\(|\bimport\(|innerHTML/.test(code)) fail("The bundle makes code or markup of text.");
writeOrCheck(path.join(here, "bundle/ethereum.js"), header(used) + code);
