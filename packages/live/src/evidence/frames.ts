/**
 * The pictures of frames: the full picture is stored for a week, and its thumbnail for a month. The frame itself, its
 * hashes and its embedding stay. A person is warned a day before a picture is removed, and can keep it.
 */

import {
  ContinuoError,
  type EventPage,
  isContinuoError,
  listAll,
  type NewEvent,
  type OpenedBlob,
  type Store,
} from "@continuo/core/model";
import type { PurgeWarning } from "@continuo/core/wire";
import {
  type BlobPointer,
  type Clock,
  type EvidenceInput,
  type FrameTier,
  isFields,
  isoOf,
  LIMITS,
  onOneServer,
  openSideLog,
  startPeriodicWork,
} from "../kit/index.ts";
import {
  addReference,
  bytesUntil,
  type FrameReference,
  forgetKept,
  isKept,
  keepPicture,
  pointersIn,
  referencesTo,
  removeReference,
  settleExpiry,
} from "./frame-references.ts";
import { type FrameOwner, openPicture } from "./open-picture.ts";

/** The days for which pictures are stored. */
export interface FrameDays {
  /** 7 by default. */
  readonly full?: number;
  /** 30 by default. */
  readonly thumbnail?: number;
}

export interface FramesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly days: FrameDays;
  readonly report: (line: string) => void;
}

type Warn = (warnings: readonly PurgeWarning[]) => void;

/** The pictures that expire soon, by video, as they were at a time. */
interface DuePictures {
  readonly atMs: number;
  readonly videos: Promise<ReadonlyMap<string, readonly PurgeWarning[]>>;
}

/** Resolves to true if the sender of evidence may use the picture. */
export type PictureAccess = (hash: string) => Promise<boolean>;

/** For senders in this process, which may use every picture. */
export const ANY_PICTURE: PictureAccess = () => Promise.resolve(true);

interface Watcher {
  readonly videoId: string;
  readonly warn: Warn;
  readonly warned: Set<string>;
}

const LEASE = "live/purge";
const OPEN: ReadonlySet<string> = new Set(["created", "active", "idle"]);

export class Frames {
  readonly #options: FramesOptions;
  readonly #tierMs: Readonly<Record<FrameTier, number>>;
  readonly #watchers = new Set<Watcher>();
  #stops: (() => void)[] = [];
  #due: DuePictures | null = null;

  constructor(options: FramesOptions) {
    this.#options = options;
    const { full = LIMITS.fullDays, thumbnail = LIMITS.thumbnailDays } = options.days;
    this.#tierMs = { full: full * LIMITS.dayMs, thumbnail: thumbnail * LIMITS.dayMs };
  }

