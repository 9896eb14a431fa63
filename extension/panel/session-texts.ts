/** The texts of earlier sessions. They are read when they are searched, and kept up to a limit. */

import type { LiveSession } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { SessionText } from "./exports.ts";
import { type Match, matchesIn } from "./session-search.ts";

export interface SearchOptions {
  readonly query: string;
  readonly signal: AbortSignal;
  /** Called with the matches so far by session, and the number of sessions that were not searched yet. */
  readonly onProgress: (found: ReadonlyMap<string, readonly Match[]>, waiting: number) => void;
}

interface KeptText {
  readonly text: SessionText;
  readonly chars: number;
  readonly readAtMs: number;
}

type SearchedSession = Pick<LiveSession, "sessionId" | "title" | "videoId" | "closedAt">;

export class SessionTexts<Session extends SearchedSession> {
  readonly #read: (session: Session) => Promise<SessionText>;
  readonly #now: () => number;
  readonly #kept = new Map<string, KeptText>();
  readonly #room: number;
  #chars = 0;

  /** `room`: the UTF-16 units that are kept. */
  constructor(
    read: (session: Session) => Promise<SessionText>,
    { now = Date.now, room = LIMITS.searchedChars }: { now?: () => number; room?: number } = {},
  ) {
    this.#read = read;
    this.#now = now;
    this.#room = room;
  }

  /**
   * Searches each session once. A session that cannot be read can be found by its title, and is read again the next
   * time.
   */
  async search(sessions: readonly Session[], { query, signal, onProgress }: SearchOptions): Promise<void> {
    const found = new Map<string, readonly Match[]>();
    const add = ({ sessionId }: Session, text: SessionText): void => {
      const matches = matchesIn(text, query);
      if (matches !== null) found.set(sessionId, matches);
    };
    const unread: Session[] = [];
    for (const session of sessions) {
      const kept = this.#fresh(session);
      if (kept === null) unread.push(session);
      else add(session, kept);
    }
    for (const [n, session] of unread.entries()) {
      onProgress(new Map(found), unread.length - n);
      const bare = { title: session.title ?? session.videoId, notes: [], spoken: [], pictured: [] };
      const text = await this.#read(session).catch(() => null);
      if (text !== null) this.#keep(session.sessionId, text);
      if (signal.aborted) return;
      add(session, text ?? bare);
    }
    onProgress(found, 0);
  }

  /** `null` for a session that must be read: its text is not kept, or it is still recorded and may have grown. */
  #fresh({ sessionId, closedAt }: Session): SessionText | null {
    const kept = this.#kept.get(sessionId);
    if (kept === undefined) return null;
    const isOld = closedAt === null && this.#now() - kept.readAtMs > LIMITS.searchedAgainMs;
    return isOld ? null : kept.text;
  }

  #keep(sessionId: string, text: SessionText): void {
    this.#chars -= this.#kept.get(sessionId)?.chars ?? 0;
    this.#kept.delete(sessionId);
    const chars = [...text.notes, ...text.spoken, ...text.pictured].reduce(
      (sum, line) => sum + line.text.length,
      0,
    );
    if (this.#chars + chars > this.#room) return;
    this.#chars += chars;
    this.#kept.set(sessionId, { text, chars, readAtMs: this.#now() });
  }
}
