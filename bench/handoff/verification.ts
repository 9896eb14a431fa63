/**
 * Hand-overs that the installed real agents verify, compared with only the agent's own reader on the same session. The
 * times are by the clock, because most of the time is spent in the agent's process, which often waits.
 */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { handOff, lookUpSession, type Places } from "@continuo/agents";
import { type StagedSession, witnessOf } from "@continuo/agents/drivers/witness";
import { convertMessages } from "@continuo/agents/handoff/converting";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { openScratch } from "@continuo/files";
import { stageRecords } from "@continuo/native/editing/placing";
import { makeSession, recordsOf } from "../../packages/agents/src/handoff/made-session.ts";
import { readSource } from "../../packages/agents/src/handoff/source/index.ts";
import { PINNED, packageFolder } from "../../test/agents/install.ts";
import type { Source } from "./sources.ts";
import { median } from "./times.ts";

/** Agents that are scripts of Node; the others are binaries. */
const SCRIPTS: readonly AgentName[] = ["codex", "gemini", "pi"];
/** Each takes seconds. */
const MAX_ROUNDS = 3;

interface VerifiedOptions {
  readonly home: string;
  readonly rounds: number;
}

export async function timeVerified(
  sources: readonly Source[],
  { home, rounds }: VerifiedOptions,
): Promise<void> {
  const places: Places = { home, env: { PATH: process.env.PATH ?? "" } };
  console.log("\nHand-over with verification, and the target's own reader alone: medians by the clock");
  for (const to of AGENT_NAMES) {
    const program = installed(to);
    if (program === null) {
      console.log(`  to ${to.padEnd(10)} not installed: \`node test/agents/install.ts\` installs it`);
      continue;
    }
    const source = sources.find(({ agent }) => agent !== to);
    if (source === undefined) throw new Error("there is no source");
    const going = { source, to, program, places };
    const [whole, alone] = await timeBoth(going, Math.min(rounds, MAX_ROUNDS));
    const numbers = `verified ${whole.toFixed(0)} ms   alone ${alone.toFixed(0)} ms`;
    console.log(
      `  ${source.agent} to ${to.padEnd(10)} ${numbers}   more ${(whole - alone).toFixed(0)} ms   ratio ${(whole / alone).toFixed(2)}`,
    );
  }
}

function installed(agent: AgentName): readonly string[] | null {
  const pinned = PINNED[agent];
  const path = join(packageFolder(pinned), pinned.proof);
  if (!existsSync(path)) return null;
  return SCRIPTS.includes(agent) ? [process.execPath, path] : [path];
}

interface HandOffInput {
  readonly source: Source;
  readonly to: AgentName;
  readonly program: readonly string[];
  readonly places: Places;
}

async function timeBoth(
  going: HandOffInput,
  rounds: number,
): Promise<readonly [whole: number, alone: number]> {
  const [whole, alone]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [a, b] = [await timeWhole(going), await timeAlone(going)];
    // The first round warms up.
    if (round > 0) [whole.push(a), alone.push(b)];
  }
  return [median(whole), median(alone)];
}

async function timeWhole({ source, to, program, places }: HandOffInput): Promise<number> {
  const started = performance.now();
  const { verification } = await handOff(`${source.agent}:${source.sessionId}`, {
    to,
    cwd: places.home,
    places,
    verifyBy: "agent",
    programs: { [to]: program },
  });
  if (verification === null || verification.by === "continuo") throw new Error(`${to} was not asked`);
  return performance.now() - started;
}

/** Measures only the call of the witness: staging before it is not counted. */
async function timeAlone(going: HandOffInput): Promise<number> {
  using folder = openScratch();
  const staged = await stage(going, folder.path);
  const witness = await witnessOf(going.to);
  const started = performance.now();
  await witness?.(staged);
  return performance.now() - started;
}

async function stage({ source, to, program, places }: HandOffInput, scratch: string): Promise<StagedSession> {
  const lookup = await lookUpSession(`${source.agent}:${source.sessionId}`, { places });
  const read = await readSource(lookup, places, {});
  const { messages } = convertMessages(read.messages, to);
  const project = join(scratch, "project");
  mkdirSync(project);
  const title = "A title";
  const made = await makeSession({ gitBranch: null, back: null, messages, cwd: project, title, places, to });
  const home: Places = { home: scratch, env: {} };
  const records = await recordsOf(made, made.session);
  const { writer, session } = made;
  const file = stageRecords({ writer, session, records, home });
  const { sessionId } = session;
  const searchPath = places.env.PATH ?? "";
  const cache = join(places.home, ".cache");
  return { program, searchPath, scratch, project, file, home, sessionId, cache, signal: undefined };
}
