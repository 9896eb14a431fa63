/** The followers of one service: the folds of the sessions that it serves, as many as there is room for. */

import { ContinuoError, type Store } from "@continuo/core/model";
import { LIMITS } from "./kit/index.ts";
import { Follower, isFinal } from "./state/index.ts";

export interface FollowersOptions {
  readonly store: Store;
  readonly report: (line: string) => void;
  /** True for a session whose follower must stay. */
  readonly isOwned: (sessionId: string) => boolean;
  /** Called with each new follower. */
  readonly onOpen: (follower: Follower) => void;
}

export class Followers {
  readonly #options: FollowersOptions;
  readonly #opening = new Map<string, Promise<Follower>>();
  readonly #open = new Map<string, Follower>();
  #state: "running" | "stopped" = "running";

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** The fold of the session, up to date. Errors: `unavailable` after `close`, and those of the store. */
  async of(sessionId: string): Promise<Follower> {
    const known = await this.#opening.get(sessionId);
    if (known !== undefined && !(known.isOver && !isFinal(known.fold.state))) return known;
    if (this.#state === "stopped") throw new ContinuoError("unavailable", "the server is closing");
    const { store, report, onOpen } = this.#options;
    const opening = Follower.open({ store, sessionId, report });
    this.#opening.set(sessionId, opening);
    opening.catch(() => this.#opening.delete(sessionId));
    const follower = await opening;
    this.#open.set(sessionId, follower);
    onOpen(follower);
    this.#makeRoom();
    return follower;
  }

  /** The follower, if it is open already. */
  peek(sessionId: string): Follower | undefined {
    return this.#open.get(sessionId);
  }

  /** True if every fold is at the end of its log. Errors: those of the store. */
  async areCurrent(): Promise<boolean> {
    for (const { isOver, sessionId, fold } of await Promise.all(this.#opening.values())) {
      if (isOver) continue;
      if ((await this.#options.store.latestSequence(sessionId)) !== fold.sequence) return false;
    }
    return true;
  }

  async forget(sessionId: string): Promise<void> {
    const follower = await this.#opening.get(sessionId);
    this.#opening.delete(sessionId);
    this.#open.delete(sessionId);
    follower?.close();
  }

  async close(): Promise<void> {
    this.#state = "stopped";
    for (const opening of this.#opening.values()) {
      await opening.then(
        (follower) => follower.close(),
        () => undefined,
      );
    }
  }

  #makeRoom(): void {
    const ended = [...this.#open.values()].filter(
      ({ fold }) => isFinal(fold.state) && fold.owed.length === 0,
    );
    const tooMany = Math.max(0, ended.length - LIMITS.endedFollowers);
    for (const { sessionId } of ended.slice(0, tooMany)) this.#drop(sessionId);
    for (const sessionId of this.#opening.keys()) {
      if (this.#opening.size <= LIMITS.followers) return;
      if (!this.#options.isOwned(sessionId)) this.#drop(sessionId);
    }
  }

  #drop(sessionId: string): void {
    const opening = this.#opening.get(sessionId);
    this.#opening.delete(sessionId);
    this.#open.delete(sessionId);
    void opening?.then((follower) => follower.close());
  }
}
