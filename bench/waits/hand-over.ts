/**
 * Hand-overs of long sessions by `continuo handoff`, from each agent to the next one, compared with reading, parsing and
 * writing the same bytes. Each runs in a process of its own, as for a person, so that the peak of its memory is known.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { PINNED, packageFolder } from "../../test/agents/install.ts";
import { makeSources, type Source } from "../handoff/sources.ts";
import { median } from "../handoff/times.ts";
import { type Command, type Measurement, measure } from "../measure/index.ts";
import { writeSession } from "../memory/sessions.ts";
import { BIN, ROOT, ratioOf } from "./bench-commands.ts";
import type { Row, Rows, WaitsOptions } from "./rows.ts";
import { measured, notMeasured } from "./targets.ts";

const BYTES = 50_000_000;
const QUICK_BYTES = 10_000_000;
const LONG_BYTES = 300_000_000;
const QUICK_LONG_BYTES = 60_000_000;
const LEAST = join(ROOT, "bench/handoff/least.ts");
/** Each takes seconds. */
const MAX_ROUNDS = 2;
/** Agents that are scripts of Node; the others are binaries. */
const SCRIPTS: readonly AgentName[] = ["codex", "gemini", "pi"];

export function handOffRows({ quick, rounds }: WaitsOptions): Rows {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  try {
    const sizeBytes = quick ? QUICK_BYTES : BYTES;
    const sources = makeSources(home, sizeBytes).map((source) => keptOnDisk(source, home));
    const pairs = sources.map((source, at): Pair => {
      const to = sources[(at + 1) % sources.length]?.agent ?? "claude";
      return { source, to, home, rounds: quick ? 1 : Math.min(rounds, MAX_ROUNDS) };
    });
    const ofSize = `of ${sizeBytes / 1e6} MB`;
    const plain = pairs.map((pair) => measurePair(pair));
    const rows = plain.map((both, at): Row => {
      const row = measured("handOver", ratioOf(both), cpuOf(both));
      return { ...row, work: `${row.work} ${ofSize}, ${namesOf(pairs[at])}` };
    });
    const all = measured("handOver", median(rows.map(({ now }) => now)), "read back by Continuo");
    return [
      ...rows,
      { ...all, work: `${all.work}, median of ${rows.length}` },
      memoryRow(plain, pairs, ofSize),
      ...pairs.map((pair, at) => verifiedRow(pair, plain[at] ?? [], ofSize)),
      ...longRows(quick ? QUICK_LONG_BYTES : LONG_BYTES),
    ];
  } finally {
    rmSync(home, { recursive: true });
  }
}

type KeptSource = Omit<Source, "lines">;

interface Pair {
  readonly source: KeptSource;
  readonly to: AgentName;
  readonly home: string;
  readonly rounds: number;
}

/** Hundreds of megabytes of text in memory would make every garbage collection slower. */
function keptOnDisk({ lines, ...source }: Source, home: string): KeptSource {
  writeFileSync(leastPath(source, home), lines);
  return source;
}

function leastPath({ agent }: KeptSource, home: string): string {
  return join(home, `least-${agent}`);
}

function namesOf(pair: Pair | undefined): string {
  return `${pair?.source.agent} to ${pair?.to}`;
}

/** The hand-over and its minimum, without warm-ups. */
function measurePair({ source, to, home, rounds }: Pair): readonly Measurement[] {
  const ref = `${source.agent}:${source.sessionId}`;
  return measure([handOver({ ref, to, home }), least(leastPath(source, home))], {
    rounds,
    warmUp: false,
    memory: "during",
  });
}

interface HandOverInput {
  readonly ref: string;
  readonly to: AgentName;
  readonly home: string;
  /** The folder of the target's program; without it, Continuo reads the new session back itself. */
  readonly programs?: string;
}

function handOver({ ref, to, home, programs }: HandOverInput): Command {
  const flags = ["--to", to, "--cwd", home, "--json", ...(programs === undefined ? ["--no-verify"] : [])];
  const path = [programs ?? [], process.env.PATH ?? ""].flat().join(delimiter);
  return {
    name: `${ref} to ${to}`,
    argv: [process.execPath, BIN, "handoff", ref, ...flags],
    env: { HOME: home, CONTINUO_HOME: join(home, ".continuo"), CI: "1", PATH: path },
  };
}

