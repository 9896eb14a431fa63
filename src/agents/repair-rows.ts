/** A damaged session of an agent that keeps a database, repaired row by row. */

import { ContinuoError } from "../model/index.ts";
import { lockSession, makersOfNow } from "./adapter/index.ts";
import type { Lookup } from "./lookup/index.ts";
import { writerOf } from "./lookup/index.ts";
import { type Places, toSignal } from "./reader/index.ts";
import type { RepairOptions, SessionRepair } from "./repair.ts";
import type { RowRepair } from "./repairing/index.ts";
import { moveToTrash, restoreFromTrash } from "./trash/index.ts";

const LOCK_WAIT_MS = 30_000;

/** Errors: `unsupported` for a copy, and for an export file; `busy`, `unreadable`, `unwritable`. */
export async function mendRowsInPlace(
  { reader, found }: Lookup,
  places: Places,
  options: RepairOptions,
): Promise<SessionRepair> {
  const { agent, sessionId, location } = found;
  const database = location.replace(/#[^/#]*$/u, "");
  if (database === location) throw unsupported("an exported session is not repaired");
  if (typeof options.write === "object") throw unsupported("its sessions lie in a database, not in files");
  const { opencodeRepairer: repairer } = await import("./opencode/index.ts");
  const context = { sessionId, cwd: null, makers: makersOfNow() };
  const mend = async (): Promise<RowRepair> => {
    using opened = await reader.open(found, places, toSignal(options.signal));
    return await repairer.mendRows(opened, found, context);
  };
  const unwritten = { agent, sessionId, location, written: null, trashId: null };
  const planned = await mend();
  if (planned.edits.length === 0 || options.write === undefined)
    return { ...unwritten, edits: planned.edits };
  const writer = await writerOf(agent);
  const sink = await writer.openSink(database, sessionId);
  const lock = await lockSession(database, sessionId, {
    places,
    waitMs: LOCK_WAIT_MS,
    signal: options.signal,
  });
  try {
    const { edits, ids, records } = await mend();
    const info = await reader.skim(found, { part: "whole" });
    const tables = [{ name: repairer.table, column: "id", values: ids }];
    const plan = { type: "rows", database, tables, forks: [] } as const;
    const trashed = await moveToTrash(found, info, plan, { places, now: new Date(), replacement: "rows" });
    try {
      if (records.length > 0) sink.append(records);
    } catch (error) {
      await restoreFromTrash(trashed.trashId, places);
      throw error;
    }
    return { ...unwritten, edits, written: database, trashId: trashed.trashId };
  } finally {
    sink.close();
    lock.release();
  }
}

function unsupported(why: string): ContinuoError {
  return new ContinuoError("unsupported", `no copy of this session can be written: ${why}`, {
    hint: "`--in-place` repairs the rows, and keeps the old ones in the trash.",
  });
}
