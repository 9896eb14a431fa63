/**
 * The time until an agent asks its model, compared with the agent's own command line; and runs compared with their
 * appends.
 */

import { untilAsked } from "../chat/bench.ts";
import { median } from "../handoff/times.ts";
import type { Rows, WaitsOptions } from "./rows.ts";
import { measured, notMeasured } from "./targets.ts";

const NAMES = { claude: "chatClaude", codex: "chatCodex" } as const;

export async function agentRows({ rounds, quick }: WaitsOptions): Promise<Rows> {
  const rows: Rows[number][] = [];
  for (const agent of ["claude", "codex"] as const) {
    const name = NAMES[agent];
    try {
      const { own, bare, chat } = await untilAsked(agent, quick ? 5 : Math.max(9, rounds));
      const [ours, theirs, same] = [median(chat), median(own), median(bare)];
      const from = `${ours.toFixed(0)} / ${theirs.toFixed(0)} ms, the agent itself; ${same.toFixed(0)} ms, the same program started as Continuo starts it, by a client that does nothing else`;
      rows.push(measured(name, ours / theirs, from));
    } catch (error) {
      rows.push(notMeasured(name, String(error).split("\n")[0] ?? ""));
    }
  }
  return rows;
}
