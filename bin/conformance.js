#!/usr/bin/env node
// `continuo-conformance [--only ID] -- COMMAND [ARGUMENTS]`: runs a client of channels, in any language, against a server
// that misbehaves by a script. docs/clients.md says what COMMAND reads and writes. Exit code 1 if a case fails.

const dash = process.argv.indexOf("--");
const flags = process.argv.slice(2, dash === -1 ? 2 : dash);
const [file, ...args] = dash === -1 ? process.argv.slice(2) : process.argv.slice(dash + 1);
const only = flags[0] === "--only" ? flags[1] : undefined;
const isUsage = file !== undefined && !file.startsWith("-") && (flags.length === 0 || only !== undefined);

if (Number(process.versions.node.split(".")[0]) < 24) fail("continuo-conformance needs Node 24 or newer");
if (!isUsage) fail("usage: continuo-conformance [--only CLIENT-4] -- COMMAND [ARGUMENTS]");

const { clientContract, clientProgram } = await import("../dist/store/testing/index.js");
const cases = clientContract(clientProgram(file, args)).filter(({ id }) => only === undefined || id === only);
if (cases.length === 0) fail(`there is no case ${only}`);

let failed = 0;
// One after another would take minutes, because several cases wait for time to pass.
await Promise.all(
  cases.map(async ({ id, name, run }) => {
    try {
      await run();
      say(`ok      ${id}: ${name}`);
    } catch (error) {
      failed++;
      say(`FAILED  ${id}: ${name}\n        ${String(error.message).replaceAll("\n", "\n        ")}`);
    }
  }),
);
say(`${cases.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function say(line) {
  process.stdout.write(`${line}\n`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