function least(path: string): Command {
  return { name: `least ${path}`, argv: [process.execPath, LEAST, path] };
}

function cpuOf([first, second]: readonly Measurement[]): string {
  return `${first?.cpuMs.toFixed(0)} / ${second?.cpuMs.toFixed(0)} ms`;
}

function peakOf([first]: readonly Measurement[]): number {
  return (first?.peakBytes ?? Number.NaN) / 1e6;
}

function memoryRow(all: readonly (readonly Measurement[])[], pairs: readonly Pair[], ofSize: string): Row {
  const peaks = all.map(peakOf);
  const each = peaks.map((peak, at) => `${peak.toFixed(0)} ${namesOf(pairs[at])}`).join(", ");
  const row = measured("handOverMemory", Math.max(...peaks), each);
  return { ...row, work: `${row.work} ${ofSize}` };
}

/** The row is measured by the clock, because the agent is another process, which often waits. */
function verifiedRow(pair: Pair, [plain, minimum]: readonly Measurement[], ofSize: string): Rows[number] {
  const { source, to, home } = pair;
  const entry = installed(to);
  const work = `${ofSize}, ${namesOf(pair)}`;
  if (entry === null) {
    const missing = notMeasured("handOverVerified", "`node test/agents/install.ts` installs this agent");
    return { ...missing, work: `${missing.work} ${work}` };
  }
  const programs = folderOf(to, entry, home);
  const command: Command = {
    ...handOver({ ref: `${source.agent}:${source.sessionId}`, to, home, programs }),
    after: (stdout) => expectAsked(to, stdout),
  };
  const [whole] = measure([command], { rounds: 1, warmUp: false, memory: "none" });
  const [wholeMs, plainMs, leastMs] = [whole, plain, minimum].map((one) => one?.medianMs ?? Number.NaN);
  const now = (wholeMs ?? Number.NaN) / (leastMs ?? Number.NaN);
  const from = `${wholeMs?.toFixed(0)} / ${leastMs?.toFixed(0)} ms; ${plainMs?.toFixed(0)} read back by Continuo`;
  const row = measured("handOverVerified", now, from);
  return { ...row, work: `${row.work} ${work}` };
}

function expectAsked(agent: AgentName, stdout: Buffer): void {
  const { verification } = JSON.parse(stdout.toString()) as {
    readonly verification: { readonly by: string };
  };
  if (verification.by === "continuo") throw new Error(`${agent} was not asked`);
}

function installed(agent: AgentName): string | null {
  const pinned = PINNED[agent];
  const path = join(packageFolder(pinned), pinned.proof);
  return existsSync(path) ? path : null;
}

/** A folder for the search path with one program, which starts the installed agent. */
function folderOf(agent: AgentName, entry: string, home: string): string {
  const folder = join(home, `programs-${agent}`);
  mkdirSync(folder, { recursive: true });
  const command = SCRIPTS.includes(agent) ? `'${process.execPath}' '${entry}'` : `'${entry}'`;
  writeFileSync(join(folder, agent), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}

/** One hand-over, because it takes half a minute. */
function longRows(sizeBytes: number): Rows {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-long-"));
  try {
    const cwd = join(home, "work");
    mkdirSync(cwd);
    const { sessionId, path } = writeSession({ agent: "claude", home, cwd, sizeBytes, shape: "turns" });
    const both = measure([handOver({ ref: `claude:${sessionId}`, to: "codex", home }), least(path)], {
      rounds: 1,
      warmUp: false,
      memory: "during",
    });
    const [seconds] = both.map(({ medianMs }) => `${(medianMs / 1e3).toFixed(1)} s by the clock`);
    const rows = [
      measured("handOverLong", ratioOf(both), `${cpuOf(both)}; ${seconds}`),
      measured("handOverLongMemory", peakOf(both), "its process"),
    ];
    return rows.map((row) => ({ ...row, work: `${row.work} of ${sizeBytes / 1e6} MB, claude to codex` }));
  } finally {
    rmSync(home, { recursive: true });
  }
}
