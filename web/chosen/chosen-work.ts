/** Actions on several sessions, one after the other: one that fails does not stop the others. */

import {
  MACHINE_ROOT,
  type MachineSession,
  type MarkRequest,
  sessionPath,
  type TrashAnswer,
} from "@continuo/core/wire/machine";
import { counted } from "../content/words.ts";
import { restored } from "../parts/trash.tsx";
import { downloadFile } from "../state/files.ts";
import { ask, sayError } from "../state/server.ts";

export interface Outcome {
  /** A sentence. */
  readonly words: string;
  readonly failures: readonly string[];
  /** Deleted sessions that can be brought back. */
  readonly trashIds: readonly string[];
}

type OnDone = (count: number) => void;

export async function pinAll(
  sessions: readonly MachineSession[],
  pinned: boolean,
  onDone: OnDone,
): Promise<Outcome> {
  const { done, failures } = await each(sessions, onDone, ({ key }) => mark(key, { pinned }));
  return {
    words: `${counted(done.length, "session")} ${pinned ? "pinned" : "unpinned"}.`,
    failures,
    trashIds: [],
  };
}

export async function tagAll(
  sessions: readonly MachineSession[],
  request: Pick<MarkRequest, "addTags" | "removeTags">,
  onDone: OnDone,
): Promise<Outcome> {
  const { done, failures } = await each(sessions, onDone, ({ key }) => mark(key, request));
  return { words: `The tags of ${counted(done.length, "session")} are changed.`, failures, trashIds: [] };
}

export async function deleteAll(sessions: readonly MachineSession[], onDone: OnDone): Promise<Outcome> {
  const { done, failures } = await each(sessions, onDone, ({ key }) =>
    ask<TrashAnswer>(sessionPath(key, "delete"), { body: {} }),
  );
  const trashIds = done.map(({ trashId }) => trashId);
  return { words: `${counted(trashIds.length, "session")} moved to the trash.`, failures, trashIds };
}

export async function undoDeletion(trashIds: readonly string[], onDone: OnDone): Promise<Outcome> {
  const { done, failures } = await each(
    trashIds.map((trashId) => ({ trashId, title: null })),
    onDone,
    restored,
  );
  return { words: `${counted(done.length, "session")} restored.`, failures, trashIds: [] };
}

export async function restoreAll(sessions: readonly MachineSession[], onDone: OnDone): Promise<Outcome> {
  const { done, failures } = await each(sessions, onDone, restored);
  return { words: `${counted(done.length, "session")} restored.`, failures, trashIds: [] };
}

export interface ExportWish {
  readonly format: "html" | "md" | "json";
  readonly isMasked: boolean;
}

/** One session becomes a file, several become an archive. */
export async function exportAll(
  sessions: readonly MachineSession[],
  { format, isMasked }: ExportWish,
): Promise<Outcome> {
  const keys = sessions.map(({ key }) => key);
  try {
    await downloadFile(`${MACHINE_ROOT}/export`, { keys, format, ...(isMasked && { secrets: "masked" }) });
    return { words: `${counted(keys.length, "session")} exported.`, failures: [], trashIds: [] };
  } catch (error) {
    return { words: "Nothing was exported.", failures: [sayError(error)], trashIds: [] };
  }
}

export async function mark(key: string, request: MarkRequest): Promise<MachineSession> {
  return await ask<MachineSession>(sessionPath(key, "marks"), { body: request });
}

async function each<T extends { readonly title: string | null }, Answer>(
  all: readonly T[],
  onDone: OnDone,
  work: (one: T) => Promise<Answer>,
): Promise<{ readonly done: readonly Answer[]; readonly failures: readonly string[] }> {
  const done: Answer[] = [];
  const failures: string[] = [];
  for (const one of all) {
    try {
      done.push(await work(one));
    } catch (error) {
      failures.push(`${one.title ?? "Untitled"}: ${sayError(error)}`);
    }
    onDone(done.length + failures.length);
  }
  return { done, failures };
}
