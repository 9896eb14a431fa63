/**
 * The speed of hand-overs: a session of 5 MB in every direction. What is compared with is the least that it can
 * cost: reading the same bytes, `JSON.parse`, `JSON.stringify`, and writing them. Times are of the processor: all of
 * it is one process's work, and a busy machine changes little.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { convertMessages } from "../../src/agents/handoff/index.ts";
import { handOff, lookUpSession, type Places } from "../../src/agents/index.ts";
import { recordsOf } from "../../src/agents/made-session.ts";
import { makersOfNow, recordMakers } from "../../src/agents/makers.ts";
import { readSource } from "../../src/agents/source.ts";
import { writerOf } from "../../src/agents/writers.ts";
import { AGENT_NAMES, type AgentName } from "../../src/model/index.ts";
import { printRatios } from "../measure/index.ts";
import { type Conversation, makeConversation } from "../sessions/conversation.ts";
import { createRandom, type Random } from "../sessions/random.ts";
import { openOpencode, toClaude, toCodex, toGemini, toPi } from "../sessions/shapes/index.ts";

const SIZE_BYTES = 5_000_000;
const SHAPES = { claude: toClaude, codex: toCodex, gemini: toGemini, pi: toPi } as const;

export interface BenchOptions {
  readonly large: boolean;
  readonly rounds: number;
}

interface Source {
  readonly agent: AgentName;
  readonly sessionId: string;
  /** Its records as lines of JSON, whatever it keeps them in. */
  readonly lines: string;
}

export async function run({ rounds }: BenchOptions): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  try {
    const places: Places = { home, env: {} };
    const sources = makeSources(home);
    const ratios: Record<string, number[]> = { conversion: [], all: [] };
    console.log(`\nHand-over of ${SIZE_BYTES / 1e6} MB: medians of processor time`);
    for (const source of sources) {
      for (const to of AGENT_NAMES.filter((agent) => agent !== source.agent)) {
        const times = await timeInTurn(rounds, {
          least: async () => readAndWrite(source, home),
          conversion: () => convert(source, to, places),
          all: async () => {
            const ref = `${source.agent}:${source.sessionId}`;
            await handOff(ref, { to, cwd: home, places, verifyBy: "own" });
          },
        });
        const [least = 1, conversion = 0, all = 0] = [times.least, times.conversion, times.all];
        ratios.conversion?.push(conversion / least);
        ratios.all?.push(all / least);
        const name = `${source.agent} to ${to}`.padEnd(24);
        const numbers = [least, conversion, all].map((ms) => `${ms.toFixed(0)} ms`.padEnd(10));
        console.log(
          `  ${name} least ${numbers[0]} conversion ${numbers[1]} read back, with provenance ${numbers[2]}`,
        );
      }
    }
    report(ratios);
  } finally {
    rmSync(home, { recursive: true });
  }
}

function report(ratios: Readonly<Record<string, readonly number[]>>): void {
  const worst = (all: readonly number[] = []): number => Math.max(...all);
  const middle = (all: readonly number[] = []): number => median(all);
  printRatios([
    {
      what: "conversion / parse and stringify, median of 20",
      ratio: middle(ratios.conversion),
      wanted: "below",
      target: 2,
    },
    {
      what: "conversion / parse and stringify, worst of 20",
      ratio: worst(ratios.conversion),
      wanted: "below",
      target: 2,
    },
  ]);
}

function makeSources(home: string): Source[] {
  const random = createRandom(20261121);
  const opencode = openOpencode(home);
  const sources = AGENT_NAMES.map((agent): Source => {
    const conversation = makeConversation(random, SIZE_BYTES, 1);
    if (agent !== "opencode") return writeLines(agent, conversation, { random, home });
    opencode.write(conversation, random);
    return { agent, sessionId: "", lines: "" };
  });
  opencode.close();
  return sources.map((source) => (source.agent === "opencode" ? ofDatabase(home) : source));
}

function writeLines(
  agent: keyof typeof SHAPES,
  conversation: Conversation,
  { random, home }: { readonly random: Random; readonly home: string },
): Source {
  const { path, lines, beside } = SHAPES[agent](conversation, random, home);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (beside !== undefined && !existsSync(beside.path)) writeFileSync(beside.path, beside.text);
  return { agent, sessionId: conversation.id, lines: text };
}

function ofDatabase(home: string): Source {
  const path = join(home, ".local/share/opencode/opencode.db");
  const db = new DatabaseSync(path, { readOnly: true });
  const sessionId = String(db.prepare("select id from session").get()?.id);
  const rows = ["message", "part"].flatMap((table) => db.prepare(`select data from ${table}`).all());
  db.close();
  return { agent: "opencode", sessionId, lines: rows.map(({ data }) => `${String(data)}\n`).join("") };
}

function readAndWrite({ agent, lines }: Source, home: string): void {
  const path = join(home, `least-${agent}`);
  if (!existsSync(path)) writeFileSync(path, lines);
  const values: unknown[] = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  writeFileSync(`${path}.copy`, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

/** From the source's file to the target's records in a file. */
async function convert(source: Source, to: AgentName, places: Places): Promise<void> {
  const lookup = await lookUpSession(`${source.agent}:${source.sessionId}`, { places });
  const read = await readSource(lookup, places, {});
  const { messages } = convertMessages(read.messages, to);
  const writer = await writerOf(to);
  const makers = recordMakers(makersOfNow());
  const sessionId = writer.newSessionId(makers);
  const session = { sessionId, cwd: places.home, title: "A title", gitBranch: null, createdMs: makers.now() };
  makers.mark();
  const file = writer.placeOf(session, places);
  const made = { writer, session, file, back: null, messages, makers, places };
  const records = await recordsOf(made, session);
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(places.home, `converted-${to}`), text);
}

async function timeInTurn(
  rounds: number,
  tasks: Readonly<Record<string, () => Promise<void>>>,
): Promise<Record<string, number>> {
  const times = new Map(Object.keys(tasks).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const started = process.cpuUsage();
      await task();
      const { user, system } = process.cpuUsage(started);
      // The first round warms up.
      if (round > 0) times.get(name)?.push((user + system) / 1000);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
