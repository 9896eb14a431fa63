/** Starts the scripted agent for a test: by a driver, or by the command that names its program. */

import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "@continuo/core/model";
import {
  type AcpDriver,
  type AcpOptions,
  createAcpDriver,
} from "../../packages/agents/src/drivers/acp/driver.ts";
import { type AcpProgram, configuredProgram } from "../../packages/agents/src/drivers/acp/programs.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { violationsOfClient } from "./conformance/schema.ts";
import type { Json, Script } from "./script.ts";

/** Gemini CLI has this method, which the protocol no longer has. */
const FORMER_METHOD = "session/set_model";

/** A module to start with Node, and the file of a script. */
export const SCRIPTED_AGENT: string = await bundledProgram("test/acp/scripted-agent.ts");

export interface ScriptedProgram {
  readonly driver: AcpDriver;
  readonly cwd: string;
  /** Every message that the agent has received. Throws if the protocol's schema does not allow one of them. */
  sent(): readonly Json[];
  /** The home, the folder and the arguments of each start. */
  starts(): readonly Json[];
}

export function scripted(
  script: Script,
  {
    keys = {},
    policies = {},
    toolServersNeedTrust,
    expandsToolServers,
    ...options
  }: Partial<AcpOptions> &
    Pick<AcpProgram, "keys" | "policies" | "toolServersNeedTrust" | "expandsToolServers"> = {},
): ScriptedProgram {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "continuo-acp-")));
  const file = join(cwd, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const command = [process.execPath, SCRIPTED_AGENT, file];
  const places = { home: cwd, env: { PATH: process.env.PATH ?? "" } };
  const facts = present({ toolServersNeedTrust, expandsToolServers });
  const driver = createAcpDriver(
    { ...configuredProgram("scripted", command), keys, policies, ...facts },
    { places, command, ...options },
  );
  const linesOf = (name: string): readonly Json[] =>
    readFileSync(`${file}.${name}`, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const sent = (): readonly Json[] => {
    const messages = linesOf("log");
    const asked = existsSync(`${file}.asked`) ? linesOf("asked") : [];
    const methods = new Map(asked.map(({ id, method }) => [id, String(method)]));
    const version = script.hello?.protocolVersion === 2 ? 2 : 1;
    const known = messages.filter(({ method }) => method !== FORMER_METHOD);
    const violations = known.flatMap((message) =>
      violationsOfClient(
        message,
        message.method === undefined ? methods.get(message.id) : undefined,
        version,
      ),
    );
    if (violations.length > 0) throw new Error(violations.join("\n"));
    return messages;
  };
  return { driver, cwd, sent, starts: () => linesOf("starts") };
}
