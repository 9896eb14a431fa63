/** The texts of native sessions and of their sub-agents, each read by the reader of its agent. */

import type { FoundFile, Places } from "../files/index.ts";
import {
  inOneStep,
  isSettled,
  type OpenText,
  stampOf,
  type TextBefore,
  type TextSteps,
} from "../index-file/index.ts";
import { type Message, present, type SessionDetails } from "../model/index.ts";
import { findSessions, openNativeSession } from "../native/index.ts";
import type { FoundSession, OpenedSession, SavedSkimMemo } from "../native/kit/index.ts";
import { everyMessage } from "./every-message.ts";
import { everyStep } from "./every-step.ts";
import { type GrowingFile, scanToContinue, stampNow, toGrowingFile } from "./growing.ts";
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
    open: async (signal, before) => await openText(found, options, { signal, before, keep: sharing === 1 }),
    insideOf: ({ inside }) =>
      inside.map(({ id, location }) => {
        const subagent = { ...found, sessionId: id, location, parentId: found.sessionId };
        // Its bytes are among those of the session, and what many of them would keep is more than these.
        const open: CatalogSource["open"] = async (signal) =>
          await openText(subagent, options, { signal, before: null, keep: false });
        return { ...toSource(subagent, sharing, options), sizeBytes: 0, open };
      }),
  };
}

export function changedMsOf(files: readonly FoundFile[]): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

interface Opening {
  readonly signal: AbortSignal | undefined;
  readonly before: TextBefore | null;
  /** Whether what was learned is kept, to continue when the session has grown. */
  readonly keep: boolean;
}

async function openText(
  found: FoundSession,
  { places, isExcluded, nowMs }: NativeSourceOptions,
  { signal, before, keep }: Opening,
): Promise<OpenText> {
  const file = toGrowingFile(found, nowMs);
  const scan = keep && before !== null ? scanToContinue(before, file) : null;
  const session = await openNativeSession(found, {
    places,
    save: keep,
    ...present({ signal, continue: scan ?? undefined }),
  });
  const { details } = session;
  const own = new Set(found.files.map(({ path }) => path));
  const others = new Map<string, string>();
  const look = ({ metadata }: Message): void => {
    for (const { file } of metadata.records ?? []) {
      if (file !== undefined && !own.has(file) && !others.has(file)) others.set(file, stampNow(file));
    }
  };
  // The folder stands inside the file.
  const isKeptOut = details.cwd !== null && isExcluded(details.cwd);
  return {
    source: JSON.stringify(toKept(details, found.parentId ?? null)),
    steps: isKeptOut ? inOneStep(noMessages()) : stepsOf(session, { file, look, signal }),
    beside: () => Object.fromEntries(others),
    [Symbol.dispose]: () => session.close(),
  };
}

interface Reading {
  readonly file: GrowingFile;
  readonly look: (message: Message) => void;
  readonly signal: AbortSignal | undefined;
}

function stepsOf(session: OpenedSession, { file, look, signal }: Reading): TextSteps {
  const every = everyStep(session);
  if (every === null) return inOneStep(looked(everyMessage(session, present({ signal })), look));
  const { keys, lastLines, withIds } = every;
  return {
    ...{ keys, withIds, isContinued: session.continued },
    async *read(from, before) {
      for await (const step of every.read(from, before, signal)) {
        step.messages.forEach(look);
        yield step;
      }
    },
    saved() {
      if (session.saved === null || !file.isUnchanged()) return null;
      const { lines } = session.saved.position;
      const unsettled = lastLines.findIndex((line) => line > lines);
      return { scan: file.toKept(session.saved), settled: unsettled === -1 ? keys.length : unsettled };
    },
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
