/** Invariants of a session whose processes were killed: no input is missing, and none is sent twice. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store, StoredEvent } from "@continuo/core/model";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import { startChild } from "../../store/harness/lines.ts";
import { eventsOf } from "./log.ts";

const WORKER = await bundledProgram("test/sessions/processes/worker.ts");

export interface WorkerOptions {
  readonly url: string;
  readonly sessionId: string;
  readonly name: string;
  readonly inputs: number;
  readonly folder: string;
  readonly kind: "native" | "none";
}

/**
 * The moments at which workers are killed, one after another; the last worker runs to its end. Runs that end in between
 * leave a native session that the next one continues.
 */
export const KILLS = ["ended", "given", "started", "ended", "called", "streamed", "ended", "said"] as const;

const LONGEST_LIFE_MS = 150;

/** Runs workers of one name, each of which is killed at the next place, until one completes. */
export async function workAndDie(options: WorkerOptions, kills: readonly string[]): Promise<void> {
  const { url, sessionId, name, inputs, folder, kind } = options;
  const args = [WORKER, url, sessionId, name, String(inputs), folder, kind];
  for (const kill of kills) {
    const child = startChild([...args, kill]);
    try {
      await child.line(kill);
    } catch {
      // The worker completed before its kill, and its exit code tells whether it succeeded.
      if ((await child.ended()) === 0) return;
      throw new Error(`A worker ended with ${child.process.exitCode}: ${child.lines.join(", ")}`);
    }
    child.process.kill("SIGKILL");
    await child.ended();
  }
  const last = startChild(args);
  if ((await last.ended()) !== 0) throw new Error(`The last worker failed: ${last.lines.join(", ")}`);
}

/** Does the same with kills at random moments: `random` returns 0 to 1. */
export async function workAndDieAnytime(
  options: WorkerOptions,
  { kills, random }: { readonly kills: number; readonly random: () => number },
): Promise<void> {
  const { url, sessionId, name, inputs, folder, kind } = options;
  const args = [WORKER, url, sessionId, name, String(inputs), folder, kind];
  for (let kill = 0; kill < kills; kill++) {
    const child = startChild(args);
    await child.line("ready");
    // The pause is about as long as one input takes, so that some inputs are answered between two kills, and some are
    // not.
    await sleep(random() * LONGEST_LIFE_MS);
    child.process.kill("SIGKILL");
    await child.ended();
  }
  await workAndDie(options, []);
}

interface GivenLine {
  readonly runId: string;
  readonly input: string;
  readonly transcript: readonly string[];
  /** The earlier messages in the native session. */
  readonly known: readonly string[];
  readonly native: boolean;
}

export function givenIn(folder: string): readonly GivenLine[] {
  const lines = readFileSync(join(folder, "given.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as GivenLine);
}

/** Returns the faults, as sentences. */
export async function faultsOf(
  store: Store,
  {
    sessionId,
    folder,
    expected,
  }: { readonly sessionId: string; readonly folder: string; readonly expected: readonly string[] },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const events = await eventsOf(store, sessionId);
  const sent = events.filter(({ type }) => type === "message_sent");
  const inputs = sent.map(textIn);
  if (inputs.toSorted().join() !== expected.toSorted().join()) faults.push(`Said: ${inputs.join(", ")}.`);
  const completed = new Set(events.filter(({ type }) => type === "run_completed").map(({ runId }) => runId));
  const started = new Map(
    events.filter(({ type }) => type === "run_started").map(({ runId, sequence }) => [runId, sequence]),
  );
  const answered: string[] = [];
  for (const { runId, input, transcript, known } of givenIn(folder)) {
    if (completed.has(runId)) answered.push(input);
    const begun = started.get(runId) ?? 0;
    const before = sent
      .filter(({ sequence }) => sequence < begun)
      .map(textIn)
      .filter((text) => text !== input);
    const heard = [...known, ...transcript, `user: ${input}`].map(asInput).filter((text) => text !== null);
    const wanted = [...before, input];
    if (heard.toSorted().join() !== wanted.toSorted().join()) {
      faults.push(
        `${runId} with ${input} heard ${heard.join(", ")}; it should have heard ${wanted.join(", ")}.`,
      );
    }
  }
  if (answered.toSorted().join() !== expected.toSorted().join())
    faults.push(`Answered: ${answered.join(", ")}.`);
  return [...faults, ...overlapsIn(events)];
}

/** Inputs are messages of a person with the form `NAME-NUMBER`. */
function asInput(line: string): string | null {
  return /^(?:user: )?(\w+-\d+)$/.exec(line)?.[1] ?? null;
}

function textIn({ data }: StoredEvent): string {
  return (data as { readonly content: readonly { readonly text: string }[] }).content[0]?.text ?? "";
}

const ENDS = ["run_completed", "run_failed", "run_cancelled", "run_timed_out", "run_interrupted"];

/** Finds two runs at the same time, ends without a beginning, and events of a run that has ended. */
function overlapsIn(events: readonly StoredEvent[]): readonly string[] {
  const faults: string[] = [];
  const [begun, ended] = [new Set<string>(), new Set<string>()];
  let running: string | undefined;
  for (const { type, runId, sequence } of events) {
    if (runId === undefined || type === "run_created") continue;
    if (ended.has(runId)) faults.push(`${sequence} ${type} comes after the end of its run.`);
    if (type === "run_started") {
      if (running !== undefined) faults.push(`${sequence}: ${runId} began while ${running} ran.`);
      running = runId;
      begun.add(runId);
    } else if (ENDS.includes(type)) {
      ended.add(runId);
      if (runId === running) running = undefined;
    } else if (type === "message_sent" && !begun.has(runId)) {
      // A run that never began records its input with its end.
    } else if (runId !== running) faults.push(`${sequence} ${type} is of a run that does not run.`);
  }
  if (running !== undefined) faults.push(`${running} has no end.`);
  return faults;
}
