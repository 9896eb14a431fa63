/** The remote ends of a move and of a mirror, which ssh starts. Standard output is only for the other machine. */

import { receiveMirror } from "@continuo/agents/handoff/mirroring";
import { openChannel, type ReceiveMoveOptions, receiveMove } from "@continuo/agents/handoff/moving";
import { ContinuoError, present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

export async function runReceive(shell: Shell): Promise<number> {
  await receiveMove(ends(shell, "move"));
  return 0;
}

export async function runReceiveMirror(shell: Shell): Promise<number> {
  await receiveMirror(ends(shell, "mirror"));
  return 0;
}

function ends(shell: Shell, what: string): Omit<ReceiveMoveOptions, "programs"> {
  const broken = (why: string, cause?: unknown): ContinuoError =>
    new ContinuoError("unavailable", `the connection of a ${what} ended: ${why}`, {
      hint: "Run `continuo move` again on the other machine.",
      ...present({ cause }),
    });
  const channel = openChannel(shell.stdin, shell.stdout, broken);
  return { places: placesOf(shell), channel, broken, ...present({ signal: shell.signal }) };
}
