/** The continuous sessions of one workspace on one server, for the HTTP routes. */

import { assertKnownOptions, type NewEvent, type OpenedBlob, type Store } from "@continuo/core/model";
import type { LivePage, PageOperation, RelatedNote } from "@continuo/core/wire";
import { type Answer, answerQuestion, type Question } from "./ask.ts";
import {
  ANY_PICTURE,
  type AudioUpload,
  audioEvent,
  Frames,
  fetchContextWindow,
  type PictureAccess,
} from "./evidence/index.ts";
import { Followers } from "./followers.ts";
import {
  type Acknowledgement,
  type ContextWindowOptions,
  countDropped,
  type Damage,
  type EvidenceBatch,
  type EvidenceItem,
  isoOf,
  isRemoved,
  LIMITS,
  type LiveSession,
  type LiveSessionRequest,
  type Note,
  type NoteOperation,
  type OpenedLiveSession,
  observeSessions,
  RecentNames,
  type SessionOwnerSettings,
  soundStore,
} from "./kit/index.ts";
import { type LiveVerifyResult, LogChecks } from "./log-checks.ts";
import { answerEvent, notesOf, operationEvents, relatedNotes } from "./notes/index.ts";
import { assertLiveOptions, type LiveOptions, settingsOf } from "./options.ts";
import {
  CleanUp,
  deleteVideo,
  endSession,
  isLiveUsed,
  LateNotes,
  NightlyReplay,
  Ownership,
  Removals,
  type SessionLease,
  SessionOwner,
} from "./owner/index.ts";
import { pageOperationEvent, readPage } from "./page/index.ts";
import { type ReplayCall, type ReplayReport, replayRecorded, replayWithModel } from "./replay/index.ts";
import { contentWords } from "./sentences/index.ts";
import { sessionsOf, toLiveSession, withParentStatus } from "./session-view.ts";
import {
  acceptedEvents,
  appendOnce,
  assertAccepted,
  isOfVideo,
  joinKey,
  listKeys,
  openKeys,
  openLiveSession,
  sessionIdForInput,
  sessionIdOfKey,
  setKeyStatus,
  storedAudio,
} from "./sessions/index.ts";
import {
  acknowledge,
  assertTranscriber,
  assertWritable,
  ended,
  type Follower,
  isFinal,
  stateOf,
} from "./state/index.ts";
import { WriterChoice } from "./writer-choice.ts";

const NEVER = new AbortController().signal;

export class LiveService {
  readonly serverId: string;
  readonly store: Store;
  /** The store as readers must see it: a damaged event comes without its payload. */
  readonly soundStore: Store;
  readonly frames: Frames;
  readonly #kind: "stored" | "ephemeral";
  readonly #role: "owner" | "reader";
  readonly #settings: SessionOwnerSettings;
  readonly #ownership: Ownership;
  readonly #checks: LogChecks;
  readonly #followers: Followers;
  readonly #owners = new Map<string, SessionOwner>();
  readonly #owning = new Map<string, Promise<SessionOwner | null>>();
  readonly #asked = new RecentNames(LIMITS.keyMemoryMs);
  readonly #cleanUp: CleanUp;
  readonly #nightly: NightlyReplay | null;
  /** Writes the notes of sessions that ended while their writer was away. */
  readonly late: LateNotes;
  /** Removes sessions and videos, and brings them back. */
  readonly removals: Removals;
  readonly writers: WriterChoice;
  readonly #leaveMetrics: () => void;
  #stopping: Promise<void> | null = null;

