/** A home with a session of half a megabyte, or of another size, of each agent, on which commands are counted. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSources } from "../../bench/handoff/sources.ts";
import { scratchFolder } from "../scratch-folder.ts";
import type { WorkCounts } from "./preload.ts";
import { type CountedProgram, countWork, MAIN, SETTLING_MS } from "./work.ts";

const SIZE_BYTES = 500_000;

export interface CountedSessions {
  run(program: string, ...args: readonly string[]): WorkCounts;
  show(agent: string): WorkCounts;
  /** The same command in a terminal. */
  screen(agent: string): WorkCounts;
  export(agent: string): WorkCounts;
  handOver(from: string, to: string, options?: Pick<CountedProgram, "heapMb">): WorkCounts;
}

export async function makeCountedSessions(sizeBytes: number = SIZE_BYTES): Promise<CountedSessions> {
  const scratch = scratchFolder("counted-sessions");
  const home = join(scratch, "user");
  const continuoHome = join(scratch, "home");
  for (const folder of [home, continuoHome]) mkdirSync(folder);
  const sources = makeSources(home, sizeBytes);
  await sleep(SETTLING_MS);
  const run: CountedSessions["run"] = (program, ...args) => countWork({ program, args, home, continuoHome });
  const idOf = (agent: string): string => sources.find((source) => source.agent === agent)?.sessionId ?? "";
  // The first command creates the index.
  run(MAIN, "list");
  return {
    run,
    screen: (agent) =>
      countWork({
        program: MAIN,
        args: ["session", "show", idOf(agent)],
        home,
        continuoHome,
        isInTerminal: true,
      }),
    show: (agent) => run(MAIN, "session", "show", idOf(agent)),
    export: (agent) => run(MAIN, "session", "export", idOf(agent), "--format", "json"),
    handOver: (from, to, options = {}) => {
      const args = ["handoff", idOf(from), "--to", to, "--cwd", scratch];
      return countWork({ program: MAIN, args, home, continuoHome, ...options });
    },
  };
}
