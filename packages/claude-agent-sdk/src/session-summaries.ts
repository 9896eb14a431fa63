/** Summaries of sessions for the SDK's list: each is a fold of a transcript, by the SDK's own function. */

import type { SessionKey, SessionSummaryEntry } from "@anthropic-ai/claude-agent-sdk";
import { type AdapterSession, FoldedLog } from "@continuo/store/adapters";
import { entryOf } from "./entry-events.ts";

export interface SummarizedSession {
  readonly key: SessionKey;
  /** The time in the store's list, which the SDK compares with the time of the summary. */
  readonly mtime: number;
  readonly session: AdapterSession;
}

interface State {
  summary?: SessionSummaryEntry;
}

type Logs = ReadonlyMap<string, FoldedLog<State>>;

export class SessionSummaries {
  /** The logs by project; only sessions of the newest list are kept. */
  readonly #logs = new Map<string, Logs>();

  async list(projectKey: string, sessions: readonly SummarizedSession[]): Promise<SessionSummaryEntry[]> {
    // A program that lists sessions has already loaded the SDK; other programs need only its types.
    const { foldSessionSummary } = await import("@anthropic-ai/claude-agent-sdk");
    const known = this.#logs.get(projectKey);
    const logs = new Map<string, FoldedLog<State>>();
    for (const { key, session } of sessions) {
      const log = new FoldedLog<State>(session, {
        initial: () => ({}),
        apply: (state, { data }) => {
          const entry = entryOf(data);
          if (entry !== undefined) state.summary = foldSessionSummary(state.summary, key, [entry]);
        },
      });
      logs.set(key.sessionId, known?.get(key.sessionId) ?? log);
    }
    this.#logs.set(projectKey, logs);
    const summaries: SessionSummaryEntry[] = [];
    for (const { key, mtime } of sessions) {
      const summary = await logs.get(key.sessionId)?.read((state) => state.summary);
      if (summary !== undefined) summaries.push({ ...summary, mtime });
    }
    return summaries;
  }
}
