/**
 * Repairs a damaged native session: shows the changes, writes a copy, or repairs it in place and moves the old file to
 * the trash.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  assertKnownOptions,
  ContinuoError,
  cancellable,
  type Problem,
  present,
  type SessionInfo,
} from "@continuo/core/model";
import { type FoundFile, type Json, openScratch, type Places, placesOfThisUser } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
import {
  formatOf,
  LOOKUP_OPTIONS,
  type Lookup,
  lookUpSession,
  pick,
  type SessionRef,
} from "../native/index.ts";
import {
  bytesOf,
  draftOf,
  droppedResultsOf,
  editsOf,
  type NativeRepairer,
  type RepairEdit,
  readToMend,
  refuseTooLarge,
  remainingLines,
} from "../native/repairing/index.ts";
import { makersOfNow, writeNewFile } from "../native/writing/index.ts";
import { refuseOpen } from "./live.ts";
import { lockedForEdit, settleUnfinished } from "./locking/index.ts";
import { damageLeft, damageOf } from "./remaining-damage.ts";
import type { RepairOptions, SessionRepair } from "./repair-result.ts";
import { repairRows } from "./repair-rows.ts";
import { assertAllSaid, textsOf, unsound, writeCopy } from "./repair-sound.ts";
import { moveToTrash, type TrashedSession } from "./trash/index.ts";

/**
 * Errors: those of a lookup; `session_live`, `has_forks`, `busy` in place; `conflict` for a file that exists;
 * `unsupported`, `too_large`, `unreadable`, `unwritable`; `invalid` if no complete record is left, or for a copy in a
 * folder of an agent or of Continuo; `verification_failed` if the repaired session would lose content. Nothing is
 * written then.
 */
export async function repairNativeSession(
  ref: SessionRef,
  options: RepairOptions = {},
): Promise<SessionRepair> {
  assertKnownOptions("repairNativeSession", options, { ...LOOKUP_OPTIONS, write: true });
  if (typeof options.write === "object") {
    assertKnownOptions("write", options.write, { file: true, force: true });
  }
  return await cancellable(options.signal, () => repairSession(ref, options));
}

async function repairSession(ref: SessionRef, options: RepairOptions): Promise<SessionRepair> {
  const places = options.places ?? placesOfThisUser();
  if (options.write === "in place") await settleUnfinished({ places, signal: options.signal });
  const lookup = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
  const { found } = lookup;
  if (options.write === "in place") await refuseOpen(lookup);
  const repair = await (await formatOf(found.agent)).repairer();
  if (repair.of === "rows") return await repairRows(lookup, { repairer: repair.repairer, places, options });
  const mended = await mend(lookup, repair.repairer);
  const { agent, sessionId, location } = found;
  const { edits, droppedResults } = mended;
  options.signal?.throwIfAborted();
  if (mended.isEmpty) {
    throw new ContinuoError("invalid", `cannot repair ${mended.file.path}: it contains no complete record`, {
      hint: "Restore the file from a backup.",
    });
  }
  const remaining =
    edits.length === 0 ? await damageOf(lookup, places) : await verify(lookup, places, mended);
  const unwritten = {
    agent,
    sessionId,
    location,
    edits,
    droppedResults,
    remaining,
    written: null,
    trashId: null,
  };
  if (edits.length === 0 || options.write === undefined) return unwritten;
  if (options.write !== "in place") {
    const written = await writeCopy(options.write, mended.bytes, { ...pick(options, "cwd"), places });
    return { ...unwritten, written };
  }
  const relist = async (): Promise<void> =>
    await repair.repairer.relist?.({
      sessionId,
      sessionFile: mended.file.path,
      records: recordsIn(mended.bytes),
    });
  const trashed = await replace(lookup, places, { ...mended, options, relist });
  return { ...unwritten, written: mended.file.path, trashId: trashed.trashId };
}