  start(): void {
    const { clock, report } = this.#options;
    const purge = { everyMs: LIMITS.purgeMs, name: "the removal of pictures", work: () => this.purge() };
    const warn = { everyMs: LIMITS.purgeWarningPollMs, name: "the warning", work: () => this.#warnAll() };
    this.#stops = [purge, warn].map((regular) => startPeriodicWork(clock, { ...regular, report }));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  /**
   * Returns the evidence with the expiry of each picture in its pointers. A pointer to a picture that is missing, or
   * that the sender may not use, gets no expiry.
   */
  async hold(
    evidence: readonly EvidenceInput[],
    owner: FrameOwner,
    mayUse: PictureAccess,
  ): Promise<readonly EvidenceInput[]> {
    const held: EvidenceInput[] = [];
    for (const one of evidence) {
      if (one.type !== "frame_captured") held.push(one);
      else held.push({ ...one, ...(await this.#pointers(one, owner, mayUse)) });
    }
    return held;
  }

  /** Keeps a picture of the video. Errors: `not_found`, also for a removed picture. */
  async keep(hash: string, videoId: string): Promise<void> {
    const { store } = this.#options;
    const isOurs = (await referencesTo(store, hash)).some((reference) => reference.videoId === videoId);
    if (!isOurs || (await store.statBlob(hash)) === null) {
      throw new ContinuoError("not_found", "the video has no such picture", { details: { hash } });
    }
    await keepPicture(store, hash, videoId);
    this.#due = null;
  }

  /** The first pictures of a video that are removed within a day, unless somebody keeps them; at most one page. */
  async expiring(videoId: string): Promise<readonly PurgeWarning[]> {
    const videos = await this.#dueSoon();
    return (videos.get(videoId) ?? []).slice(0, LIMITS.shownExpiring);
  }

  /** Opens a picture through the event that refers to it. Errors: `not_found`, also for an expired picture. */
  async open(
    owner: FrameOwner,
    place: { readonly sequence: number; readonly hash: string },
  ): Promise<OpenedBlob> {
    const { store, clock } = this.#options;
    return openPicture({ store, nowMs: clock.now() }, owner, place);
  }

  /** Removes expired pictures and returns their number. Only one server does it at a time. */
  purge(): Promise<number> {
    const { store, clock } = this.#options;
    return onOneServer(store, LEASE, async (renew) => {
      const now = isoOf(clock.now());
      let purged = 0;
      for await (const hash of this.#expiring({ until: now })) {
        const references = await referencesTo(store, hash);
        // An upload without an event is removed after its own expiry.
        if (references.length === 0) continue;
        const isOver = references.every(({ expiresAt }) => expiresAt <= now);
        if (isOver && !(await isKept(store, hash))) {
          for (const reference of references) await this.#record(reference);
          for (const reference of references) await removeReference(store, reference);
          purged++;
        }
        await settleExpiry(store, hash);
        await renew();
      }
      await this.#collect();
      return purged;
    });
  }

  /**
   * Calls `warn` once for each picture that is about to expire, now and later. The returned function stops the
   * warnings.
   */
  watch(videoId: string, warn: Warn): () => void {
    const watcher: Watcher = { videoId, warn, warned: new Set() };
    this.#watchers.add(watcher);
    void this.#warnThem([watcher]).catch((error: unknown) => {
      this.#options.report(`live: could not warn about pictures that expire soon: ${String(error)}`);
    });
    return () => this.#watchers.delete(watcher);
  }

  /**
   * Removes the pictures and the audio of a session that is deleted next, except those that another video uses.
   */
  async release({ sessionId, videoId }: FrameOwner): Promise<void> {
    const { store } = this.#options;
    const types = ["frame_captured", "evidence_added"];
    for (let after: number | null = 0; after !== null; ) {
      const page: EventPage = await store.read(sessionId, { after, types });
      const hashes = new Set(page.events.flatMap(({ data }) => hashesIn(data)));
      for (const hash of hashes) {
        for (const one of await referencesTo(store, hash, sessionId)) await removeReference(store, one);
        const isStillOurs = (await referencesTo(store, hash)).some((one) => one.videoId === videoId);
        if (!isStillOurs) await forgetKept(store, hash, videoId);
        await settleExpiry(store, hash);
      }
      after = page.nextAfter;
    }
    await this.#collect();
  }

  async #pointers(
    frame: Extract<EvidenceInput, { readonly type: "frame_captured" }>,
    owner: FrameOwner,
    mayUse: PictureAccess,
  ): Promise<Partial<Record<FrameTier, BlobPointer>>> {
    const { store, clock } = this.#options;
    const pointers: Partial<Record<FrameTier, BlobPointer>> = {};
    for (const { tier, hash, mediaType, sizeBytes } of pointersIn(frame)) {
      const expiresAt = isoOf(clock.now() + this.#tierMs[tier]);
      const { mediaTimeMs } = frame;
      const reference = { ...owner, hash, tier, mediaTimeMs, expiresAt };
      const isHeld = (await mayUse(hash)) && (await addReference(store, reference)) === "added";
      pointers[tier] = { hash, mediaType, sizeBytes, ...(isHeld ? { expiresAt } : {}) };
    }
    return pointers;
  }

  /** Yields the hashes of pictures whose last reference expires between `from` and `until`, the first one first. */
  async *#expiring({
    from,
    until,
  }: {
    readonly from?: string;
    readonly until: string;
  }): AsyncGenerator<string, void, void> {
    const { store } = this.#options;
    const range = {
      expiresBefore: bytesUntil(until),
      ...(from === undefined ? {} : { expiresAfter: bytesUntil(from) }),
    };
    for await (const { hash } of listAll((place) => store.listBlobs({ ...range, ...place }))) yield hash;
  }

  /** Appends `blob_purged` to the log of the session, or to its side log if the session has ended. */
  async #record({ hash, sessionId, tier, mediaTimeMs, expiresAt }: FrameReference): Promise<void> {
    const { store, clock } = this.#options;
    const status = (await store.getSession(sessionId))?.status;
    if (status === undefined) return;
    const place = { fromMs: mediaTimeMs, toMs: mediaTimeMs, nearMs: mediaTimeMs };
    const { events } = await store.readMedia(sessionId, {
      ...place,
      types: ["frame_captured"],
      limit: LIMITS.framesAtOnce,
    });
    const frame = events.find(({ data }) =>
      pointersIn(data).some((pointer) => pointer.hash === hash && pointer.tier === tier),
    );
    if (frame === undefined) return;
    const data = { hash, tier, sequence: frame.sequence, reason: "expired" };
    // The id is the same when the append is repeated, so that the event is stored once.
    const id = `purged/${frame.sequence}/${tier}/${expiresAt}`;
    const event: NewEvent = { type: "blob_purged", id, data, occurredAt: isoOf(clock.now()) };
    const isStored = OPEN.has(status) && (await appendOpen(store, sessionId, event));
    if (!isStored) await store.append(await openSideLog(store, sessionId, "pictures"), [event]);
  }

