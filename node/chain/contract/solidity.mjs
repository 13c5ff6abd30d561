// What the build scripts of our contracts share: one pinned compiler, one set of settings, artifacts compared byte for byte.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const solc = require("solc");

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

export function fail(message) {
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

// The named contracts, each from the file of its name, of all sources in a folder; any message of the compiler ends it.
// Source names are relative and the bytecode carries no metadata hash: every folder gives the same bytes.
export function compile(folder, contracts) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sol")).sort();
  const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(path.join(folder, name), "utf8") }]));
  const outputSelection = Object.fromEntries(contracts.map((name) => [`${name}.sol`, { [name]: OUTPUTS }]));
  const input = { language: "Solidity", sources, settings: { ...SETTINGS, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
  const messages = (output.errors ?? []).map((error) => error.formattedMessage);
  if (messages.length > 0) fail(messages.join("\n"));
  return contracts.map((name) => output.contracts[`${name}.sol`][name]);
}

export function requireSizes(name, contract) {
  const runtime = contract.evm.deployedBytecode.object.length / 2;
  const initcode = contract.evm.bytecode.object.length / 2;
  console.log(`${name}: runtime ${runtime} of ${RUNTIME_LIMIT_BYTES} bytes, initcode ${initcode} of ${INITCODE_LIMIT_BYTES}`);
  if (runtime > RUNTIME_LIMIT_BYTES) fail(`The runtime of ${name} is over the limit of EIP-170: no chain would take it.`);
  if (initcode > INITCODE_LIMIT_BYTES) fail(`The initcode of ${name} is over the limit of EIP-3860: no chain would take it.`);
}

// Who compiled it, as artifacts say it.
export function compiler() {
  return {
    version: solc.version(),
    settings: SETTINGS,
    libraries: { "@openzeppelin/contracts": require("@openzeppelin/contracts/package.json").version },
  };
}

// Artifacts by file name are written into the folder; with --check they, and each FILE after it as the first of them, are compared.
export function writeOrCheck(folder, artifacts) {
  const built = Object.entries(artifacts).map(([name, artifact]) => [path.join(folder, name), `${JSON.stringify(artifact, null, 2)}\n`]);
  const check = process.argv.indexOf("--check");
  if (check < 0) {
    built.forEach(([file, text]) => writeFileSync(file, text));
    return;
  }
  const others = process.argv.slice(check + 1).map((file) => [file, built[0][1]]);
  const strange = [...built, ...others].filter(([file, text]) => readFileSync(file, "utf8") !== text);
  if (strange.length > 0) fail(strange.map(([file]) => `${file} is not what the sources give: run \`make contract\` and commit it.`).join("\n"));
  console.log("The committed artifact is what the sources give.");
}
