/**
 * Removes sessions, with undo: a removed session is hidden immediately and takes no input. A person can bring it back
 * for a week; then one server deletes it with its evidence, notes and pictures. Each step can be repeated after a
 * crash.
 */

import {
  assertKnownOptions,
  ContinuoError,
  type KnownOptions,
  listAll,
  type Session,
  type Store,
} from "@continuo/core/model";
import type { RemovedLiveSession } from "@continuo/core/wire";
import {
  type Clock,
  findRemoval,
  isFields,
  isoOf,
  isRemoved,
  LIMITS,
  listRemovals,
  nearestShown,
  onOneServer,
  putRemoval,
  type Removal,
  startPeriodicWork,
} from "../kit/index.ts";
import { findKey, findVideo, firstKeyOf, joinKey, keysOf, setVideo } from "../sessions/index.ts";
import { deleteSessionLogs, liveSessions } from "./video-deletion.ts";

export interface RemovalsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Ends a session whose log is open, without writing notes about pending evidence. */
  readonly end: (sessionId: string) => Promise<unknown>;
  /** Called before the session is deleted. */
  readonly release: (session: { readonly sessionId: string; readonly videoId: string }) => Promise<void>;
}

/** Resolves to true if the client may change the session of a key. */
export type MayChange = (key: string) => boolean;

const ANY_KEY: MayChange = () => true;
const LEASE = "live/deletion";

interface RemovalOptions {
  readonly sessionId?: string;
  readonly mayChange?: MayChange;
}

const REMOVAL_OPTIONS: KnownOptions<RemovalOptions> = { sessionId: true, mayChange: true };

export class Removals {
  readonly #options: RemovalsOptions;
  #cancel: (() => void) | null = null;

