/**
 * Functions of the Claude Agent SDK, which is the agent's own reader of its sessions. Each call runs in a separate
 * process with the environment of the sandbox, because the SDK looks for sessions where its environment says.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PINNED, packageFolder } from "../install.ts";
import { runProgram, type Sandbox } from "../sandbox.ts";
import type { Claude } from "./driver.ts";

const CALL = `
const [, module, name, args] = process.argv;
const sdk = await import(module);
const value = await sdk[name](...JSON.parse(args));
process.stdout.write("\\n" + JSON.stringify(value ?? null));
`;

/** Returns the value to which a function of the SDK resolves. */
export async function callSdk(
  sandbox: Sandbox,
  claude: Claude,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const module = pathToFileURL(join(packageFolder(PINNED.claudeSdk), "sdk.mjs")).href;
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    ["--input-type=module", "--eval", CALL, module, name, JSON.stringify(args)],
    { cwd: sandbox.project, env: claude.environment },
  );
  if (code !== 0) throw new Error(`${name} of the Claude Agent SDK failed: ${stderr}`);
  return JSON.parse(stdout.split("\n").at(-1) ?? "null");
}
