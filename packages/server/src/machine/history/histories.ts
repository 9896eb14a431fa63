/** The histories in use: each is read once for all callers, and continued when the session has grown. */

import { setTimeout as sleep } from "node:timers/promises";
import type { LookUpHit } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import { ContinuoError, isContinuoError, type Message } from "@continuo/core/model";
import type { HistoryView } from "@continuo/core/wire/machine";
import {
  type CompleteHistory,
  type ReadOptions,
  readOn,
  readTip,
  readWhole,
  stampNow,
} from "./history-reader.ts";

/** The name of a history: a session, a view of it, and a branch. */
export interface HistoryRequest extends ReadOptions {
  readonly key: string;
  /** Finds the session. Errors: `not_found`. */
  locate(): Promise<LookUpHit>;
}

export interface Histories {
  /** Calls `use` with the present history; `use` must not keep it. */
  withWhole<T>(asked: HistoryRequest, signal: AbortSignal, use: (whole: CompleteHistory) => T): Promise<T>;
  /**
   * The newest messages of a long session that was not read yet; `null` if they cannot be read before the others. The
   * messages begin before the message `before`, if that is the first message of the present end and a longer end may be
   * read.
   */
  tip(asked: HistoryRequest, before?: string): Promise<readonly Message[] | null>;
  /** Returns true if this thread has read the whole session, or is reading it. */
  holds(asked: Omit<HistoryRequest, "locate">): boolean;
  close(): void;
}

/** Reads the requested history, in its own view by default. */
export type UseHistory = <T>(use: (whole: CompleteHistory) => T, view?: HistoryView) => Promise<T>;

interface Slot {
  users: number;
  hit: LookUpHit | null;
  whole: CompleteHistory | null;
  tip: {
    readonly stamp: string;
    readonly bytes: number;
    readonly messages: Promise<readonly Message[] | null>;
  } | null;
  /** The reading in progress. The first one of a history is aborted when no caller waits for it. */
  reading: {
    readonly done: Promise<CompleteHistory>;
    readonly abort: AbortController;
    waiting: number;
  } | null;
  /** `performance.now()` of the last check, and the number of checks since the session was located. */
  lookedAt: number;
  looks: number;
}

/** After this many checks the session is located again, because its agent may have begun another file. */
const LOOKS = 20;

export function createHistories(): Histories {
  const slots = new Map<string, Slot>();
  const slotOf = (asked: HistoryRequest): Slot => {
    const name = nameOf(asked);
    const slot = slots.get(name) ?? createSlot();
    // Moves the history to the end: the least recently used history is removed first.
    slots.delete(name);
    slots.set(name, slot);
    return slot;
  };
  return {
    async withWhole(asked, signal, use) {
      const slot = slotOf(asked);
      slot.users += 1;
      try {
        return use(await wholeNow(slot, asked, signal));
      } finally {
        slot.users -= 1;
        forgetOld(slots);
      }
    },
    async tip(asked, before) {
      const slot = slotOf(asked);
      const known = await tipNow(slot, asked, HISTORY_LIMITS.tipBytes);
      if (known === null || before === undefined) return known;
      let tip = known;
      let bytes = slot.tip?.bytes ?? HISTORY_LIMITS.tipBytes;
      while (tip[0]?.id === before && bytes < HISTORY_LIMITS.mostTipBytes) {
        bytes *= LONGER;
        const longer = await tipNow(slot, asked, bytes);
        if (longer === null) break;
        tip = longer;
      }
      return tip;
    },
    holds(asked) {
      const slot = slots.get(nameOf(asked));
      return slot !== undefined && (slot.whole !== null || slot.reading !== null);
    },
    close() {
      for (const slot of slots.values()) drop(slot);
      slots.clear();
    },
  };
}

/** Each longer end is this many times as long as the one before. */
const LONGER = 4;

/** Reads the messages in at least this many bytes at the end of the session; `null` as for `tip`. */
async function tipNow(
  slot: Slot,
  asked: HistoryRequest,
  leastBytes: number,
): Promise<readonly Message[] | null> {
  if (slot.whole !== null || asked.view === "model" || asked.branch !== undefined) return null;
  slot.hit ??= await asked.locate();
  if (sizeOf(slot.hit) < HISTORY_LIMITS.smallBytes) return null;
  const stamp = await stampNow(slot.hit, asked.places);
  const { tip: before } = slot;
  if (before !== null && before.stamp === stamp && before.bytes >= leastBytes) return await before.messages;
  // The session has grown since then, or may have been moved.
  if (before !== null) slot.hit = await asked.locate();
  const bytes = Math.max(leastBytes, before?.bytes ?? 0);
  const tip = { stamp, bytes, messages: readTip(slot.hit, asked.places, bytes) };
  slot.tip = tip;
  try {
    const messages = await tip.messages;
    // The end is as long as the whole session, so the earlier end stays.
    if (messages === null && slot.tip === tip) slot.tip = before;
    return messages;
  } catch (error) {
    if (slot.tip === tip) slot.tip = null;
    throw error;
  }
}