  constructor(options: RemovalsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, report } = this.#options;
    const work = (): Promise<number> => this.deleteDue();
    const name = "the deletion of removed sessions";
    this.#cancel = startPeriodicWork(clock, { everyMs: LIMITS.deletionMs, name, work, report });
  }

  stop(): void {
    this.#cancel?.();
  }

  /**
   * Hides the session of a key, and ends it; idempotent. With `sessionId`, hides only that session. Errors:
   * `not_found`, `conflict` if the key refers to another session, `forbidden`.
   */
  async remove(key: string, options: RemovalOptions = {}): Promise<RemovedLiveSession> {
    assertKnownOptions("remove", options, REMOVAL_OPTIONS);
    const { sessionId, mayChange = ANY_KEY } = options;
    const { store } = this.#options;
    const entry = await findKey(store, key);
    const session = entry === null ? null : await store.getSession(entry.sessionId);
    if (session === null) throw noSession({ key });
    if (sessionId !== undefined && session.sessionId !== sessionId) {
      const known = await findRemoval(store, sessionId);
      if (known?.status === "removed" && known.keys.includes(key)) return this.#shown(known);
      throw new ContinuoError("conflict", "the key belongs to another session now", {
        hint: "Read the session again.",
        details: { key, sessionId: session.sessionId },
      });
    }
    if (!(await keysOf(store, session)).every(mayChange)) {
      throw new ContinuoError("forbidden", "the session also belongs to keys that this token cannot write", {
        hint: "Use a token with `live:*:read,write`.",
        details: { key },
      });
    }
    return this.#shown(await this.#hide(session, "session", this.#options.clock.now()));
  }

  /**
   * Hides the sessions of a video whose keys the client may all change. If this fails, some of them are hidden: a
   * further call hides the rest. Errors: `not_found` if there are none.
   */
  async removeVideo(videoId: string, mayChange: MayChange = ANY_KEY): Promise<readonly RemovedLiveSession[]> {
    const { store, clock } = this.#options;
    const atMs = clock.now();
    const removed: RemovedLiveSession[] = [];
    for await (const session of liveSessions(store)) {
      if (videoIdOf(session) !== videoId || !(await keysOf(store, session)).every(mayChange)) continue;
      const known = await findRemoval(store, session.sessionId);
      // A session that was removed on its own is not brought back with its video.
      if (known?.status === "deleting" || (known?.status === "removed" && known.with === "session")) continue;
      removed.push(await this.#shown(await this.#hide(session, "video", atMs)));
    }
    if (removed.length === 0) throw noSession({ videoId });
    return removed;
  }

  /**
   * Brings a removed session back. If its key belongs to another session now, it gets a new key that begins with the
   * former one. Returns its key. Errors: `not_found`; `gone` when it is being deleted; `forbidden`.
   */
  async restore(key: string, options: RemovalOptions = {}): Promise<string> {
    assertKnownOptions("restore", options, REMOVAL_OPTIONS);
    const { sessionId, mayChange = ANY_KEY } = options;
    const { store } = this.#options;
    const id = sessionId ?? (await findKey(store, key))?.sessionId;
    const removal = id === undefined ? null : await findRemoval(store, id);
    if (removal === null || !removal.keys.includes(key)) throw noRemoved({ key });
    if (!removal.keys.every(mayChange)) {
      throw new ContinuoError("forbidden", "the session also belongs to keys that this token cannot write", {
        hint: "Use a token with `live:*:read,write`.",
        details: { key },
      });
    }
    return this.#bringBack(removal);
  }

  /** Brings back what was removed with the video. Returns the keys. Errors: `not_found` if there is nothing. */
  async restoreVideo(videoId: string, mayChange: MayChange = ANY_KEY): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const removal of this.#removals("removed")) {
      if (removal.videoId !== videoId || removal.with !== "video" || !removal.keys.every(mayChange)) continue;
      keys.push(await this.#bringBack(removal));
    }
    if (keys.length === 0) throw noRemoved({ videoId });
    return keys;
  }

  /** The sessions that can be brought back, page by page. */
  async list(page: { readonly limit?: number; readonly cursor?: string } = {}): Promise<{
    readonly items: readonly RemovedLiveSession[];
    readonly nextCursor: string | null;
  }> {
    const { items, nextCursor } = await listRemovals(this.#options.store, { ...page, status: "removed" });
    return { items: await Promise.all(items.map((removal) => this.#shown(removal))), nextCursor };
  }

  /**
   * Deletes what was removed a week ago, on one server at a time; it also runs every hour. Returns the number of
   * deleted sessions.
   */
  deleteDue(): Promise<number> {
    const { store, clock, report } = this.#options;
    return onOneServer(store, LEASE, async (renew) => {
      let deleted = 0;
      for (const status of ["deleting", "removed"] as const) {
        for await (const removal of this.#removals(status)) {
          if (status === "removed" && removal.untilMs > clock.now()) continue;
          try {
            if (await this.#delete(removal)) deleted++;
          } catch (error) {
            report(`live: cannot delete the removed session ${removal.sessionId}: ${String(error)}`);
          }
          await renew();
        }
      }
      return deleted;
    });
  }

  #removals(status: Removal["status"]): AsyncGenerator<Removal, void, void> {
    const { store } = this.#options;
    return listAll((place) => listRemovals(store, { status, limit: LIMITS.cleanUpBatch, ...place }));
  }

  async #hide(session: Session, part: Removal["with"], atMs: number): Promise<Removal> {
    const { store } = this.#options;
    const { sessionId } = session;
    for (;;) {
      const known = await findRemoval(store, sessionId);
      if (known !== null && known.status !== "restored") {
        await this.#end(session);
        return known;
      }
      const generation = (known?.generation ?? 0) + 1;
      const keys = await keysOf(store, session);
      const times = { atMs, untilMs: atMs + LIMITS.undoMs };
      const removal = { sessionId, generation, keys, videoId: videoIdOf(session), with: part, ...times };
      if (!(await putRemoval(store, { ...removal, status: "removed" }))) continue;
      // The session is hidden from now on, even if its log cannot be written.
      await this.#end(session);
      return { ...removal, status: "removed", changeId: "" };
    }
  }

  /** Ends the session; also if it was hidden before, because its log may still be open after a crash. */
  async #end({ sessionId }: Session): Promise<void> {
    const { end, report } = this.#options;
    await end(sessionId).catch((error: unknown) =>
      report(`live: the removed session ${sessionId} is not closed: ${String(error)}`),
    );
  }

  async #bringBack(removal: Removal): Promise<string> {
    const { store } = this.#options;
    const { sessionId, keys, generation } = removal;
    if (removal.status === "deleting") {
      throw new ContinuoError("gone", "the session is being deleted: its time for undo is over", {
        details: { sessionId },
      });
    }
    const key = await this.#keyFor(removal);
    if (removal.status === "removed") {
      const isBack = await putRemoval(store, { ...removal, generation: generation + 1, status: "restored" });
      // Another request changed the removal at the same time: only the present state of the session matters.
      if (!isBack && (await isRemoved(store, sessionId))) throw noRemoved({ key: keys[0] ?? "" });
    }
    return key;
  }

  /** A key that refers to the session, and that exists before the session is shown again. */
  async #keyFor({ sessionId, keys }: Removal): Promise<string> {
    const { store } = this.#options;
    for (const key of keys) if ((await findKey(store, key))?.sessionId === sessionId) return key;
    const key = `${(keys[0] ?? "").slice(0, LIMITS.keyLength - sessionId.length - 1)}~${sessionId}`;
    await joinKey(store, key, sessionId);
    return key;
  }

  async #delete(removal: Removal): Promise<boolean> {
    const { store, release } = this.#options;
    const { sessionId, videoId, generation } = removal;
    if (removal.status === "removed") {
      // From here on, nothing brings it back.
      const next = { ...removal, generation: generation + 1, status: "deleting" } as const;
      if (!(await putRemoval(store, next))) return false;
    }
    const session = await store.getSession(sessionId);
    if (session !== null) {
      await this.#giveVideoBack(session);
      await release({ sessionId, videoId });
    }
    await deleteSessionLogs(store, sessionId, "a person removed the session");
    return true;
  }

  /** The next session of the video continues the one before the deleted one. */
  async #giveVideoBack(session: Session): Promise<void> {
    const { store } = this.#options;
    const videoId = videoIdOf(session);
    const video = await findVideo(store, videoId);
    if (video?.sessionId !== session.sessionId) return;
    const before = await nearestShown(store, session);
    if (before === null || videoIdOf(before) !== videoId) return;
    const generation = video.generation + 1;
    const entry = { ...video, sessionId: before.sessionId, generation, key: firstKeyOf(before) };
    await setVideo(store, videoId, entry);
  }

  async #shown({ sessionId, keys, videoId, atMs, untilMs }: Removal): Promise<RemovedLiveSession> {
    const session = await this.#options.store.getSession(sessionId);
    return {
      sessionId,
      key: keys[0] ?? "",
      videoId,
      title: session?.title ?? null,
      removedAt: isoOf(atMs),
      deletedAfter: isoOf(untilMs),
    };
  }
}

function videoIdOf({ metadata }: Session): string {
  return isFields(metadata.live) ? String(metadata.live.videoId) : "";
}

function noSession(details: Readonly<Record<string, string>>): ContinuoError {
  return new ContinuoError("not_found", "there is no session to remove", { details });
}

function noRemoved(details: Readonly<Record<string, string>>): ContinuoError {
  return new ContinuoError("not_found", "there is no removed session to bring back", {
    hint: "See what can be brought back with `continuo live list --removed`.",
    details,
  });
}
