/** The time from `session/load` to the first update and to the answer, in a process that has not read the session before. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FILE_AGENTS, writeSession } from "../memory/sessions.ts";
import { makeConversation } from "../sessions/conversation.ts";
import { createRandom } from "../sessions/random.ts";
import { openOpencode } from "../sessions/shapes/index.ts";
import { runIn } from "../viewer/viewer-process.ts";
import { type GatewayProcess, withGateway } from "./gateway-process.ts";

const SIZES_MB = [1, 10, 50] as const;
const AGENTS = [...FILE_AGENTS, "opencode"] as const;

interface LoadTime {
  readonly firstMs: number;
  readonly firstCpuMs: number;
  readonly answerMs: number;
}

/** Medians of all rounds. */
export interface LoadTimes extends LoadTime {
  readonly agent: string;
  readonly megabytes: number;
  /** The index held the session. */
  readonly isIndexed: boolean;
}

export async function measureLoads(rounds: number): Promise<readonly LoadTimes[]> {
  const times: LoadTimes[] = [];
  for (const agent of AGENTS) {
    for (const megabytes of SIZES_MB) {
      const home = mkdtempSync(join(tmpdir(), "continuo-bench-load-"));
      try {
        writeOne(agent, home, megabytes * 1e6);
        times.push({ agent, megabytes, isIndexed: false, ...(await medianLoad(home, rounds)) });
        runIn(home, ["index", "update"]);
        times.push({ agent, megabytes, isIndexed: true, ...(await medianLoad(home, rounds)) });
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    }
  }
  return times;
}

function writeOne(agent: (typeof AGENTS)[number], home: string, sizeBytes: number): void {
  const cwd = join(home, "project");
  mkdirSync(cwd);
  if (agent !== "opencode") {
    writeSession({ agent, home, cwd, sizeBytes, shape: "turns" });
    return;
  }
  const random = createRandom(20261123);
  const opencode = openOpencode(home);
  opencode.write({ ...makeConversation(random, sizeBytes * 0.8, 1), cwd }, random);
  opencode.close();
}

async function medianLoad(home: string, rounds: number): Promise<LoadTime> {
  const loads: LoadTime[] = [];
  for (let round = 0; round < rounds; round++) loads.push(await withGateway(home, loadOne));
  const median = (of: (load: LoadTime) => number): number =>
    loads.map(of).toSorted((a, b) => a - b)[Math.floor(loads.length / 2)] ?? Number.NaN;
  return {
    firstMs: median((load) => load.firstMs),
    firstCpuMs: median((load) => load.firstCpuMs),
    answerMs: median((load) => load.answerMs),
  };
}

async function loadOne(gateway: GatewayProcess): Promise<LoadTime> {
  const { sessions } = (await gateway.ask("session/list", {})) as {
    readonly sessions: readonly { readonly sessionId: string; readonly cwd: string }[];
  };
  const [{ sessionId, cwd } = { sessionId: "", cwd: "" }] = sessions;
  const [start, cpu] = [performance.now(), gateway.cpuMs()];
  let [firstMs, firstCpuMs] = [Number.NaN, Number.NaN];
  gateway.onNotification = (method) => {
    if (method !== "session/update" || !Number.isNaN(firstMs)) return;
    firstMs = performance.now() - start;
    firstCpuMs = gateway.cpuMs() - cpu;
  };
  await gateway.ask("session/load", { sessionId, cwd, mcpServers: [] });
  return { firstMs, firstCpuMs, answerMs: performance.now() - start };
}