  constructor(options: LiveOptions) {
    assertLiveOptions("LiveService", options);
    const { store } = options;
    const sound = soundStore(store, {
      known: (logId, sequence) => this.#followers.peek(logId)?.damageAt(sequence)?.reason ?? null,
      onFound: (logId) => void this.#checks.onFound(logId),
    });
    this.#settings = settingsOf({ ...options, store: sound });
    const { clock, newId, report } = this.#settings;
    this.store = store;
    this.soundStore = sound;
    this.#followers = new Followers({
      store,
      report,
      isOwned: (sessionId) => this.#owners.has(sessionId),
      // The server that finds the fault records it, so that all servers and clients see it.
      onOpen: (follower) => follower.onFault((fault) => void this.#checks.onFault(follower, fault)),
    });
    this.#checks = new LogChecks({
      store,
      settings: this.#settings,
      follow: (sessionId) => this.follow(sessionId),
      own: (sessionId) => this.#own(sessionId, "anybody"),
      forget: (sessionId) => this.#forget(sessionId),
      mayWrite: () => this.#stopping === null && this.#role === "owner",
    });
    this.writers = new WriterChoice(this, this.#settings, {
      own: (sessionId) => this.#own(sessionId),
      append: (follower, events) => this.#input(follower, events),
    });
    this.#kind = options.kind ?? "stored";
    this.#role = options.role ?? "owner";
    // The first segmenter of a process loads its tables for 10 to 17 ms, so it is made before other work waits.
    if (this.#role === "owner") setImmediate(() => void contentWords("")).unref();
    this.serverId = options.serverName === undefined ? newId() : `${options.serverName}.${newId()}`;
    this.#ownership = new Ownership({
      store,
      serverId: this.serverId,
      report,
      onTakeOver: (lease) =>
        void this.#keep(lease).catch((error: unknown) => report(`live: ${String(error)}`)),
    });
    this.frames = new Frames({ store, clock, days: options.frameDays ?? {}, report });
    this.#cleanUp = new CleanUp({ store, clock, report, abandon: (id) => this.#end(id, "expiry") });
    const owning = { ownership: this.#ownership, follow: (id: string) => this.follow(id) };
    this.late = new LateNotes({ ...this.#settings, ...owning });
    const end = (id: string): Promise<boolean> => this.#end(id, "removal");
    this.removals = new Removals({ store, clock, report, end, release: (one) => this.#release(one) });
    this.#leaveMetrics = observeSessions(() =>
      [...this.#owners.keys()].flatMap((id) => this.#followers.peek(id)?.view() ?? []),
    );
    const nightly = { store, clock, report, onDisagreement: this.#checks.onDisagreement };
    this.#nightly = options.replayNightly === false ? null : new NightlyReplay(nightly);
  }

  /** Resolves to true if any server runs continuous sessions on this store. */
  static isUsed(store: Store): Promise<boolean> {
    return isLiveUsed(store);
  }

  /** Begins to take over sessions of servers that are gone, and to end sessions that nobody uses. */
  async start(): Promise<void> {
    if (this.#role === "reader") return;
    await this.#ownership.start();
    for (const work of [this.#cleanUp, this.frames, this.removals, this.late]) work.start();
    this.#nightly?.start();
  }

  /** Stops this server's work; other servers take its sessions over. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      this.#leaveMetrics();
      for (const work of [this.#cleanUp, this.frames, this.removals, this.late]) work.stop();
      this.#nightly?.stop();
      for (const owner of [...this.#owners.values()]) owner.end();
      await this.#followers.close();
      await this.#ownership.stop();
    })();
    return this.#stopping;
  }

  /**
   * Gets or creates the session of a key. `reach` has the names of the keys that the client may read and write, where a
   * `*` at the end matches any rest of a name; tabs of a video share a session only if each client may use the other's
   * key. Errors: `invalid`, and those of the store.
   */
  async open(
    key: string,
    request: LiveSessionRequest,
    reach: readonly string[] = ["*"],
  ): Promise<OpenedLiveSession> {
    const wanted = this.writers.withChoice(request);
    const options = { ...this.#settings, reach };
    const { sessionId, origin } = await openLiveSession(this.store, key, wanted, options);
    const follower = await this.follow(sessionId);
    await (await this.#own(sessionId))?.carryNotes();
    const { videoId } = follower.fold;
    return { sessionId, videoId, state: stateOf(follower), created: origin === "created" };
  }

  /** Errors: `not_found`. */
  async session(key: string): Promise<LiveSession> {
    return this.#view(key, await this.sessionIdOf(key));
  }

  async list(page: { readonly limit?: number; readonly cursor?: string } = {}): Promise<{
    readonly items: readonly LiveSession[];
    readonly nextCursor: string | null;
  }> {
    const { items, nextCursor } = await listKeys(this.store, page);
    return { items: await sessionsOf(this.store, items, (key, id) => this.#view(key, id)), nextCursor };
  }

  /** Errors: `not_found`. */
  sessionIdOf(key: string): Promise<string> {
    return sessionIdOfKey(this.store, key);
  }

  /** The fold of the session, up to date. The service owns it. Errors: those of the store. */
  follow(sessionId: string): Promise<Follower> {
    return this.#followers.of(sessionId);
  }

  /** Keeps the session from being abandoned for another hour. Errors: `not_found`, `log_closed`. */
  async ping(key: string): Promise<void> {
    const sessionId = await sessionIdForInput(this.store, key);
    const { fold } = await this.follow(sessionId);
    if (isFinal(fold.state)) throw ended(key, fold.state);
    await this.#cleanUp.ping(sessionId);
    await this.#own(sessionId);
  }

  /**
   * Stores a batch of evidence only once. Errors: `not_found`; `log_closed` when the session ended; `degraded`;
   * `sequence_gap` and `fenced` for the producer's number; those of the store.
   */
  async accept(
    key: string,
    batch: EvidenceBatch,
    mayUse: PictureAccess = ANY_PICTURE,
  ): Promise<Acknowledgement> {
    const present = await sessionIdForInput(this.store, key);
    const { producerId, epoch, sequence, evidence, sessionId = present } = batch;
    const follower = await this.follow(present);
    const producer = { type: "producer", producerId, epoch, sequence } as const;
    await this.#settings.commits.join(present);
    if (sessionId !== present || isFinal(follower.fold.state)) {
      await assertAccepted(this.store, { key, sessionId }, { producer, evidence });
      return acknowledge(follower, [], this.#settings);
    }
    assertWritable(follower);
    const knownThrough = follower.fold.sequence;
    const by = { frames: this.frames, occurredAt: isoOf(this.#settings.clock.now()), mayUse };
    const { events, dropped } = await acceptedEvents(follower, evidence, by);
    const stored = await appendOnce(this.store, follower.sessionId, { events, producer, knownThrough });
    this.#ownSoon(follower.sessionId);
    countDropped({ telemetry_reported: dropped });
    return { ...acknowledge(follower, stored, this.#settings), dropped };
  }

  /**
   * Evidence around a time of the medium, most useful first; the cost does not depend on the length of the session.
   * Errors: `not_found`, and those of the store.
   */
  fetchContextWindow(
    sessionId: string,
    timestampMs: number,
    options: ContextWindowOptions = {},
  ): AsyncIterable<EvidenceItem> {
    return fetchContextWindow(this.soundStore, sessionId, timestampMs, options);
  }

  /** Stores audio; its transcript is made later. Errors: as `accept`; `unsupported` without a transcriber. */
  async acceptAudio(key: string, upload: AudioUpload): Promise<Acknowledgement> {
    assertTranscriber(this.#settings.transcriber);
    const follower = await this.follow(await sessionIdForInput(this.store, key));
    const known = await storedAudio(this.soundStore, follower.sessionId, upload);
    if (known !== null) return acknowledge(follower, [known], this.#settings);
    assertWritable(follower);
    return this.#input(follower, [await audioEvent(this.store, upload, this.#settings.clock.now())]);
  }

  /** All notes that are not archived, in the order of the medium. Errors: `not_found`. */
  async notes(key: string): Promise<readonly Note[]> {
    return notesOf(this.soundStore, await this.follow(await this.sessionIdOf(key)));
  }

  /** The page of the session; if it has none yet, the page of the session that it continues. Errors: `not_found`. */
  async page(key: string): Promise<LivePage | null> {
    return readPage(this.soundStore, await this.follow(await this.sessionIdOf(key)));
  }

  /** Applies a person's operation to an item of the page. Errors: as `operate`. */
  async operateOnPage(key: string, itemId: string, operation: PageOperation): Promise<Acknowledgement> {
    const follower = await this.follow(await this.sessionIdOf(key));
    assertWritable(follower);
    return this.#input(follower, [
      await pageOperationEvent(this.soundStore, follower, { itemId, operation }),
    ]);
  }

  /** The notes that share evidence or words with a note. Errors: `not_found`. */
  async related(key: string, noteId: string): Promise<readonly RelatedNote[]> {
    const follower = await this.follow(await this.sessionIdOf(key));
    return relatedNotes({ ...this.#settings, noteId, follower });
  }

  /** Applies a person's operation to a note. Errors: as `accept`; `not_found`, `conflict`, `too_large`. */
  async operate(key: string, noteId: string, operation: NoteOperation): Promise<Acknowledgement> {
    const follower = await this.follow(await this.sessionIdOf(key));
    assertWritable(follower);
    const operate = { ...this.#settings, store: this.soundStore, follower, noteId, operation };
    return this.#input(follower, await operationEvents(operate));
  }

  /** Stores the answer to a request for context. Errors: as `accept`; `not_found`, `invalid`. */
  async answer(
    key: string,
    requestId: string,
    answer: { readonly text: unknown; readonly mediaTimeMs: unknown },
  ): Promise<Acknowledgement> {
    const follower = await this.follow(await this.sessionIdOf(key));
    assertWritable(follower);
    return this.#input(follower, [answerEvent(follower, requestId, answer)]);
  }

  /** Deletes the sessions of a video with their evidence and pictures; tombstones stay. Returns their number. */
  deleteVideo(videoId: string): Promise<number> {
    return deleteVideo(this.store, videoId, (sessionId) => this.#release({ sessionId, videoId }));
  }

  /** Keeps a picture of the session's video beyond its expiry. Errors: `not_found`. */
  async keepPicture(key: string, hash: string): Promise<void> {
    await this.frames.keep(hash, (await this.follow(await this.sessionIdOf(key))).fold.videoId);
  }

  /** Opens a picture through the event that refers to it. Errors: `not_found`, also for a removed picture. */
  async openPicture(
    key: string,
    place: { readonly sequence: number; readonly hash: string },
  ): Promise<OpenedBlob> {
    const { sessionId, fold } = await this.follow(await this.sessionIdOf(key));
    return this.frames.open({ sessionId, videoId: fold.videoId }, place);
  }

  /** Answers a question from the notes and the evidence. Errors: `not_found`, `agent_failed`. */
  async ask(key: string, question: Question, signal: AbortSignal = NEVER): Promise<Answer> {
    const follower = await this.follow(await this.sessionIdOf(key));
    const { answer, event } = await answerQuestion(question, { ...this.#settings, follower, signal });
    if (event !== null) await this.#input(follower, [event]);
    return answer;
  }

  /** Makes the notes again and compares them. Errors: `not_found`; with `model` also `agent_failed`. */
  async replay(key: string, mode: ReplayReport["mode"], options: ReplayCall = {}): Promise<ReplayReport> {
    assertKnownOptions("replay", options, { context: true, signal: true });
    const { context = "all", signal = NEVER } = options;
    const sessionId = await this.sessionIdOf(key);
    if (mode === "recorded") return replayRecorded(this.store, sessionId);
    const writer = this.#settings.writerOf((await this.follow(sessionId)).fold.noteWriter);
    return replayWithModel({ ...this.#settings, sessionId, writer, context, signal });
  }

  /** Makes another key refer to the session of `key`. Errors: `not_found`. */
  async join(key: string, other: string): Promise<void> {
    await joinKey(this.store, other, await this.sessionIdOf(key));
  }

  /**
   * Writes the last notes and a checkpoint, and ends the session; idempotent. A session that tabs of its video share
   * ends when the last of them has left. Errors: `not_found`.
   */
  async close(key: string): Promise<void> {
    const sessionId = await this.sessionIdOf(key);
    const session = await this.store.getSession(sessionId);
    if (session !== null && isOfVideo(session)) {
      await setKeyStatus(this.store, key, "left");
      if ((await openKeys(this.store, sessionId)).length > 0) return;
    }
    await this.#end(sessionId, "close");
  }

  /** Recomputes every hash of the log. A damaged session that has not ended becomes degraded. Errors: `not_found`. */
  async verify(key: string): Promise<LiveVerifyResult> {
    return this.#checks.verify(await this.sessionIdOf(key));
  }

  /**
   * Makes a degraded session active again: puts its damaged events aside, and makes its snapshots again. Returns what
   * was put aside. A session that ended and is damaged stays ended. Errors: `not_found`; `invalid_transition` for a
   * session without damage; `corrupt`; `unavailable` if another server works on the session.
   */
  async repair(key: string): Promise<readonly Damage[]> {
    return this.#checks.repair(key, await this.sessionIdOf(key));
  }

  /** Ends sessions that nobody uses; the service also does this every hour. Returns how many it ended. */
  cleanUp(): Promise<number> {
    return this.#cleanUp.run();
  }

  /** The owner of the session on this server: for tests and metrics. */
  ownerOf(sessionId: string): SessionOwner | undefined {
    return this.#owners.get(sessionId);
  }

  /** True if all folds are at the end of their logs and, with `all`, no work is in progress: for tests. */
  async isQuiet(what: "all" | "folds" = "all"): Promise<boolean> {
    if (what === "all" && [...this.#owners.values()].some((owner) => owner.isBusy)) return false;
    return this.#followers.areCurrent();
  }

  async #view(key: string, sessionId: string): Promise<LiveSession> {
    const by = { ...this.#settings, owner: this.#owners.get(sessionId), kind: this.#kind, role: this.#role };
    return withParentStatus(this.store, toLiveSession(key, await this.follow(sessionId), by));
  }

  async #input(follower: Follower, events: readonly NewEvent[]): Promise<Acknowledgement> {
    const complete = events.map((event) => ({ occurredAt: isoOf(this.#settings.clock.now()), ...event }));
    const stored = await this.store.append(follower.sessionId, complete);
    await follower.reaches(stored.at(-1)?.sequence ?? 0);
    this.#ownSoon(follower.sessionId);
    return acknowledge(follower, stored, this.#settings);
  }

  /** Ends the work on a session that is about to be deleted, and removes its pictures and audio. */
  async #release(session: { readonly sessionId: string; readonly videoId: string }): Promise<void> {
    await this.#forget(session.sessionId);
    await this.frames.release(session);
  }

  async #forget(sessionId: string): Promise<void> {
    this.#owners.get(sessionId)?.end();
    await this.#followers.forget(sessionId);
  }

  #ownSoon(sessionId: string): void {
    if (this.#owners.has(sessionId) || !this.#asked.isNew(sessionId)) return;
    void this.#own(sessionId).catch(() => undefined);
  }

  #own(sessionId: string, from: "the gone" | "anybody" = "the gone"): Promise<SessionOwner | null> {
    if (this.#role === "reader") return Promise.resolve(null);
    // A request that is on its way may get a newer lease than the present owner has.
    const asked = this.#owning.get(sessionId);
    if (asked !== undefined && from === "the gone") return asked;
    const asking = (async () => {
      await asked?.catch(() => undefined);
      const known = this.#owners.get(sessionId);
      if (known !== undefined) return known;
      const lease = await this.#ownership.own(sessionId, from);
      return lease === null ? null : this.#keep(lease);
    })().finally(() => {
      if (this.#owning.get(sessionId) === asking) this.#owning.delete(sessionId);
    });
    this.#owning.set(sessionId, asking);
    return asking;
  }

  async #keep(lease: SessionLease): Promise<SessionOwner | null> {
    const { sessionId } = lease;
    if (this.#stopping !== null) return null;
    const isHidden = await isRemoved(this.store, sessionId);
    const follower = await this.follow(sessionId);
    // A repair closes the follower, and opens another one.
    if (follower.isClosed) return this.#keep(lease);
    // A take-over and a request may arrive here in another order than the store granted them.
    const known = this.#owners.get(sessionId);
    if (known !== undefined && known.lease.token > lease.token) return known;
    if (isFinal(follower.fold.state)) {
      await this.#ownership.release(lease);
      return null;
    }
    const owner: SessionOwner = new SessionOwner({
      ...this.#settings,
      follower,
      lease,
      work: isHidden ? "none" : "all",
      onEnd: () => {
        if (this.#owners.get(sessionId) === owner) this.#owners.delete(sessionId);
      },
    });
    this.#owners.get(sessionId)?.end();
    this.#owners.set(sessionId, owner);
    if (isHidden) await endSession(owner, { ...this.#settings, follower, on: "removal" });
    return isHidden ? null : owner;
  }

  async #end(sessionId: string, on: "close" | "expiry" | "removal"): Promise<boolean> {
    const follower = await this.follow(sessionId);
    if (isFinal(follower.fold.state)) return false;
    const owner = await this.#own(sessionId, "anybody");
    return owner !== null && endSession(owner, { ...this.#settings, follower, on });
  }
}
