/** The texts of deleted sessions, for as long as they are in the trash. */

import {
  ContinuoError,
  isAgentName,
  type Message,
  type SessionDetails,
  toSessionRow,
} from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { formatOf } from "@continuo/native";
import {
  layOutTrashed,
  listTrash,
  type TrashedSession,
  trashedFiles,
  trashFolder,
} from "@continuo/native/editing/trash";
import { asOneStep, isSettled, type OpenText, stampOf } from "@continuo/native/index-file";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import { everyMessage } from "./every-message.ts";
import type { CatalogSource, StoredIndexedSession } from "./indexed-session.ts";
import { changedMsOf } from "./texts-native.ts";

/** The prefix of a trash id when it names a session. */
export const TRASHED = "trash:";

export interface TrashSourceOptions {
  readonly places: Places;
  readonly nowMs: number;
  /** A folder or a file. */
  readonly isExcluded: (path: string) => boolean;
  readonly rules: string;
}

export function trashSources({ places, nowMs, isExcluded, rules }: TrashSourceOptions): CatalogSource[] {
  return listTrash(places)
    .sessions.filter(({ info }) => !isExcluded(info.location) && (info.cwd === null || !isExcluded(info.cwd)))
    .map((trashed) => {
      const files = trashedFiles(trashed.trashId, places);
      return {
        key: `${TRASHED}${trashed.trashId}`,
        sessionId: trashed.info.sessionId,
        stamp: isSettled(files, nowMs) ? `${stampOf(files)}${rules}` : null,
        sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        changedMs: files.length === 0 ? 0 : changedMsOf(files),
        open: async (signal) => await openText(trashed, places, signal),
      };
    });
}

export interface TrashedSources extends Disposable {
  readonly session: OpenedSession;
  /** The opened sub-agents of the session. */
  readonly others: readonly OpenedSession[];
}

/** Errors: `not_found` if it is no longer in the trash, `unreadable`. */
export async function openTrashed(trashId: string, places: Places): Promise<TrashedSources> {
  const trashed = listTrash(places).sessions.find((one) => one.trashId === trashId);
  const laidOut = trashed === undefined ? null : await layOutTrashed(trashId, places);
  if (trashed === undefined || laidOut === null) {
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(trashId)} in the trash`, {
      hint: "Run `continuo session trash` to see the sessions in the trash.",
    });
  }
  const all = new DisposableStack();
  all.use(laidOut);
  try {
    const { agent, sessionId, location, title, cwd, updatedAt } = trashed.info;
    if (!isAgentName(agent))
      throw new ContinuoError("unreadable", `no reader knows ${JSON.stringify(agent)}`);
    const reader = await formatOf(agent);
    const found = await reader.recognise(laidOut.location, places);
    if (found?.sessionId !== sessionId) {
      throw new ContinuoError(
        "unreadable",
        `${trashFolder(places)}/${trashId} does not contain ${sessionId}`,
      );
    }
    const open = async (one: FoundSession): Promise<OpenedSession> =>
      all.use(await reader.open(one, places, {}));
    const session = await open(found);
    const others: OpenedSession[] = [];
    for (const path of laidOut.others) {
      const other = await reader.recognise(path, places);
      if (other !== null && other.sessionId !== sessionId) others.push(await open(other));
    }
    const details: SessionDetails = { ...session.details, location, title, cwd, updatedAt };
    return { session: { ...session, details }, others, [Symbol.dispose]: () => all.dispose() };
  } catch (error) {
    all.dispose();
    throw error;
  }
}

async function openText(
  { trashId, info }: TrashedSession,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<OpenText> {
  const opened = await openTrashed(trashId, places);
  const kept: StoredIndexedSession = {
    ...toSessionRow({ ...opened.session.details, ...info }),
    live: null,
    location: info.location,
    parentId: null,
    trashId,
    nativeRefs: [],
    inside: [],
  };
  return {
    source: JSON.stringify(kept),
    steps: asOneStep(messagesOf(opened, signal)),
    beside: {},
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}

async function* messagesOf(
  { session, others }: TrashedSources,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, void> {
  for (const one of [session, ...others]) {
    yield* everyMessage(one, signal === undefined ? {} : { signal });
  }
}
