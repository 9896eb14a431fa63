/** The time until an agent asks its model, against the agent's own command line; and runs beside their appends. */

import { untilAsked } from "../chat/bench.ts";
import { median } from "../handoff/times.ts";
import { below, type Rows, type WaitsOptions } from "./rows.ts";

const WANTED = { claude: ["1.32", 1.1], codex: ["1.66", 1.2] } as const;

export async function agentRows({ rounds, quick }: WaitsOptions): Promise<Rows> {
  const rows: Rows[number][] = [];
  for (const agent of ["claude", "codex"] as const) {
    const [before, than] = WANTED[agent];
    const work = `chat to the first request, ${agent}`;
    try {
      const { own, chat } = await untilAsked(agent, quick ? 5 : Math.max(9, rounds));
      const [ours, theirs] = [median(chat), median(own)];
      rows.push({
        ...{ work, before, now: ours / theirs, wanted: below(than), by: "clock" },
        from: `${ours.toFixed(0)} / ${theirs.toFixed(0)} ms, the agent itself`,
      });
    } catch (error) {
      rows.push({ work, missing: String(error).split("\n")[0] ?? "" });
    }
  }
  return rows;
}
