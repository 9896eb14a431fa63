/** `receive-move`: the far end of a move, which ssh starts. Standard output is for the other machine alone. */

import { openChannel, receiveMove } from "@continuo/agents/handoff/moving";
import { ContinuoError, present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

export async function runReceive(shell: Shell): Promise<number> {
  const broken = (why: string, cause?: unknown): ContinuoError =>
    new ContinuoError("unavailable", `the connection of a move ended: ${why}`, {
      hint: "Run `continuo move` again on the other machine.",
      ...present({ cause }),
    });
  const channel = openChannel(shell.stdin, shell.stdout, broken);
  await receiveMove({ places: placesOf(shell), channel, broken, ...present({ signal: shell.signal }) });
  return 0;
}
