/** The texts of native sessions and of their sub-agents, each read by the reader of its agent. */

import { type FoundFile, type Places, statFile } from "../files/index.ts";
import { isSettled, type OpenText, stampOf } from "../index-file/index.ts";
import type { Message, SessionDetails } from "../model/index.ts";
import { findSessions, openNativeSession } from "../native/index.ts";
import type { FoundSession, SavedSkimMemo } from "../native/kit/index.ts";
import { everyMessage } from "./every-message.ts";
import { type CatalogSource, type KeptSession, noMessages } from "./indexed.ts";

export interface NativeSourceOptions {
  readonly places: Places;
  readonly nowMs: number;
  /** A folder or a file. */
  readonly isExcluded: (path: string) => boolean;
  /** What was kept out, or taken in, by other patterns is looked at again. */
  readonly rules: string;
  readonly memo: SavedSkimMemo;
  readonly signal: AbortSignal | undefined;
}

/** Of every native session that has a file and is not excluded. */
export async function nativeSources(options: NativeSourceOptions): Promise<CatalogSource[]> {
  const { places, memo, signal, isExcluded } = options;
  const found: FoundSession[] = [];
  const looking = { places, memo, ...(signal === undefined ? {} : { signal }) };
  for await (const one of findSessions({ ...looking, subagents: "include" })) {
    if (one.files.length > 0 && !isExcluded(one.location)) found.push(one);
  }
  const sharing = new Map<string, number>();
  for (const one of found) sharing.set(fileOf(one), (sharing.get(fileOf(one)) ?? 0) + 1);
  return found.map((one) => toSource(one, sharing.get(fileOf(one)) ?? 1, options));
}

function fileOf({ files }: FoundSession): string {
  return files[0]?.path ?? "";
}

/** @param sharing how many sessions have the same file: those of a database */
function toSource(found: FoundSession, sharing: number, options: NativeSourceOptions): CatalogSource {
  const { files, location } = found;
  const { nowMs, rules } = options;
  return {
    key: location,
    stamp: isSettled(files, nowMs) ? `${stampOf(files)}${rules}` : null,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / sharing,
    changedMs: changedMsOf(files),
    open: async (signal) => await openText(found, options, signal),
    insideOf: ({ inside }) =>
      inside.map(({ id, location }) => {
        const subagent = { ...found, sessionId: id, location, parentId: found.sessionId };
        // Its bytes are among those of the session.
        return { ...toSource(subagent, sharing, options), sizeBytes: 0 };
      }),
  };
}

export function changedMsOf(files: readonly FoundFile[]): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

async function openText(
  found: FoundSession,
  { places, isExcluded }: NativeSourceOptions,
  signal: AbortSignal | undefined,
): Promise<OpenText> {
  const looking = { places, ...(signal === undefined ? {} : { signal }) };
  const session = await openNativeSession(found, looking);
  const { details } = session;
  const own = new Set(found.files.map(({ path }) => path));
  const others = new Map<string, string>();
  const messages = looked(everyMessage(session, signal === undefined ? {} : { signal }), ({ metadata }) => {
    for (const { file } of metadata.records ?? []) {
      if (file !== undefined && !own.has(file) && !others.has(file)) others.set(file, stampNow(file));
    }
  });
  // The folder stands inside the file.
  const isKeptOut = details.cwd !== null && isExcluded(details.cwd);
  return {
    source: JSON.stringify(toKept(details, found.parentId ?? null)),
    messages: isKeptOut ? noMessages() : messages,
    beside: () => Object.fromEntries(others),
    [Symbol.dispose]: () => session.close(),
  };
}

function toKept(details: SessionDetails, parentId: string | null): KeptSession {
  const { agent, sessionId, location, cwd, title, gitBranch, updatedAt, archived } = details;
  return {
    ...{ agent, sessionId, location, cwd, title, gitBranch, updatedAt, archived },
    ...{ parentId, trashId: null, nativeRefs: [] },
    inside: details.subagents
      .filter((one) => parentId === null && one.location.startsWith(`${location}#`))
      .map(({ id, location }) => ({ id, location })),
  };
}

async function* looked(
  messages: AsyncIterable<Message>,
  look: (message: Message) => void,
): AsyncGenerator<Message, void, void> {
  for await (const message of messages) {
    look(message);
    yield message;
  }
}

/** Of a file that is there or not. */
export function stampNow(path: string): string {
  const file = statFile(path);
  return file === null ? "gone" : stampOf([file]);
}
