/** Makes the inbox of the machine from the list, the store of Continuo's own sessions, and the open conversations. */

import { isOwn, type ListedSession, type OpenOwn, openOwn } from "@continuo/agents/catalog";
import type { RunStatus } from "@continuo/core/model";
import type {
  InboxEnd,
  InboxQuestion,
  InboxRun,
  InboxSession,
  InboxState,
  MachineInbox,
  MachineSession,
} from "@continuo/core/wire/machine";
import { type PlacesAt, placesOf } from "@continuo/files";
import { runnerOf } from "@continuo/store/sessions";
import { type Chat, foldRuns, RUN_EVENT_TYPES, withChanges } from "../chat/index.ts";
import { INBOX_LIMITS } from "./limits.ts";
import { openSeenFile } from "./seen-marks.ts";

type State = Omit<InboxState, "rights">;

/** The end of the newest turn of one of Continuo's own sessions; valid as long as the session has this `updatedAt`. */
interface KnownEnd {
  readonly updatedAt: string | null;
  readonly failure: string | null;
}

interface ListedRow {
  readonly row: ListedSession;
  readonly shown: MachineSession;
}

export interface InboxOptions {
  readonly places: PlacesAt;
  readonly chat: Chat;
  /** The list by keys, the newest change first. */
  rows(): Promise<ReadonlyMap<string, ListedRow>>;
  /**
   * The last words of these sessions, in their order; `null` for a session that is not read yet, which is read then.
   */
  lastWords(rows: readonly ListedSession[]): readonly (string | null)[];
}

export function createInbox({ places, chat, ...list }: InboxOptions): MachineInbox {
  const seenFile = openSeenFile(placesOf(places), new Date().toISOString());
  const ends = new Map<string, KnownEnd>();
  const look = async (own: OpenOwn | null): Promise<State> => {
    const rows = [...(await list.rows()).values()];
    const bySession = new Map(rows.flatMap((one) => (isOwn(one.row) ? [[one.row.sessionId, one]] : [])));
    const turns = own === null ? [] : await turnsOf(own, bySession, chat);
    const busy = new Set(turns.map(({ session }) => session.key));
    const elsewhere = rows.filter(({ shown }) => !busy.has(shown.key)).flatMap(runElsewhere);
    const asks = asksOf(chat, bySession);
    const asking = new Set(asks.map(({ session }) => session.key));
    const all = [...turns, ...elsewhere].sort(byNewest);
    const runs = new Set(all.map(({ session }) => session.key));
    const running = all.filter(({ session }) => !asking.has(session.key));
    const seen = seenFile.read();
    const ended = rows.filter(({ shown: { key, updatedAt } }) => !runs.has(key) && !seen.has(key, updatedAt));
    const newest = ended.slice(0, INBOX_LIMITS.listed);
    const words = list.lastWords(newest.map(({ row }) => row));
    const listed: InboxEnd[] = [];
    for (const [at, { row, shown }] of newest.entries()) {
      const failure = own === null || !isOwn(row) ? null : await failureOf(row.sessionId, shown, own, ends);
      listed.push({ session: toSession(shown), failure, lastWords: words[at] ?? null });
    }
    if (ends.size > INBOX_LIMITS.marks) ends.clear();
    return {
      asks,
      running: running.slice(0, INBOX_LIMITS.listed),
      failed: listed.filter(({ failure }) => failure !== null),
      finished: listed.filter(({ failure }) => failure === null),
      unseen: ended.length,
    };
  };
  return {
    async now() {
      await using own = await openOwn(places);
      return await look(own);
    },
    async *events(signal) {
      await using stack = new AsyncDisposableStack();
      let own: OpenOwn | null = null;
      let told = "";
      for await (const _ of looks(chat, signal)) {
        own ??= stack.use(await openOwn(places));
        const state = await look(own);
        const text = JSON.stringify(state);
        if (text !== told) yield state;
        told = text;
      }
    },
    async see(request) {
      const byKey = await list.rows();
      if ("all" in request) seenFile.seeAll(newestTime(byKey));
      else {
        const times = request.keys.flatMap((key): [string, string][] => {
          const at = byKey.get(key)?.shown.updatedAt;
          return at == null ? [] : [[key, at]];
        });
        seenFile.see(new Map(times));
      }
      chat.changes.tell();
    },
  };
}

