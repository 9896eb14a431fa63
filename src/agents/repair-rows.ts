/** A damaged session of an agent that keeps a database, repaired row by row, or as a file that the agent takes in. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContinuoError } from "../model/index.ts";
import { lockSession, makersOfNow, writeNewFile } from "./adapter/index.ts";
import { type Lookup, writerOf } from "./lookup/index.ts";
import { type Places, toSignal } from "./reader/index.ts";
import type { RepairOptions, SessionRepair } from "./repair-result.ts";
import { assertAllSaid, textsOf, unsound, writeCopy } from "./repair-sound.ts";
import type { RowRepair, RowRepairer } from "./repairing/index.ts";
import { moveToTrash, restoreFromTrash } from "./trash/index.ts";

const LOCK_WAIT_MS = 30_000;

interface Repairing {
  readonly lookup: Lookup;
  readonly places: Places;
  readonly options: RepairOptions;
  readonly repairer: RowRepairer;
}

/**
 * Errors: `unsupported` for an exported file in place; `conflict` for a file that is there; `busy`, `unreadable`,
 * `unwritable`, `verification_failed`.
 */
export async function repairRows(
  lookup: Lookup,
  places: Places,
  options: RepairOptions,
): Promise<SessionRepair> {
  const { opencodeRepairer: repairer } = await import("./opencode/index.ts");
  const { agent, sessionId, location } = lookup.found;
  const repairing = { lookup, places, options, repairer };
  const database = location.replace(/#[^/#]*$/u, "");
  if (database === location && options.write === "in place") throw unsupported();
  const unwritten = { agent, sessionId, location, written: null, trashId: null };
  const { edits } = await plan(repairing);
  if (edits.length === 0 || options.write === undefined) return { ...unwritten, edits };
  return options.write === "in place"
    ? { ...unwritten, ...(await replace(repairing, database)) }
    : { ...unwritten, edits, written: await copyTo(repairing, options.write.file) };
}

async function plan({ lookup, places, options, repairer }: Repairing): Promise<RowRepair> {
  using opened = await lookup.reader.open(lookup.found, places, toSignal(options.signal));
  return await repairer.mendRows(opened);
}

type Replaced = Pick<SessionRepair, "edits" | "written" | "trashId">;

async function replace(repairing: Repairing, database: string): Promise<Replaced> {
  const { lookup, places, options } = repairing;
  const { reader, found } = lookup;
  const writer = await writerOf(found.agent);
  const sink = await writer.openSink(database, found.sessionId, places);
  const { signal } = options;
  const lock = await lockSession(database, found.sessionId, { places, waitMs: LOCK_WAIT_MS, signal });
  try {
    const { edits, tables, records } = await plan(repairing);
    const info = await reader.skim(found, { part: "whole" });
    const rows = tables.map(({ name, ids }) => ({ name, column: "id", values: ids }));
    const taking = { type: "rows", database, tables: rows, forks: [] } as const;
    const trashed = await moveToTrash(found, info, taking, {
      places,
      now: new Date(),
      replacement: "rows",
    });
    try {
      if (records.length > 0) sink.append(records);
    } catch (error) {
      await restoreFromTrash(trashed.trashId, places);
      throw error;
    }
    return { edits, written: database, trashId: trashed.trashId };
  } finally {
    sink.close();
    lock.release();
  }
}

/** Read back in a scratch folder before it is written. */
async function copyTo({ lookup, places, options, repairer }: Repairing, file: string): Promise<string> {
  const { reader, found } = lookup;
  using opened = await reader.open(found, places, toSignal(options.signal));
  const { sessionId } = found;
  const context = { sessionId, cwd: opened.details.cwd, makers: makersOfNow() };
  const text = await repairer.toFile(opened, await repairer.mendRows(opened), context);
  if (text === null) throw unsound("its own record is lost");
  const bytes = Buffer.from(text, "utf8");
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "continuo-repair-")));
  try {
    const copy = join(scratch, "session.json");
    writeNewFile(copy, bytes);
    const again = await reader.recognise(copy, { home: scratch, env: {} });
    if (again === null) throw unsound("it is no session");
    const before = await textsOf(lookup, places, found.location);
    assertAllSaid(before, await textsOf({ reader, found: again }, places, copy));
    using reread = await reader.open(again, places, {});
    if ((await repairer.mendRows(reread)).edits.length > 0)
      throw unsound("it would have to be repaired again");
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
  return writeCopy(file, bytes, options);
}

function unsupported(): ContinuoError {
  return new ContinuoError("unsupported", "a file that was exported is not repaired in place", {
    hint: "`--output` writes a repaired one, which `opencode import` takes.",
  });
}
