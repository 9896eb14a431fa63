/** Starts the scripted agent for a test: by a driver, or by the command that names its program. */

import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AcpDriver,
  type AcpOptions,
  createAcpDriver,
} from "../../packages/agents/src/drivers/acp/driver.ts";
import { type AcpProgram, configuredProgram } from "../../packages/agents/src/drivers/acp/programs.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import type { Json, Script } from "./script.ts";

/** A module to start with Node, and the file of a script. */
export const SCRIPTED_AGENT: string = await bundledProgram("test/acp/scripted-agent.ts");

export interface ScriptedProgram {
  readonly driver: AcpDriver;
  readonly cwd: string;
  /** Every message that the agent was sent by now. */
  sent(): readonly Json[];
  /** The home and the folder of each start. */
  starts(): readonly Json[];
}

export function scripted(
  script: Script,
  { keys = {}, policies = {}, ...options }: Partial<AcpOptions> & Pick<AcpProgram, "keys" | "policies"> = {},
): ScriptedProgram {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "continuo-acp-")));
  const file = join(cwd, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const command = [process.execPath, SCRIPTED_AGENT, file];
  const places = { home: cwd, env: { PATH: process.env.PATH ?? "" } };
  const driver = createAcpDriver(
    { ...configuredProgram("scripted", command), keys, policies },
    { places, command, ...options },
  );
  const linesOf = (name: string): readonly Json[] =>
    readFileSync(`${file}.${name}`, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { driver, cwd, sent: () => linesOf("log"), starts: () => linesOf("starts") };
}