/** Yields immediately, after each change of a conversation, and after each pause. */
async function* looks({ changes }: Chat, signal: AbortSignal): AsyncGenerator<void, void, void> {
  const ended: AsyncIterator<never> = {
    next: () =>
      new Promise((resolve) => {
        const end = (): void => resolve({ done: true, value: undefined });
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      }),
  };
  yield;
  for await (const _ of withChanges(ended, changes, INBOX_LIMITS.lookMs)) yield;
}

function asksOf(chat: Chat, bySession: ReadonlyMap<string, ListedRow>): readonly InboxQuestion[] {
  return [...chat.openQuestions()].flatMap(([sessionId, questions]) => {
    const shown = bySession.get(sessionId)?.shown;
    return shown === undefined ? [] : questions.map((question) => ({ session: toSession(shown), question }));
  });
}

/** The turns that Continuo drives; one whose process is gone does not run. */
async function turnsOf(
  { store }: OpenOwn,
  bySession: ReadonlyMap<string, ListedRow>,
  chat: Chat,
): Promise<readonly InboxRun[]> {
  const open = new Set(chat.openSessions());
  const { items } = await store.listRuns({ status: "running", limit: INBOX_LIMITS.listed });
  const turns: InboxRun[] = [];
  for (const { sessionId, agent, startedAt } of items) {
    const shown = bySession.get(sessionId)?.shown;
    if (shown === undefined || (await runnerOf(store, sessionId)) === null) continue;
    const runner = open.has(sessionId) ? "this server" : "another process";
    turns.push({ session: toSession(shown), agent, runner, since: startedAt });
  }
  return turns;
}

function runElsewhere({ shown }: ListedRow): readonly InboxRun[] {
  const { live, updatedAt, agent } = shown;
  const isWriting =
    live === null &&
    agent !== "continuo" &&
    updatedAt !== null &&
    Math.abs(Date.now() - Date.parse(updatedAt)) < INBOX_LIMITS.writingMs;
  if (live !== true && !isWriting) return [];
  const runner = live === true ? "its agent" : "unknown";
  return [{ session: toSession(shown), agent: null, runner, since: null }];
}

const ENDED: Readonly<Partial<Record<RunStatus, string>>> = {
  failed: "failed",
  timeout: "timed out",
  interrupted: "was interrupted",
  running: "its process has ended",
};

async function failureOf(
  sessionId: string,
  { key, updatedAt }: MachineSession,
  { store }: OpenOwn,
  ends: Map<string, KnownEnd>,
): Promise<string | null> {
  const known = ends.get(key);
  if (known?.updatedAt === updatedAt) return known.failure;
  const { events } = await store.read(sessionId, {
    types: [...RUN_EVENT_TYPES],
    order: "newest",
    limit: INBOX_LIMITS.runEvents,
  });
  const last = foldRuns(events).at(-1);
  const word = last && ENDED[last.status];
  const failure = word === undefined ? null : (last?.message ?? word);
  ends.set(key, { updatedAt, failure });
  return failure;
}

function toSession({ key, agent, title, cwd, updatedAt }: MachineSession): InboxSession {
  return { key, agent, title, cwd, updatedAt };
}

function byNewest(a: InboxRun, b: InboxRun): number {
  const [one, other] = [a.session.updatedAt ?? "", b.session.updatedAt ?? ""];
  return one < other ? 1 : one > other ? -1 : 0;
}

/** A session can have a time in the future, if it was written with another clock. */
function newestTime(rows: ReadonlyMap<string, ListedRow>): string {
  return [...rows.values()].reduce(
    (newest, { shown: { updatedAt } }) => (updatedAt !== null && updatedAt > newest ? updatedAt : newest),
    new Date().toISOString(),
  );
}
