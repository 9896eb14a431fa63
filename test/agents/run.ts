/**
 * `npm run test:agents [-- [--all-versions] [--all-pairs] VITEST ARGUMENTS]`: installs the real agents, then runs
 * their tests without a network. `--all-versions` also tests older versions; `--all-pairs` tests every pair of agents
 * in each state of a session.
 */

import { fileURLToPath } from "node:url";
import { installAgents } from "./install.ts";
import { runWithLoopbackOnly } from "./network.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const CONFIG = ["--config", "test/agents/vitest.config.ts"];

const ALL_VERSIONS = "--all-versions";
if (process.argv.includes(ALL_VERSIONS)) process.env.CONTINUO_ALL_VERSIONS = "1";
const ALL_PAIRS = "--all-pairs";
if (process.argv.includes(ALL_PAIRS)) process.env.CONTINUO_ALL_PAIRS = "1";
await installAgents();
const forVitest = process.argv.slice(2).filter((argument) => ![ALL_VERSIONS, ALL_PAIRS].includes(argument));
const command = [process.execPath, VITEST, "run", ...CONFIG, ...forVitest];
process.exitCode = await runWithLoopbackOnly(command, ROOT);
