/** Repairs a session of an agent that keeps a database: row by row, or by writing a file that the agent imports. */

import { join } from "node:path";
import { ContinuoError, present } from "@continuo/core/model";
import { openScratch, type Places } from "@continuo/files";
import { formatOf, type Lookup, pick } from "../native/index.ts";
import type { RowRepair, RowRepairer } from "../native/repairing/index.ts";
import { makersOfNow, writeNewFile } from "../native/writing/index.ts";
import { fileOf, lockedForEdit } from "./locking/index.ts";
import { damageLeft, damageOf } from "./remaining-damage.ts";
import type { CopyTarget, RepairOptions, SessionRepair } from "./repair-result.ts";
import { assertAllSaid, textsOf, unsound, writeCopy } from "./repair-sound.ts";
import { moveToTrash } from "./trash/index.ts";

interface RowRepairContext {
  readonly lookup: Lookup;
  readonly places: Places;
  readonly options: RepairOptions;
  readonly repairer: RowRepairer;
}

/**
 * Errors: `unsupported` for an exported file that should be repaired in place; `conflict` for a file that exists;
 * `busy`, `unreadable`, `unwritable`, `verification_failed`.
 */
export async function repairRows(
  lookup: Lookup,
  parts: Omit<RowRepairContext, "lookup">,
): Promise<SessionRepair> {
  const repairing = { lookup, ...parts };
  const { options } = parts;
  const { agent, sessionId, location } = lookup.found;
  const database = fileOf(lookup.found);
  if (database === location && options.write === "in place") throw unsupported();
  // In opencode, a result is a part of its call.
  const unwritten = { agent, sessionId, location, droppedResults: 0, written: null, trashId: null };
  const isSalvaged = lookup.found.problems.some(({ code }) => code === "damaged_database");
  if (isSalvaged && options.write === "in place") throw damagedDatabase(database);
  const { edits } = await plan(repairing);
  // A damaged database needs a copy of its readable part, even if no record is damaged.
  if (edits.length === 0 && !(isSalvaged && options.write !== undefined)) {
    return { ...unwritten, edits, remaining: await damageOf(lookup, repairing.places) };
  }
  if (options.write !== "in place")
    return { ...unwritten, edits, ...(await copyTo(repairing, options.write)) };
  const replaced = await replace(repairing, database);
  return { ...unwritten, ...replaced, remaining: await damageOf(lookup, repairing.places) };
}

async function plan({ lookup, places, options, repairer }: RowRepairContext): Promise<RowRepair> {
  using opened = await lookup.reader.open(lookup.found, places, present({ signal: options.signal }));
  return await repairer.mendRows(opened);
}

type RowsRepair = Omit<SessionRepair, "agent" | "sessionId" | "location" | "droppedResults" | "remaining">;

async function replace(repairing: RowRepairContext, database: string): Promise<RowsRepair> {
  const { lookup, places, options } = repairing;
  const { reader, found } = lookup;
  const writer = await (await formatOf(found.agent)).writer();
  const sink = await writer.openSink(database, found.sessionId, places);
  const { signal } = options;
  try {
    return await lockedForEdit({ ...found, file: database }, { places, signal }, async () => {
      const { edits, tables, records } = await plan(repairing);
      const info = await reader.skim(found, { part: "whole" });
      const rows = tables.map(({ name, ids }) => ({ name, column: "id", values: ids }));
      const taking = { type: "rows", database, tables: rows, forks: [] } as const;
      const trashed = await moveToTrash(found, info, taking, {
        places,
        now: new Date(),
        replacement: { rows: (take) => sink.append(records, { before: take }) },
      });
      return { edits, written: database, trashId: trashed.trashId };
    });
  } finally {
    sink.close();
  }
}

/** Reads the result back in a scratch folder before it is written. Writes nothing if `to` is left out. */
async function copyTo(
  { lookup, places, options, repairer }: RowRepairContext,
  to: CopyTarget | undefined,
): Promise<Pick<SessionRepair, "remaining" | "written">> {
  const { reader, found } = lookup;
  using opened = await reader.open(found, places, present({ signal: options.signal }));
  const { sessionId } = found;
  const context = { sessionId, cwd: opened.details.cwd, makers: makersOfNow() };
  const text = await repairer.toFile(opened, await repairer.mendRows(opened), context);
  if (text === null && to !== undefined) throw unsound("its own record is lost");
  // Without a file, the session can only be repaired in place.
  if (text === null) return { remaining: await damageOf(lookup, places), written: null };
  const bytes = Buffer.from(text, "utf8");
  using scratch = openScratch();
  const copy = join(scratch.path, "session.json");
  writeNewFile(copy, bytes);
  const again = await reader.recognise(copy, { home: scratch.path, env: {} });
  if (again === null) throw unsound("it is not a session");
  const before = await textsOf(lookup, places, found.location);
  assertAllSaid(before, await textsOf({ reader, found: again }, places, copy));
  using reread = await reader.open(again, places, {});
  if ((await repairer.mendRows(reread)).edits.length > 0) throw unsound("another repair would be needed");
  const remaining = await damageLeft(lookup, { reader, found: again }, places);
  const written = to === undefined ? null : await writeCopy(to, bytes, { ...pick(options, "cwd"), places });
  return { remaining, written };
}

function damagedDatabase(path: string): ContinuoError {
  return new ContinuoError("unsupported", `the database ${path} is damaged, and is not repaired in place`, {
    hint: "Use `--output` to write the readable part, move the database away, and run `opencode import`.",
  });
}

function unsupported(): ContinuoError {
  return new ContinuoError("unsupported", "cannot repair an exported file in place", {
    hint: "Use `--output` to write a repaired copy for `opencode import`.",
  });
}
