/**
 * Hand-overs of long sessions, from each agent to the next one, compared with reading, parsing and writing the same
 * bytes.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handOff, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { makeSources, type Source } from "../handoff/sources.ts";
import { median, timeInTurn } from "../handoff/times.ts";
import type { Row, Rows, WaitsOptions } from "./rows.ts";
import { measured } from "./targets.ts";

const BYTES = 50_000_000;
const QUICK_BYTES = 10_000_000;

export async function handOffRows({ quick, rounds }: WaitsOptions): Promise<Rows> {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  try {
    const sizeBytes = quick ? QUICK_BYTES : BYTES;
    const sources = makeSources(home, sizeBytes).map((source) => keptOnDisk(source, home));
    const rows: Row[] = [];
    for (const [at, source] of sources.entries()) {
      const to = sources[(at + 1) % sources.length]?.agent ?? "claude";
      rows.push(
        await handOffRow({ source, to, home, megabytes: sizeBytes / 1e6 }, quick ? 1 : Math.min(rounds, 3)),
      );
    }
    const middle = median(rows.map(({ now }) => now));
    const peak = (process.resourceUsage().maxRSS * 1024) / 1e6;
    const from = `read back by Continuo; peak of this process ${peak.toFixed(0)} MB`;
    const all = measured("handOver", middle, from);
    return [...rows, { ...all, work: `${all.work}, median of ${rows.length}` }];
  } finally {
    rmSync(home, { recursive: true });
  }
}

type KeptSource = Omit<Source, "lines">;

/** Hundreds of megabytes of text in memory would make every garbage collection slower. */
function keptOnDisk({ lines, ...source }: Source, home: string): KeptSource {
  writeFileSync(leastPath(source, home), lines);
  return source;
}

function leastPath({ agent }: KeptSource, home: string): string {
  return join(home, `least-${agent}`);
}

interface HandOver {
  readonly source: KeptSource;
  readonly to: AgentName;
  readonly home: string;
  readonly megabytes: number;
}

async function handOffRow({ source, to, home, megabytes }: HandOver, rounds: number): Promise<Row> {
  const places: Places = { home, env: {} };
  const { least = Number.NaN, all = Number.NaN } = await timeInTurn(rounds, {
    least: async () => readAndWrite(source, home),
    all: async () => {
      await handOff(`${source.agent}:${source.sessionId}`, { to, cwd: home, places, verifyBy: "own" });
    },
  });
  const row = measured("handOver", all / least, `${all.toFixed(0)} / ${least.toFixed(0)} ms`);
  return { ...row, work: `${row.work} of ${megabytes} MB, ${source.agent} to ${to}` };
}

function readAndWrite(source: KeptSource, home: string): void {
  const path = leastPath(source, home);
  const values: unknown[] = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  writeFileSync(`${path}.copy`, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}
