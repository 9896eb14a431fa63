/**
 * If an agent's own list does not show a session, makes the session visible again; its old state is moved to the trash.
 */

import { dirname, join, relative } from "node:path";
import { type AgentName, ContinuoError, present } from "@continuo/core/model";
import {
  copyDurably,
  filesBelow,
  makeScratchFolder,
  openScratch,
  type Places,
  placesOfThisUser,
  statFile,
} from "@continuo/files";
import { formatOf, visibilityOf } from "../native/index.ts";
import type {
  AgentReader,
  AgentVisibility,
  FileFix,
  FoundSession,
  HiddenSession,
  RowFix,
} from "../native/kit/index.ts";
import { writeNewFile } from "../native/writing/index.ts";
import { refuseOpen } from "./live.ts";
import { fileOf, lockedForEdit, settleUnfinished } from "./locking/index.ts";
import { stagedPath, stagedPlaces } from "./placing/index.ts";
import { assertAllSaid, textsOf } from "./repair-sound.ts";
import { changeRows, moveToTrash, type Replacement, restoreFromTrash } from "./trash/index.ts";

export interface ReturnOptions {
  /** The environment of this user by default. */
  readonly places?: Places;
  /** Nothing is written by default. */
  readonly write?: "in place";
  readonly signal?: AbortSignal;
}

/** The changes that restore a session, or that restored it. */
export interface ReturnedSession {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  readonly cause: string;
  /** The changes, in their order; empty if Continuo cannot make them. */
  readonly steps: readonly string[];
  /** The agent's own command that makes the session visible again; `null` if there is none. */
  readonly command: readonly string[] | null;
  /** Its location afterwards. */
  readonly newLocation: string;
  /** The id for `restoreNativeSession`, which undoes the change byte for byte; `null` if nothing was written. */
  readonly trashId: string | null;
}

/**
 * Errors: `session_live`, `has_forks`, `busy`, `conflict`, `too_large`, `unreadable`, `unwritable`; `unsupported` if
 * the rules of the agent's list are not known; `verification_failed` if the changed session would lose content, or
 * would still be hidden. Nothing has changed then.
 */
export async function returnHiddenSession(
  hidden: HiddenSession,
  options: ReturnOptions = {},
): Promise<ReturnedSession> {
  const places = options.places ?? placesOfThisUser();
  const { found, cause } = hidden;
  const { agent, sessionId, location } = found;
  const reader = await formatOf(agent);
  const rules = await visibilityOf(agent);
  if (rules === null)
    throw new ContinuoError("unsupported", `the rules of ${agent}'s own list are not known`);
  if (options.write !== undefined) {
    await settleUnfinished({ places, signal: options.signal });
    await refuseOpen({ reader, found });
  }
  const mending = await rules.mend(hidden, places);
  const planned = { agent, sessionId, location, cause, command: rules.command(hidden) };
  if (mending === null) return { ...planned, steps: [], newLocation: location, trashId: null };
  if (mending.of === "row") {
    const change = { cause, reader, found, mending, places };
    const trashId = options.write === undefined ? null : await replaceRow(change, rules, options.signal);
    return { ...planned, steps: mending.steps, newLocation: location, trashId };
  }
  const changing = { cause, reader, found, mending, places };
  await verify(changing, rules);
  const changed = { ...planned, steps: mending.steps, newLocation: mending.to };
  if (options.write === undefined) return { ...changed, trashId: null };
  const trashId = await replace(changing, options.signal);
  return { ...changed, trashId };
}

interface FixContext<Change = FileFix> {
  readonly cause: string;
  readonly reader: AgentReader;
  readonly found: FoundSession;
  readonly mending: Change;
  readonly places: Places;
}

/**
 * Verifies the new state in a separate home: it must have all content of the old state, and the rules of the list must
 * show it.
 */
