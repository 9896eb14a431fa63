/**
 * A property with a large count, run in batches that can be interrupted. After each batch its progress is written to a
 * separate file; the next run continues where the last one ended or failed, with the same seed.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The progress of one property's newest run. */
export interface SoakProgress {
  readonly name: string;
  readonly seed: number;
  /** The requested number of rounds. */
  readonly count: number;
  /** The number of rounds that passed. */
  readonly done: number;
  readonly result: "unfinished" | "passed" | "failed";
  /** The counts of the last batch. */
  readonly counts?: string;
  /** ISO 8601, of the last change. */
  readonly date: string;
}

export interface Batch {
  /** The seed, which differs from batch to batch, and is the same when a batch is repeated. */
  readonly seed: number;
  readonly count: number;
}

export interface RoundsOptions {
  readonly name: string;
  readonly count: number;
  readonly batchSize: number;
  /** The folder of the progress. */
  readonly folder: string;
  /** The seed of a new run; a continued run keeps its own. */
  readonly seed: number;
  readonly now: () => Date;
  /** Called after each batch that passed. */
  readonly report?: (progress: SoakProgress) => void;
}

/** Runs a batch. The text of its result is its count, for the table; it throws when one of its rounds fails. */
export type RunBatch = (batch: Batch) => unknown;

/** Runs the remaining batches. Throws the error of a batch, with the seed in the message. */
export async function runRounds(options: RoundsOptions, runBatch: RunBatch): Promise<SoakProgress> {
  let progress = begin(options);
  const { batchSize } = options;
  while (progress.done < progress.count) {
    const batch = {
      seed: (progress.seed + progress.done) | 0,
      count: Math.min(batchSize, progress.count - progress.done),
    };
    let counts: unknown;
    try {
      counts = await runBatch(batch);
    } catch (cause) {
      save(options, { ...progress, result: "failed" });
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`failed after ${progress.done} rounds with seed ${progress.seed}: ${reason}`, {
        cause,
      });
    }
    const done = progress.done + batch.count;
    const result = done < progress.count ? "unfinished" : "passed";
    progress = save(options, {
      ...progress,
      done,
      result,
      ...(typeof counts === "string" ? { counts } : {}),
    });
    options.report?.(progress);
  }
  return progress;
}

/** The newest run of every property that has one, in the order of names. */
export function readProgress(folder: string): readonly SoakProgress[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const all = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as SoakProgress);
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function begin(options: RoundsOptions): SoakProgress {
  const { name, count, seed, folder } = options;
  const last = readProgress(folder).find((progress) => progress.name === name);
  if (last !== undefined && last.count === count && last.result !== "passed") return last;
  return save(options, { name, seed, count, done: 0, result: "unfinished", date: "" });
}

function save({ folder, now }: RoundsOptions, progress: SoakProgress): SoakProgress {
  const dated = { ...progress, date: now().toISOString() };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${dated.name.replaceAll(/[^a-z0-9]+/giu, "-")}.json`);
  writeFileSync(`${path}.new`, `${JSON.stringify(dated)}\n`);
  renameSync(`${path}.new`, path);
  return dated;
}
