/** `session fork`: a new session of the same agent, and how to go on with it. */

import { forkNativeSession } from "../../agents/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { commandLine } from "../handoff/index.ts";
import { placesOf } from "../places/index.ts";
import { createOutput, type Shell, tildePath, toJsonText } from "../terminal/index.ts";

export interface ForkFlags {
  readonly at?: string;
  readonly json?: true;
}

export async function runFork(id: string, flags: ForkFlags, shell: Shell): Promise<number> {
  const { at } = flags;
  const options = { places: placesOf(shell), cwd: shell.cwd, ...(at === undefined ? {} : { at }) };
  const fork = await forkNativeSession(id, options);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(fork, 2)}\n`);
    return 0;
  }
  const { agent, sessionId, title, location, cwd, messages, resumeCommand } = fork;
  const lines = [
    `${agent}:${sessionId}${title === null ? "" : `  ${title}`}`,
    tildePath(location, shell.home),
    `${messages} messages of ${agent}:${fork.forkedFrom}`,
    "",
    "Go on with it:",
    `  ${commandLine(cwd, resumeCommand)}`,
  ];
  await output.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}
