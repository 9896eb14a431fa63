/**
 * The work tree of a mirrored session: it is packed after a change, when the agent is quiet, and sent together with the
 * session.
 */

import { join, relative, sep } from "node:path";
import { type ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { filesBelow, openScratch, type Places, type Scratch } from "@continuo/files";
import { fingerprintOf, packWorkTree, type Repository, readWorkTree } from "../work-tree/index.ts";
import { QUIET_MS, TREE_LOOK_MS, TREE_PAUSE } from "./limits.ts";
import type { RemoteTakeOver } from "./lines.ts";
import type { MirrorSender } from "./sender.ts";
import type { PackedTree } from "./tree-sender.ts";

export interface MirroredTreeState {
  /** The time at which the newest state on the other machine was read here; `null` if that machine has none. */
  readonly readAt: Date | null;
  /** The reason why the work tree cannot be packed now; the other machine keeps the previous state. */
  readonly problem: ContinuoError | null;
}

interface PendingTree extends PackedTree {
  readonly scratch: Scratch;
}

export class TreeWatch implements Disposable {
  readonly #repository: Repository;
  readonly #places: Places;
  readonly #signal: AbortSignal;
  #pending: PendingTree | null = null;
  #there: { readonly sha256: string; readonly readAt: Date } | null = null;
  #problem: ContinuoError | null = null;
  #sessionBytes = -1;
  #grewMs = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #nextMs = 0;

  constructor(
    repository: Repository,
    { places, signal }: { readonly places: Places; readonly signal: AbortSignal },
  ) {
    this.#repository = repository;
    this.#places = places;
    this.#signal = signal;
  }

  get state(): MirroredTreeState {
    return { readAt: this.#there?.readAt ?? null, problem: this.#problem };
  }

  /** True while parts of it are still to be sent. */
  get isSending(): boolean {
    return this.#pending !== null;
  }

  /** Looks for changes if a check is due, and sends one part of a packed state. Errors: those of the connection. */
  async advance(sender: MirrorSender): Promise<RemoteTakeOver | null> {
    if (this.#pending === null && this.#isDue(sender)) await this.#look();
    const pending = this.#pending;
    if (pending === null) return null;
    const { isThere, takenOver } = await sender.sendTreePart(pending);
    if (isThere) {
      this.#there = { sha256: pending.sha256, readAt: new Date(pending.at) };
      this.#drop();
    }
    return takenOver;
  }

  [Symbol.dispose](): void {
    this.#drop();
  }

  #drop(): void {
    this.#pending?.scratch[Symbol.dispose]();
    this.#pending = null;
  }

  /**
   * A check is due after the end of a turn, when the session no longer grows, and at intervals, because a person may
   * change files at any time.
   */
  #isDue(sender: MirrorSender): boolean {
    const now = performance.now();
    const { mirroredBytes, waitingBytes } = sender.state(null);
    if (mirroredBytes !== this.#sessionBytes) {
      this.#sessionBytes = mirroredBytes;
      this.#grewMs = now;
    }
    if (now < this.#nextMs || waitingBytes > 0) return false;
    const isTurnOver = this.#grewMs > this.#lookedMs && now - this.#grewMs > QUIET_MS;
    return isTurnOver || now - this.#lookedMs > TREE_LOOK_MS;
  }

  async #look(): Promise<void> {
    const begunMs = performance.now();
    this.#lookedMs = begunMs;
    const scratch = openScratch();
    try {
      const around = { places: this.#places, signal: this.#signal };
      const at = new Date().toISOString();
      const read = await readWorkTree(this.#repository, present(around));
      const sha256 = fingerprintOf(read.state);
      if (sha256 !== this.#there?.sha256) {
        const packed = join(scratch.path, "work-tree");
        await packWorkTree(read, packed);
        this.#pending = { sha256, at, folder: this.#repository.worktree, files: filesIn(packed), scratch };
      }
      this.#problem = null;
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      this.#problem = error;
    } finally {
      if (this.#pending === null) scratch[Symbol.dispose]();
      const now = performance.now();
      this.#nextMs = now + (now - begunMs) * TREE_PAUSE;
    }
  }
}

/** The packed files. The last one is `state.json`, which confirms that the others are complete. */
function filesIn(packed: string): PackedTree["files"] {
  const files = filesBelow(packed).map((path) => ({
    path,
    there: relative(packed, path).split(sep).join("/"),
  }));
  return files.toSorted((a, b) => Number(a.there === "state.json") - Number(b.there === "state.json"));
}
