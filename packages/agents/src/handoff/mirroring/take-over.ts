/** Continues a mirrored session on this machine. The session is placed like a moved one, under a new id. */

import { sep } from "node:path";
import { ContinuoError, isContinuoError, present, shellWord } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession, resumeCommandOf } from "@continuo/native";
import { settleUnfinished } from "@continuo/native/editing";
import {
  findMirror,
  lockMirror,
  lockTakeOver,
  type Mirror,
  type MirroredTree,
  type MirrorKey,
  mirrorKey,
  mirrorTree,
  openMirror,
  readMirror,
  writeMirror,
} from "@continuo/native/editing/mirrors";
import { type HandOffOptions, handOff } from "../index.ts";
import { applyInto, cwdIn, type FoundPlacing, folderOfMove, placedSince } from "../moving/index.ts";

export interface TakeOverOptions extends Pick<HandOffOptions, "programs"> {
  readonly places: Places;
  /** The folder to continue in; by default the folder with the other machine's path. */
  readonly into?: string | undefined;
  /** With `without`, only the session is placed, in the folder `into`. */
  readonly workTree?: "with" | "without";
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

export interface TakenSession extends FoundPlacing {
  /** The folder to resume in. */
  readonly cwd: string;
  readonly resumeCommand: readonly string[];
  /** The program that read the placed session back. */
  readonly readBackBy: string;
  /** The clone that received the other machine's changes; `null` without a work tree. */
  readonly workTree: string | null;
  readonly mirror: Mirror;
}

/**
 * From now on the mirror refuses the other machine, which learns the reason when it connects. If a call is killed, the
 * next one continues it, so that the session is placed once. Errors: `not_found`, `ambiguous`; `conflict` for one that
 * was taken over before; `usage` if the folder is not here; `busy` while another call takes it over; those of a
 * hand-over. After an error the mirror follows the other machine again, unless the session is already placed.
 */
export async function takeOver(id: string, options: TakeOverOptions): Promise<TakenSession> {
  const { places, signal } = options;
  const key = findMirror(id, places);
  const lock = await lockTakeOver(key, places, signal);
  try {
    return await takeOverLocked(key, options);
  } finally {
    lock.release();
  }
}

async function takeOverLocked(key: MirrorKey, options: TakeOverOptions): Promise<TakenSession> {
  const mirror = findMirror(mirrorKey(key), options.places);
  const { takenOver } = mirror;
  if (takenOver?.session != null) throw takenBefore(mirror, takenOver.session);
  const tree = options.workTree === "without" ? null : mirror.workTree;
  const into = folderFor(mirror, tree, options);
  const workTree = tree === null ? null : into;
  const before = await placedByOneKilled(mirror, options);
  if (before !== null) {
    await setTakenOver(mirror, before, options);
    if (before.cwd !== into && !before.cwd.startsWith(into + sep)) throw takenBefore(mirror, before);
    return { ...before, resumeCommand: resumeCommandOf(before), readBackBy: "continuo", workTree, mirror };
  }
  const at = options.now.toISOString();
  await change(mirror, { at, session: null, begun: null }, options);
  try {
    const cwd = tree === null ? into : await layOut(mirror, tree, into, options);
    await change(mirror, { at, session: null, begun: { cwd, sinceMs: Date.now() } }, options);
    const made = await place(mirror, cwd, options);
    await setTakenOver(mirror, made, options);
    return { ...made, workTree, mirror };
  } catch (error) {
    // If only the last note could not be written, the session is already placed, and the next call finds it.
    const current = findMirror(mirrorKey(mirror), options.places);
    if ((await placedByOneKilled(current, { ...options, signal: undefined })) === null)
      await change(mirror, null, options);
    throw error;
  }
}

/**
 * Applies the work tree and returns the session's folder in it. Errors: those of a work tree, which leave the clone
 * unchanged.
 */
async function layOut(
  mirror: Mirror,
  { sha256, folder }: MirroredTree,
  into: string,
  { places, signal }: TakeOverOptions,
): Promise<string> {
  await applyInto(into, mirrorTree(mirror, sha256, places), present({ places, signal }));
  return cwdIn(into, { cwd: mirror.folder }, folder);
}

/** Places the session. Errors: those of a hand-over; then nothing was placed. */
async function place(
  mirror: Mirror,
  cwd: string,
  { places, programs, signal }: TakeOverOptions,
): Promise<Omit<TakenSession, "workTree" | "mirror">> {
  const opened = openMirror(mirror, places);
  const { reader, found } = await lookUpSession(opened.location, present({ places: opened.places, signal }));
  const { title } = await reader.skim(found, { part: "whole" });
  const made = await handOff(opened.location, {
    to: mirror.agent,
    moved: { title },
    cwd,
    places,
    ...present({ programs, signal }),
  });
  const { agent, location, resumeCommand, verification } = made;
  return {
    agent,
    sessionId: made.sessionId ?? "",
    location: location ?? "",
    cwd,
    resumeCommand: resumeCommand ?? [],
    readBackBy: verification?.by ?? "continuo",
  };
}

/** Finds the session that a killed call placed, if it could not record that. */
async function placedByOneKilled(
  { agent, sessionId, takenOver }: Mirror,
  { places, signal }: TakeOverOptions,
): Promise<(FoundPlacing & { readonly cwd: string }) | null> {
  const begun = takenOver?.begun ?? null;
  if (begun === null) return null;
  await settleUnfinished({ places, signal });
  const placed = await placedSince({ agent, from: { agent, sessionId }, ...begun }, { places, signal });
  return placed === null ? null : { ...placed, cwd: begun.cwd };
}

async function setTakenOver(
  mirror: Mirror,
  { agent, sessionId, cwd }: FoundPlacing & { readonly cwd: string },
  options: TakeOverOptions,
): Promise<void> {
  const at = options.now.toISOString();
  await change(mirror, { at, session: { agent, sessionId, cwd }, begun: null }, options);
}

async function change(
  mirror: Mirror,
  takenOver: Mirror["takenOver"],
  { places }: TakeOverOptions,
): Promise<void> {
  const lock = await lockMirror(mirror, places);
  try {
    writeMirror({ ...(readMirror(mirror, places) ?? mirror), takenOver }, places);
  } finally {
    lock.release();
  }
}

function folderFor(
  { folder: ofSession, home }: Mirror,
  tree: MirroredTree | null,
  { into, places }: TakeOverOptions,
): string {
  const folder = tree?.folder ?? ofSession;
  try {
    return folderOfMove({ into: into ?? null, folder, home }, places);
  } catch (error) {
    if (!isContinuoError(error, "usage")) throw error;
    throw new ContinuoError("usage", error.message, { hint: "Name the folder to continue in: --into DIR." });
  }
}

function takenBefore(
  { sessionId }: Mirror,
  there: { readonly agent: string; readonly sessionId: string },
): ContinuoError {
  return new ContinuoError(
    "conflict",
    `session ${sessionId} was taken over before, as ${there.agent}:${there.sessionId}`,
    {
      hint: `Continue it with \`continuo resume ${shellWord(`${there.agent}:${there.sessionId}`)}\`.`,
    },
  );
}