/** The name of a history: one for each session, view and branch. */
export function nameOf({ key, view, branch }: Pick<HistoryRequest, "key" | "view" | "branch">): string {
  return JSON.stringify([key, view, branch ?? null]);
}

function createSlot(): Slot {
  return { users: 0, hit: null, whole: null, tip: null, reading: null, lookedAt: 0, looks: 0 };
}

/** The history as it is now, or was a moment ago. */
async function wholeNow(slot: Slot, asked: HistoryRequest, signal: AbortSignal): Promise<CompleteHistory> {
  signal.throwIfAborted();
  const isDue = performance.now() - slot.lookedAt > HISTORY_LIMITS.followMs;
  if (slot.reading === null && slot.whole !== null && !isDue) return slot.whole;
  slot.reading ??= startReading(slot, asked);
  const { reading } = slot;
  reading.waiting += 1;
  const leave = (): void => {
    reading.waiting -= 1;
    if (reading.waiting > 0 || slot.whole !== null) return;
    reading.abort.abort();
    if (slot.reading === reading) slot.reading = null;
  };
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await reading.done;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function startReading(slot: Slot, asked: HistoryRequest): NonNullable<Slot["reading"]> {
  const abort = new AbortController();
  const done = read(slot, asked, abort.signal).finally(() => {
    if (slot.reading === reading) slot.reading = null;
    slot.lookedAt = performance.now();
  });
  done.catch(() => undefined);
  const reading: NonNullable<Slot["reading"]> = { done, abort, waiting: 0 };
  return reading;
}

async function read(slot: Slot, asked: HistoryRequest, signal: AbortSignal): Promise<CompleteHistory> {
  const { whole } = slot;
  if (slot.hit === null) slot.hit = await asked.locate();
  if (whole === null) {
    slot.whole = await readWhole(slot.hit, asked, signal);
    slot.tip = null;
    return slot.whole;
  }
  slot.looks += 1;
  const isChanged = (await stampNow(slot.hit, asked.places)) !== whole.stamp;
  if (!isChanged && slot.looks % LOOKS !== 0) return whole;
  slot.hit = await locateAgain(slot.hit, asked);
  const next = await readOnSafely(slot.hit, whole, asked, signal);
  if (next !== null) {
    slot.whole = next;
    return next;
  }
  slot.whole = await readWhole(slot.hit, asked, signal);
  // Callers that have the old history finish with it in this turn of the event loop.
  setImmediate(() => whole.kept[Symbol.dispose]());
  return slot.whole;
}

async function readOnSafely(
  hit: LookUpHit,
  whole: CompleteHistory,
  asked: HistoryRequest,
  signal: AbortSignal,
): Promise<CompleteHistory | null> {
  try {
    return await readOn(hit, whole, asked, signal);
  } catch (error) {
    // The session was moved between two checks, or is being rewritten, or a branch ended.
    if (isContinuoError(error, "unreadable") || isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

/** A file that is being rewritten is missing for a moment. */
async function locateAgain(hit: LookUpHit, asked: HistoryRequest): Promise<LookUpHit> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (hit.kind === "native") {
        const { reader, found, places } = hit.native;
        const there = await reader.recognise(found.location, places);
        if (there?.sessionId === found.sessionId) return { ...hit, native: { ...hit.native, found: there } };
      }
      return await asked.locate();
    } catch (error) {
      if (attempt === 4 || !(error instanceof ContinuoError)) throw error;
    }
    await sleep(HISTORY_LIMITS.followMs);
  }
}

function forgetOld(slots: Map<string, Slot>): void {
  let messages = 0;
  for (const slot of slots.values()) messages += slot.whole?.kept.length ?? 0;
  for (const [name, slot] of slots) {
    if (slots.size <= HISTORY_LIMITS.keptSessions && messages <= HISTORY_LIMITS.keptMessages) return;
    if (slot.users > 0 || slot.reading !== null) continue;
    messages -= slot.whole?.kept.length ?? 0;
    drop(slot);
    slots.delete(name);
  }
}

function drop(slot: Slot): void {
  slot.reading?.abort.abort();
  slot.whole?.kept[Symbol.dispose]();
}

function sizeOf(hit: LookUpHit): number {
  if (hit.kind === "own") return HISTORY_LIMITS.smallBytes;
  return hit.native.found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
