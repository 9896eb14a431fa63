/** `guard restore` and `guard verify`. */

import { exitCodeOf, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { restoreGuardedSession } from "@continuo/native/editing";
import { verifyGuard } from "@continuo/native/editing/guard";
import { createOutput, plural, type Shell, tildePath, toJsonText } from "../terminal/index.ts";
import type { JsonFlag, RestoreFlags } from "./flags.ts";

/** Errors: those of `restoreGuardedSession`. */
export async function runRestore(id: string, flags: RestoreFlags, shell: Shell): Promise<number> {
  const state = flags.state === undefined ? undefined : flags.state - 1;
  const { info, location, leftOut } = await restoreGuardedSession(id, {
    places: placesOf(shell),
    now: shell.now,
    force: flags.force === true,
    ...present({ state }),
  });
  const output = createOutput(shell.stdout);
  if (flags.json) {
    const { agent, sessionId, title } = info;
    await output.write(`${toJsonText({ agent, sessionId, title, location, leftOut }, 2)}\n`);
    return 0;
  }
  const lines = [
    `restored  ${info.agent}:${info.sessionId}${info.title === null ? "" : `  ${info.title}`}`,
    tildePath(location, shell.home),
    ...leftOut.map(
      (path) => `left out, since the agent would delete the session with it: ${tildePath(path, shell.home)}`,
    ),
  ];
  await output.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}

/** Exit code 4 if anything differs from what was stored. */
export async function runVerify({ json }: JsonFlag, shell: Shell): Promise<number> {
  const verified = await verifyGuard(placesOf(shell));
  const { sessions, pieces, problems } = verified;
  const counted = `${plural(sessions, "copy", "copies")}, ${plural(pieces, "piece")}: ${problems.length === 0 ? "everything is as it was stored" : plural(problems.length, "problem")}`;
  const text = `${[...problems, counted].map(visibleLine).join("\n")}\n`;
  await createOutput(shell.stdout).write(json ? `${toJsonText(verified, 2)}\n` : text);
  return problems.length === 0 ? 0 : exitCodeOf("corrupt");
}
