/** A damaged native session repaired: what would be changed, as a copy, or in its place with the old file in the trash. */

import { mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type AgentName, ContinuoError, type SessionInfo } from "../model/index.ts";
import { lockSession, makersOfNow, writeNewFile } from "./adapter/index.ts";
import { type Lookup, lookUpSession, placesOfThisUser, type SessionRef } from "./lookup/index.ts";
import { type FoundFile, type FoundSession, type Json, type Places, toSignal } from "./reader/index.ts";
import { isCompressed, toReadError } from "./records/index.ts";
import type { RepairOptions, SessionRepair } from "./repair-result.ts";
import { repairRows } from "./repair-rows.ts";
import { assertAllSaid, textsOf, unsound, writeCopy } from "./repair-sound.ts";
import {
  bytesOf,
  draftOf,
  editsOf,
  type NativeRepairer,
  present,
  type RepairEdit,
} from "./repairing/index.ts";
import { moveToTrash, restoreFromTrash, type TrashedSession } from "./trash/index.ts";

const REPAIRERS: Readonly<Record<Exclude<AgentName, "opencode">, () => Promise<NativeRepairer>>> = {
  claude: async () => (await import("./claude/index.ts")).claudeRepairer,
  codex: async () => (await import("./codex/index.ts")).codexRepairer,
  gemini: async () => (await import("./gemini/index.ts")).geminiRepairer,
  pi: async () => (await import("./pi/index.ts")).piRepairer,
};

/** A repair holds the file as a whole. */
const MAX_REPAIR_BYTES: number = 512 * 1024 * 1024;
const LOCK_WAIT_MS = 30_000;

/**
 * Errors: those of a lookup; `session_live`, `has_forks`, `busy` in place; `conflict` for a file that is there;
 * `unsupported`, `too_large`, `unreadable`, `unwritable`; `invalid` where no whole record is left;
 * `verification_failed` where the repaired session says less. Nothing is written then.
 */
export async function repairNativeSession(
  ref: SessionRef,
  options: RepairOptions = {},
): Promise<SessionRepair> {
  const places = options.places ?? placesOfThisUser();
  const lookup = await lookUpSession(ref, { ...options, places });
  const { found } = lookup;
  if (options.write === "in place") refuseLive(found);
  if (found.location.includes("#") || found.agent === "opencode") {
    return await repairRows(lookup, places, options);
  }
  const repair = await REPAIRERS[found.agent]();
  const mended = await mend(lookup, repair);
  const { agent, sessionId, location } = found;
  const unwritten = { agent, sessionId, location, edits: mended.edits, written: null, trashId: null };
  options.signal?.throwIfAborted();
  if (mended.isEmpty) {
    throw new ContinuoError("invalid", `no whole record is in ${mended.file.path}`, {
      hint: "There is nothing that a repair could keep.",
    });
  }
  if (mended.edits.length === 0 || options.write === undefined) return unwritten;
  await verify(lookup, places, mended);
  if (options.write !== "in place") {
    const { file } = options.write;
    return { ...unwritten, written: writeCopy(file, mended.bytes, options) };
  }
  const relist = async (): Promise<void> =>
    await repair.relist?.({ sessionId, sessionFile: mended.file.path, records: recordsIn(mended.bytes) });
  const trashed = await replace(lookup, places, { ...mended, options, relist });
  return { ...unwritten, written: mended.file.path, trashId: trashed.trashId };
}

function recordsIn(bytes: Buffer): readonly Json[] {
  return present(draftOf(bytes)).map(({ value }) => value);
}

export function refuseLive({ agent, sessionId, live }: FoundSession): void {
  if (live !== true) return;
  throw new ContinuoError("session_live", `${agent} has session ${sessionId} open`, {
    hint: "End it there first.",
  });
}

interface Mended {
  readonly file: FoundFile;
  readonly edits: readonly RepairEdit[];
  readonly bytes: Buffer;
  /** No record is left. */
  readonly isEmpty: boolean;
  readonly again: (bytes: Buffer) => readonly RepairEdit[];
}

async function mend({ reader, found }: Lookup, repairer: NativeRepairer): Promise<Mended> {
  const file = found.files.at(-1);
  if (file === undefined) throw new ContinuoError("unreadable", `cannot read ${found.location}`);
  if (file.sizeBytes > MAX_REPAIR_BYTES) {
    throw new ContinuoError("too_large", `${file.path} is larger than ${MAX_REPAIR_BYTES} bytes`);
  }
  if (isCompressed(file.path)) {
    throw new ContinuoError("unsupported", `${file.path} is compressed`, {
      hint: "Codex unpacks it when it resumes the session.",
    });
  }
  const info = await reader.skim(found, { part: "ends" });
  const context = { sessionId: found.sessionId, cwd: info.cwd ?? found.cwd ?? null, makers: makersOfNow() };
  const draftFrom = (bytes: Buffer): ReturnType<typeof draftOf> => {
    const draft = draftOf(bytes);
    repairer.mend(draft, context);
    return draft;
  };
  repairer.refuse?.(file.path);
  const draft = draftFrom(readWhole(file.path));
  return {
    file,
    edits: editsOf(draft),
    bytes: bytesOf(draft),
    isEmpty: present(draft).length === 0,
    again: (bytes) => editsOf(draftFrom(bytes)),
  };
}

function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw toReadError(path, cause);
  }
}

/** What was said is still said, and there is nothing more to repair. Errors: `verification_failed`. */
async function verify({ reader, found }: Lookup, places: Places, mended: Mended): Promise<void> {
  if (mended.again(mended.bytes).length > 0) throw unsound("it would have to be repaired again");
  const before = await textsOf({ reader, found }, places, found.location);
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "continuo-repair-")));
  try {
    const folder = basename(dirname(mended.file.path));
    const copy = join(scratch, "sessions", folder, basename(mended.file.path));
    writeNewFile(copy, mended.bytes);
    const again = await reader.recognise(copy, { home: scratch, env: {} });
    // What only its place told to be a session holds nothing that is said.
    if (again === null && before.length === 0) return;
    if (again === null) throw unsound("it is no session");
    assertAllSaid(before, await textsOf({ reader, found: again }, places, copy));
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

interface Replacing extends Mended {
  readonly options: RepairOptions;
  readonly relist: () => Promise<void>;
}

/** The repaired file lies beside the old one before that moves. Errors: `busy`, `has_forks`, `conflict`, `unwritable`. */
async function replace(
  { reader, found }: Lookup,
  places: Places,
  mended: Replacing,
): Promise<TrashedSession> {
  const { file, bytes, options, relist } = mended;
  const info: SessionInfo = await reader.skim(found, { part: "whole", ...toSignal(options.signal) });
  const { forks } = await reader.trashPlan(found, places);
  const plan = { type: "files", paths: [file.path], indexLines: [], forks } as const;
  const lock = await lockSession(file.path, found.sessionId, {
    places,
    waitMs: LOCK_WAIT_MS,
    signal: options.signal,
  });
  const fresh = `${file.path}.repaired-${process.pid}`;
  try {
    writeNewFile(fresh, bytes);
    // First: a list that says what a session begins with does no harm where the rest fails.
    await relist();
    const trashed = await moveToTrash(found, info, plan, { places, now: new Date(), replacement: bytes });
    try {
      renameSync(fresh, file.path);
    } catch (cause) {
      await restoreFromTrash(trashed.trashId, places);
      throw new ContinuoError("unwritable", `cannot write ${file.path}`, { cause });
    }
    return trashed;
  } finally {
    rmSync(fresh, { force: true });
    lock.release();
  }
}
