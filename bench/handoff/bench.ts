/**
 * The speed of hand-overs: a session of 5 MB in every direction, compared with the minimum cost: reading the same
 * bytes, `JSON.parse`, `JSON.stringify`, and writing them. With verification, it is compared with the target's own
 * reader on the same session.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handOff, lookUpSession, type Places } from "@continuo/agents";
import { convertMessages } from "@continuo/agents/handoff/converting";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { recordsOf } from "../../packages/agents/src/handoff/made-session.ts";
import { readSource } from "../../packages/agents/src/handoff/source/index.ts";
import { formatOf } from "../../packages/native/src/native/registry.ts";
import { freezeMakers, makersOfNow } from "../../packages/native/src/native/writing/makers.ts";
import { printRatios } from "../measure/index.ts";
import { LARGE_BYTES, makeSources, SIZE_BYTES, type Source } from "./sources.ts";
import { median, timeInTurn } from "./times.ts";
import { timeVerified } from "./verification.ts";

export interface BenchOptions {
  readonly large: boolean;
  readonly rounds: number;
}

export async function run({ rounds, large }: BenchOptions): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  try {
    const places: Places = { home, env: {} };
    const sizeBytes = large ? LARGE_BYTES : SIZE_BYTES;
    const sources = makeSources(home, sizeBytes);
    const ratios: Record<string, number[]> = { conversion: [], all: [] };
    console.log(`\nHand-over of ${sizeBytes / 1e6} MB: medians of processor time`);
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
    await timeVerified(sources, { home, rounds });
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

function readAndWrite({ agent, lines }: Source, home: string): void {
  const path = join(home, `least-${agent}`);
  if (!existsSync(path)) writeFileSync(path, lines);
  const values: unknown[] = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  writeFileSync(`${path}.copy`, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

/** Converts from the source's file to the target's records in a file. */
async function convert(source: Source, to: AgentName, places: Places): Promise<void> {
  const lookup = await lookUpSession(`${source.agent}:${source.sessionId}`, { places });
  using read = await readSource(lookup, places, {});
  const { messages } = convertMessages(read.messages, to);
  const writer = await (await formatOf(to)).writer();
  const makers = makersOfNow();
  const sessionId = writer.newSessionId(makers);
  const session = { sessionId, cwd: places.home, title: "A title", gitBranch: null, createdMs: makers.now() };
  const file = writer.placeOf(session, places);
  const made = { writer, session, file, back: null, messages, makers: freezeMakers(makers), places };
  const records = await recordsOf(made, session);
  const text = Array.from(records, (record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(places.home, `converted-${to}`), text);
}
