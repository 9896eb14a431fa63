/** The `SessionStore` of the Claude Agent SDK: each transcript, also that of a sub-agent, is a session of the store. */

import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "@anthropic-ai/claude-agent-sdk";
import {
  cutText,
  isContinuoError,
  listAll,
  type NewEvent,
  type Session,
  type Store,
} from "@continuo/core/model";
import { type AdapterSession, adapterSession, KeyedQueue } from "@continuo/store/adapters";
import { entryEvent, entryOf, promptOf } from "./entry-events.ts";
import { SessionSummaries } from "./session-summaries.ts";

/** Keys of the metadata of a transcript's session. */
const PROJECT = "claudeProject";
const SESSION = "claudeSession";
const SUBPATH = "claudeSubpath";

const TITLE_LENGTH = 80;

export class ContinuoSessionStore implements SessionStore {
  readonly #store: Store;
  readonly #inOrder = new KeyedQueue();
  readonly #summaries = new SessionSummaries();

  /** The store belongs to the caller, who closes it. */
  constructor(store: Store) {
    this.#store = store;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const session = this.#sessionOf(key, entries);
    const kind = isMain(key.subpath) ? "main" : "subagent";
    const events = eachOnce(entries).map((entry) => entryEvent(entry, kind));
    await this.#inOrder.run(session.sessionId, () => appendNew(session, events));
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const session = this.#sessionOf(key, []);
    const entries: SessionStoreEntry[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Awaited<ReturnType<AdapterSession["read"]>> = await session.read({ after });
      entries.push(...page.events.map(({ data }) => entryOf(data)).filter((entry) => entry !== undefined));
      after = page.nextAfter;
    }
    return entries.length === 0 ? null : entries;
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const sessions = await this.#find({ [PROJECT]: projectKey, [SUBPATH]: "" });
    return sessions.map(({ metadata, lastActivityAt }) => {
      return { sessionId: String(metadata[SESSION]), mtime: Date.parse(lastActivityAt) };
    });
  }

  /** A second call reads only what was appended since the first. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const sessions = await this.listSessions(projectKey);
    const logs = sessions.map(({ sessionId, mtime }) => {
      const key = { projectKey, sessionId };
      return { key, mtime, session: this.#sessionOf(key, []) };
    });
    return await this.#summaries.list(projectKey, logs);
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const sessions = await this.#find({ [PROJECT]: projectKey, [SESSION]: sessionId });
    return sessions.map(({ metadata }) => String(metadata[SUBPATH])).filter((subpath) => subpath !== "");
  }

  /**
   * Deletes the transcript of a session together with those of its sub-agents. With `subpath`, only the transcript of
   * that sub-agent is deleted.
   */
  async delete({ projectKey, sessionId, subpath }: SessionKey): Promise<void> {
    const of = { [PROJECT]: projectKey, [SESSION]: sessionId };
    const sessions = await this.#find(isMain(subpath) ? of : { ...of, [SUBPATH]: subpath });
    for (const one of sessions) {
      await this.#inOrder.run(one.sessionId, () => this.#remove(one.sessionId));
    }
  }

  /** Also succeeds if another process has just deleted the session. */
  async #remove(sessionId: string): Promise<void> {
    try {
      await this.#store.deleteSession(sessionId, { reason: "the Claude Agent SDK deleted it" });
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
    }
  }

  async #find(metadata: Readonly<Record<string, string>>): Promise<readonly Session[]> {
    const list = listAll((place) => this.#store.listSessions({ ...place, agent: AGENT, metadata }));
    return await Array.fromAsync(list);
  }

  #sessionOf(
    { projectKey, sessionId, subpath }: SessionKey,
    entries: readonly SessionStoreEntry[],
  ): AdapterSession {
    // People name a session by the beginning of its id, so a sub-agent's id must begin differently.
    const parts = [...(isMain(subpath) ? [] : [subpath]), sessionId, projectKey];
    const prompt = entries.map(promptOf).find((words) => words !== undefined);
    const cwd = entries.map((entry) => entry.cwd).find((one) => typeof one === "string");
    return adapterSession(this.#store, parts.map(encodeURIComponent).join("/"), {
      agent: AGENT,
      ...(prompt === undefined ? {} : { title: cutText(prompt, TITLE_LENGTH) }),
      ...(cwd === undefined ? {} : { cwd }),
      metadata: { [PROJECT]: projectKey, [SESSION]: sessionId, [SUBPATH]: subpath ?? "" },
    });
  }
}

const AGENT = "claude-agent-sdk";

function isMain(subpath: string | undefined): subpath is undefined | "" {
  return subpath === undefined || subpath === "";
}

/** If an entry exists twice, the first one counts. */
function eachOnce(entries: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const met = new Set<string>();
  return entries.filter(({ uuid }) => {
    if (uuid === undefined) return true;
    if (met.has(uuid)) return false;
    met.add(uuid);
    return true;
  });
}

/** Entries that exist stay as they are; the others are appended. */
async function appendNew(session: AdapterSession, events: readonly NewEvent[]): Promise<void> {
  let left = events;
  for (;;) {
    try {
      if (left.length > 0) await session.append(left);
      return;
    } catch (error) {
      if (!isContinuoError(error, "conflict")) throw error;
      const missing: NewEvent[] = [];
      for (const event of left) if (!(await isThere(session, event.id))) missing.push(event);
      if (missing.length === left.length) throw error;
      left = missing;
    }
  }
}

async function isThere(session: AdapterSession, id: string | undefined): Promise<boolean> {
  return id !== undefined && (await session.read({ id, limit: 1 })).events.length > 0;
}
