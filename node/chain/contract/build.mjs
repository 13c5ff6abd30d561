// Compiles AccountConfig.sol with the pinned solc of node_modules and writes the committed artifact.
//   node build.mjs                   writes AccountConfig.json
//   node build.mjs --check [FILE…]   exit 1 when the committed artifact, or a FILE, is not what the sources give
// Source names are relative and the bytecode carries no metadata hash: every folder gives the same bytes.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const solc = require("solc");

const MAIN = "AccountConfig";
const VIEWS = "AccountViews";
const RUNTIME_LIMIT_BYTES = 24576; // EIP-170
const INITCODE_LIMIT_BYTES = 49152; // EIP-3860
const OUTPUTS = [
  "abi", "storageLayout", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences",
];
const SETTINGS = {
  evmVersion: "cancun",
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readImport(name) {
  try {
    return { contents: readFileSync(require.resolve(name), "utf8") };
  } catch (error) {
    return { error: `${name}: ${error.message}` };
  }
}

function compile() {
  const names = readdirSync(here).filter((name) => name.endsWith(".sol")).sort();
  const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(path.join(here, name), "utf8") }]));
  const outputSelection = { [`${MAIN}.sol`]: { [MAIN]: OUTPUTS }, [`${VIEWS}.sol`]: { [VIEWS]: OUTPUTS } };
  const input = { language: "Solidity", sources, settings: { ...SETTINGS, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
  const messages = (output.errors ?? []).map((error) => error.formattedMessage);
  if (messages.length > 0) fail(messages.join("\n"));
  return { main: output.contracts[`${MAIN}.sol`][MAIN], views: output.contracts[`${VIEWS}.sol`][VIEWS] };
}

// The views run on the main contract's storage: each variable they know must stand in the same slot there.
function requireSameLayout(main, views) {
  const shape = ({ label, slot, offset, type }) => `${label} slot ${slot} offset ${offset} ${type.replace(/\)\d+_storage/g, ")_storage")}`;
  const known = new Set(main.storageLayout.storage.map(shape));
  const strange = views.storageLayout.storage.map(shape).filter((variable) => !known.has(variable));
  if (strange.length > 0) fail(`${VIEWS} reads storage that ${MAIN} lays out otherwise:\n${strange.join("\n")}`);
}

function requireSizes(name, contract) {
  const runtime = contract.evm.deployedBytecode.object.length / 2;
  const initcode = contract.evm.bytecode.object.length / 2;
  console.log(`${name}: runtime ${runtime} of ${RUNTIME_LIMIT_BYTES} bytes, initcode ${initcode} of ${INITCODE_LIMIT_BYTES}`);
  if (runtime > RUNTIME_LIMIT_BYTES) fail(`The runtime of ${name} is over the limit of EIP-170: no chain would take it.`);
  if (initcode > INITCODE_LIMIT_BYTES) fail(`The initcode of ${name} is over the limit of EIP-3860: no chain would take it.`);
}

function mergedAbi(main, views) {
  const known = new Set(main.abi.map((entry) => JSON.stringify(entry)));
  return [...main.abi, ...views.abi.filter((entry) => !known.has(JSON.stringify(entry)))];
}

function artifact() {
  const { main, views } = compile();
  requireSameLayout(main, views);
  requireSizes(MAIN, main);
  requireSizes(VIEWS, views);
  return {
    contractName: MAIN,
    abi: mergedAbi(main, views),
    bytecode: `0x${main.evm.bytecode.object}`,
    deployedBytecode: `0x${main.evm.deployedBytecode.object}`,
    immutableReferences: main.evm.deployedBytecode.immutableReferences,
    viewsDeployedBytecode: `0x${views.evm.deployedBytecode.object}`,
    compiler: {
      version: solc.version(),
      settings: SETTINGS,
      libraries: { "@openzeppelin/contracts": require("@openzeppelin/contracts/package.json").version },
    },
  };
}

const committed = path.join(here, `${MAIN}.json`);
const built = `${JSON.stringify(artifact(), null, 2)}\n`;
const check = process.argv.indexOf("--check");
if (check >= 0) {
  const files = [committed, ...process.argv.slice(check + 1)];
  const strange = files.filter((file) => readFileSync(file, "utf8") !== built);
  if (strange.length > 0) fail(strange.map((file) => `${file} is not what the sources give: run \`make contract\` and commit it.`).join("\n"));
  console.log("The committed artifact is what the sources give.");
} else {
  writeFileSync(committed, built);
}