  /** Removes expired bytes. Bytes without an expiry belong to other services, and stay. */
  async #collect(): Promise<void> {
    await this.#options.store.collectBlobs({ minAgeMs: LIMITS.foreignBlobMs });
  }

  #warnAll(): Promise<void> {
    return this.#watchers.size === 0 ? Promise.resolve() : this.#warnThem([...this.#watchers]);
  }

  async #warnThem(watchers: readonly Watcher[]): Promise<void> {
    const videos = await this.#dueSoon();
    for (const { videoId, warn, warned } of watchers) {
      const fresh = (videos.get(videoId) ?? []).filter(({ hash }) => !warned.has(hash));
      for (const { hash } of fresh) warned.add(hash);
      for (let n = 0; n < fresh.length; n += LIMITS.warningsPerFrame)
        warn(fresh.slice(n, n + LIMITS.warningsPerFrame));
    }
  }

  #dueSoon(): DuePictures["videos"] {
    const nowMs = this.#options.clock.now();
    if (this.#due === null || nowMs - this.#due.atMs >= LIMITS.purgeWarningPollMs / 2) {
      const videos = this.#readDue(nowMs);
      this.#due = { atMs: nowMs, videos };
      videos.catch(() => {
        this.#due = null;
      });
    }
    return this.#due.videos;
  }

  async #readDue(nowMs: number): DuePictures["videos"] {
    const { store } = this.#options;
    const videos = new Map<string, PurgeWarning[]>();
    const range = { from: isoOf(nowMs), until: isoOf(nowMs + LIMITS.purgeWarningMs) };
    for await (const hash of this.#expiring(range)) {
      if (await isKept(store, hash)) continue;
      for (const { videoId, ...warning } of warningsOf(await referencesTo(store, hash))) {
        const known = videos.get(videoId) ?? [];
        known.push(warning);
        videos.set(videoId, known);
      }
    }
    return videos;
  }
}

/** Returns false if the log has been closed. */
async function appendOpen(store: Store, logId: string, event: NewEvent): Promise<boolean> {
  try {
    await store.append(logId, [event]);
    return true;
  } catch (error) {
    if (isContinuoError(error, "log_closed")) return false;
    throw error;
  }
}

/** Returns the last reference of each video. */
function warningsOf(references: readonly FrameReference[]): readonly FrameReference[] {
  const last = new Map<string, FrameReference>();
  for (const reference of references) {
    const known = last.get(reference.videoId);
    if (known === undefined || known.expiresAt < reference.expiresAt) last.set(reference.videoId, reference);
  }
  return [...last.values()];
}

/** The hashes of pictures and of audio in the payload of an event. */
function hashesIn(data: unknown): readonly string[] {
  const content = isFields(data) && isFields(data.content) ? data.content.hash : undefined;
  return [...pointersIn(data).map(({ hash }) => hash), ...(typeof content === "string" ? [content] : [])];
}