async function verify(changing: FixContext, rules: AgentVisibility): Promise<void> {
  const { reader, found, mending, places } = changing;
  using scratch = openScratch();
  const staged = stagedPlaces(reader, places, scratch.path);
  const placeOf = (path: string): string => {
    const place = stagedPath(path, { reader, places, staged });
    if (place === null) throw unsound(`${path} is in no folder of ${reader.agent}`);
    return place;
  };
  const location = placeOf(mending.to);
  writeNewFile(location, mending.bytes);
  for (const { from, to } of filesBeside(mending)) {
    makeScratchFolder(dirname(placeOf(to)));
    copyDurably(from, placeOf(to));
  }
  const again = await reader.recognise(location, staged);
  if (again === null) throw unsound("it would not be a session");
  const before = await textsOf({ reader, found }, places, found.location);
  assertAllSaid(before, await textsOf({ reader, found: again }, staged, location));
  for await (const still of rules.hidden(staged, {})) {
    if (still.found.location !== location || isOtherPurpose(still.cause, changing.cause, rules)) continue;
    throw unsound(`the list would still hide it (${still.cause})`);
  }
}

/** If the list hides the session on purpose for another reason, it still does so after the change. */
function isOtherPurpose(still: string, mended: string, { causes }: AgentVisibility): boolean {
  return still !== mended && causes[still]?.intended === true;
}

function filesBeside({ beside }: FileFix): FileFix["beside"] {
  return beside.flatMap(({ from, to }) =>
    filesBelow(from).map((path) => ({ from: path, to: join(to, relative(from, path)) })),
  );
}

/** Returns the trash id of the old state. */
async function replace(
  { reader, found, mending, places }: FixContext,
  signal: AbortSignal | undefined,
): Promise<string> {
  const info = await reader.skim(found, present({ part: "whole", signal }));
  const { forks } = await reader.trashPlan(found, places);
  const { from, to, bytes, beside, index } = mending;
  const paths = [from, ...beside.map((one) => one.from)];
  const plan = { type: "files", paths, indexLines: [], indexRows: index?.rows ?? [], forks } as const;
  const copies = filesBeside(mending).map((one) => ({ path: one.to, copyOf: one.from }));
  const replacement: Replacement = to === from ? { bytes } : { placed: [{ path: to, bytes }, ...copies] };
  const edited = { ...found, file: fileOf(found) };
  return await lockedForEdit(edited, { places, signal }, async () => {
    refuseGrown(found);
    const { trashId } = await moveToTrash(found, info, plan, {
      places,
      now: new Date(),
      replacement,
      ...present({ indexSet: index?.set }),
    });
    return trashId;
  });
}

/**
 * Returns the trash id of the old row. The row contains no messages, so it is changed first, and restored if the list
 * still hides the session.
 */
async function replaceRow(
  { reader, found, mending, places }: FixContext<RowFix>,
  rules: AgentVisibility,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { database, table, set } = mending;
  const info = await reader.skim(found, present({ part: "whole", signal }));
  const tables = [{ name: table, column: "id", values: [found.sessionId] }];
  const plan = { type: "rows", database, tables, forks: [], isAlone: true } as const;
  const edited = { ...found, file: fileOf(found) };
  const trashId = await lockedForEdit(edited, { places, signal }, async () => {
    const replacement: Replacement = { rows: (take) => changeRows(plan, set, take) };
    return (await moveToTrash(found, info, plan, { places, now: new Date(), replacement })).trashId;
  });
  for await (const still of rules.hidden(places, {})) {
    if (still.found.location !== found.location) continue;
    await restoreFromTrash(trashId, { places, now: new Date(), force: false });
    throw unsound(`the list would still hide it (${still.cause})`);
  }
  return trashId;
}

/** Errors: `conflict` if the file has changed since the change was prepared. */
function refuseGrown({ files }: FoundSession): void {
  for (const { path, sizeBytes, mtimeMs } of files) {
    const now = statFile(path);
    if (now?.sizeBytes === sizeBytes && now.mtimeMs === mtimeMs) continue;
    throw new ContinuoError("conflict", `another program wrote to ${path} in the meantime`, {
      hint: "Close the session in its agent; nothing was changed.",
    });
  }
}

function unsound(why: string): ContinuoError {
  return new ContinuoError("verification_failed", `the session cannot be brought back: ${why}`, {
    hint: "Resume it by its id; nothing was written.",
  });
}
