/**
 * Converts a session in an older format to today's format in its place, as its agent does when it opens the session.
 */

import { basename, join } from "node:path";
import { ContinuoError, type Message } from "@continuo/core/model";
import { exactOf, isJson, type Json, openScratch, type Places } from "@continuo/files";
import type { Lookup } from "../native/index.ts";
import type { OpenedSession } from "../native/kit/index.ts";
import {
  type KeptRecord,
  type Makers,
  type NativeWriter,
  toLines,
  writeNewFile,
} from "../native/writing/index.ts";
import { firstDifference } from "./compare-fork.ts";
import { moveToTrash } from "./trash/index.ts";

export interface UpgradeOptions {
  readonly lookup: Lookup;
  readonly writer: NativeWriter<unknown>;
  readonly makers: Makers;
  readonly places: Places;
}

/**
 * Returns false if there is nothing to convert. The earlier file goes to the trash. The caller has the lock. Errors:
 * `verification_failed` if the session would read differently; those of the trash. After an error nothing has changed.
 */
export async function upgradeSession(upgrading: UpgradeOptions): Promise<boolean> {
  const { lookup, writer, makers, places } = upgrading;
  const { reader, found } = lookup;
  const file = found.files.at(-1);
  if (writer.upgrade === undefined || file === undefined) return false;
  using opened = await reader.open(found, places, { keep: "all" });
  const records = writer.upgrade(await recordsOf(opened), makers);
  if (records === null) return false;
  const bytes = Buffer.from(toLines(records.flatMap(({ value }): Json[] => (isJson(value) ? [value] : []))));
  const before = await Array.fromAsync(opened.history());
  const difference = await firstDifference(before, await readBack(lookup, bytes, basename(file.path)));
  if (difference !== null) {
    throw new ContinuoError(
      "verification_failed",
      `the session reads differently in today's format: ${difference}`,
      {
        hint: `Open it once in ${writer.agent}, which updates it; nothing was written.`,
      },
    );
  }
  const info = await reader.skim(found, { part: "whole" });
  const plan = { type: "files", paths: [file.path], indexLines: [], forks: [] } as const;
  await moveToTrash(found, info, plan, { places, now: new Date(), replacement: { bytes } });
  return true;
}

async function recordsOf(opened: OpenedSession): Promise<KeptRecord[]> {
  const records: KeptRecord[] = [];
  for await (const { line, value } of opened.entries()) records.push({ line, value: exactOf(value) });
  return records;
}

async function readBack({ reader }: Lookup, bytes: Buffer, name: string): Promise<readonly Message[]> {
  using scratch = openScratch();
  const copy = join(scratch.path, name);
  writeNewFile(copy, bytes);
  const home = { home: scratch.path, env: {} };
  const found = await reader.recognise(copy, home);
  if (found === null) return [];
  using opened = await reader.open(found, home, {});
  return await Array.fromAsync(opened.history());
}