function recordsIn(bytes: Buffer): readonly Json[] {
  return remainingLines(draftOf(bytes)).map(({ value }) => value);
}

interface RepairFile {
  readonly file: FoundFile;
  readonly edits: readonly RepairEdit[];
  readonly droppedResults: number;
  readonly bytes: Buffer;
  /** No record is left. */
  readonly isEmpty: boolean;
  readonly again: (bytes: Buffer) => readonly RepairEdit[];
}

async function mend({ reader, found }: Lookup, repairer: NativeRepairer): Promise<RepairFile> {
  const file = found.files.at(-1);
  if (file === undefined) throw new ContinuoError("unreadable", `cannot read ${found.location}`);
  refuseTooLarge(file.path, file.sizeBytes);
  if (isCompressed(file.path)) {
    throw new ContinuoError("unsupported", `cannot change ${file.path}: it is compressed`, {
      hint: "Resume the session in Codex, which unpacks the file.",
    });
  }
  repairer.refuse?.(file.path);
  const info = await reader.skim(found, { part: "ends" });
  const named = info.cwd ?? found.cwd;
  const isThere = typeof named === "string" && existsSync(named);
  const cwdOfPlace = isThere ? null : ((await repairer.findCwd?.(file.path)) ?? null);
  const context = { sessionId: found.sessionId, cwd: named ?? cwdOfPlace, cwdOfPlace, makers: makersOfNow() };
  const draftFrom = (bytes: Buffer): ReturnType<typeof draftOf> => {
    const draft = draftOf(bytes);
    repairer.mend(draft, context);
    return draft;
  };
  const draft = draftFrom(readToMend(file.path));
  return {
    file,
    edits: editsOf(draft),
    droppedResults: droppedResultsOf(draft),
    bytes: bytesOf(draft),
    isEmpty: remainingLines(draft).length === 0,
    again: (bytes) => editsOf(draftFrom(bytes)),
  };
}

/**
 * Checks that all texts are still there, and that there is nothing more to repair. Returns the damage that remains.
 * Errors: `verification_failed`.
 */
async function verify({ reader, found }: Lookup, places: Places, mended: RepairFile): Promise<Problem[]> {
  if (mended.again(mended.bytes).length > 0) throw unsound("another repair would be needed");
  const before = await textsOf({ reader, found }, places, found.location);
  using scratch = openScratch();
  const folder = basename(dirname(mended.file.path));
  const copy = join(scratch.path, "sessions", folder, basename(mended.file.path));
  writeNewFile(copy, mended.bytes);
  const again = await reader.recognise(copy, { home: scratch.path, env: {} });
  // A file that was a session only because of its place has no messages.
  if (again === null && before.length > 0) throw unsound("it is not a session");
  const repaired = again === null ? null : { reader, found: again };
  if (repaired !== null) assertAllSaid(before, await textsOf(repaired, places, copy));
  return await damageLeft({ reader, found }, repaired, places);
}

interface ReplaceOptions extends RepairFile {
  readonly options: RepairOptions;
  readonly relist: () => Promise<void>;
}

/**
 * The old file stays in its place until the repaired one takes it. Errors: `busy`, `has_forks`, `conflict`,
 * `unwritable`.
 */
async function replace(
  { reader, found }: Lookup,
  places: Places,
  mended: ReplaceOptions,
): Promise<TrashedSession> {
  const { file, bytes, options, relist } = mended;
  const info: SessionInfo = await reader.skim(found, present({ part: "whole", signal: options.signal }));
  const { forks } = await reader.trashPlan(found, places);
  const plan = { type: "files", paths: [file.path], indexLines: [], forks } as const;
  const { signal } = options;
  return await lockedForEdit({ ...found, file: file.path }, { places, signal }, async () => {
    // The list is written first, because its entry does no harm if the rest fails.
    await relist();
    return await moveToTrash(found, info, plan, { places, now: new Date(), replacement: { bytes } });
  });
}
