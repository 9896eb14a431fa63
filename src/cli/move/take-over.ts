/** `move --take-over`: continues a session here that another machine mirrors to this one. */

import { resolve } from "node:path";
import { takeOver } from "@continuo/agents/handoff/mirroring";
import { commandLine, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { MoveFlags } from "./flags.ts";

export async function runTakeOver(id: string, flags: MoveFlags, shell: Shell): Promise<number> {
  const into = flags.into === undefined ? undefined : resolve(shell.cwd, flags.into);
  const made = await takeOver(id, {
    places: placesOf(shell),
    now: shell.now,
    workTree: flags.workTree ? "with" : "without",
    ...present({ into, signal: shell.signal }),
  });
  const { mirror, agent, sessionId, cwd, location, resumeCommand, readBackBy, workTree } = made;
  const from = { machine: mirror.machine, agent: mirror.agent, sessionId: mirror.sessionId };
  const lines = [
    `${agent}:${sessionId} continues ${from.agent}:${from.sessionId} of ${from.machine}, read back by ${readBackBy}`,
    workTree === null
      ? "no work tree came with it"
      : `work tree ${workTree}, with the changes of ${mirror.workTree?.at ?? ""}`,
    "",
    "Continue it with:",
    `  ${commandLine(cwd, resumeCommand)}`,
  ];
  const text = flags.json
    ? toJsonText({ agent, sessionId, location, cwd, resumeCommand, readBackBy, workTree, from }, 2)
    : lines.map(visibleLine).join("\n");
  await createOutput(shell.stdout).write(`${text}\n`);
  return 0;
}
