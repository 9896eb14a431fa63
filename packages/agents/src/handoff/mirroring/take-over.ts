/** A mirrored session continued on this machine: placed like one that was moved, under a new id. */

import { ContinuoError, isContinuoError, present, shellWord } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import {
  findMirror,
  lockMirror,
  type Mirror,
  openMirror,
  readMirror,
  writeMirror,
} from "@continuo/native/editing/mirrors";
import { type HandOff, type HandOffOptions, handOff } from "../index.ts";
import { folderOfMove } from "../moving/index.ts";

export interface TakeOverOptions extends Pick<HandOffOptions, "programs"> {
  readonly places: Places;
  /** The folder to continue in; that of the other machine when left out. */
  readonly into?: string | undefined;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

/**
 * From its beginning the mirror takes nothing more from the other machine, which hears of it when it connects.
 * Errors: `not_found`, `ambiguous`; `conflict` for one that was taken over before; `usage` where the folder is not here;
 * those of a hand-over. The mirror follows the other machine again then.
 */
export async function takeOver(
  id: string,
  options: TakeOverOptions,
): Promise<HandOff & { readonly mirror: Mirror }> {
  const { places, now, programs, signal } = options;
  const mirror = findMirror(id, places);
  const cwd = folderFor(mirror, options);
  await change(mirror, options, (current) => {
    const before = current.takenOver?.session;
    if (before != null) throw takenBefore(current, before);
    return { ...current, takenOver: { at: now.toISOString(), session: null } };
  });
  try {
    const opened = openMirror(mirror, places);
    const { reader, found } = await lookUpSession(
      opened.location,
      present({ places: opened.places, signal }),
    );
    const { title } = await reader.skim(found, { part: "whole" });
    const made = await handOff(opened.location, {
      to: mirror.agent,
      moved: { title },
      cwd,
      places,
      ...present({ programs, signal }),
    });
    const session = { agent: made.agent, sessionId: made.sessionId ?? "", cwd };
    await change(mirror, options, (current) => ({
      ...current,
      takenOver: { at: now.toISOString(), session },
    }));
    return { ...made, mirror };
  } catch (error) {
    await change(mirror, options, (current) => ({ ...current, takenOver: null }));
    throw error;
  }
}

async function change(
  mirror: Mirror,
  { places }: TakeOverOptions,
  toNext: (current: Mirror) => Mirror,
): Promise<void> {
  const lock = await lockMirror(mirror, places);
  try {
    writeMirror(toNext(readMirror(mirror, places) ?? mirror), places);
  } finally {
    lock.release();
  }
}

function folderFor({ folder, home }: Mirror, { into, places }: TakeOverOptions): string {
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
