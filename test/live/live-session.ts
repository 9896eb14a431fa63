/** A service on its own store under a fake clock, with helpers for tests. */

import type { Store } from "@continuo/core/model";
import type { EvidenceInput } from "@continuo/core/wire";
import {
  type Clock,
  type EvidenceItem,
  type LiveOptions,
  LiveService,
  type NoteRequest,
  type NoteWriter,
  type SessionOwner,
} from "@continuo/live";
import { openStore } from "@continuo/store";
import { type FakeClock, fakeClock, untilQuiet } from "./fake-clock.ts";

/** Writes one draft for each batch, with the words of its first piece; fails while the test asks for it. */
export interface ScriptedWriter extends NoteWriter {
  readonly requests: NoteRequest[];
  failures: number;
  /** Returns the time that a piece of evidence takes, on the clock. */
  msOf: (item: EvidenceItem) => number;
  /** Calls that wait for the clock. */
  waiting: number;
  /** The time of each request on the clock. */
  readonly atMs: number[];
  clock: Clock | null;
}

export function scriptedWriter(name = "scripted"): ScriptedWriter {
  const writer: ScriptedWriter = {
    name,
    requests: [],
    failures: 0,
    msOf: () => 0,
    waiting: 0,
    atMs: [],
    clock: null,
    write: async (request) => {
      writer.requests.push(request);
      writer.atMs.push(writer.clock?.now() ?? 0);
      const ms = request.evidence.reduce((sum, item) => sum + writer.msOf(item), 0);
      if (ms > 0) {
        writer.waiting++;
        await new Promise<void>((resolve) => void writer.clock?.after(ms, resolve));
        writer.waiting--;
      }
      if (writer.failures > 0) {
        writer.failures--;
        throw new Error("the model is away");
      }
      const [first] = request.evidence;
      const draft = {
        draftId: `${request.batchId}/1`,
        text: first?.text || "a picture",
        startMs: first?.startMs ?? 0,
        endMs: first?.endMs ?? 0,
        confidence: 0.9,
        evidence: request.evidence.map(({ id }) => id),
      };
      return { drafts: [draft], memory: { batches: writer.requests.length } };
    },
  };
  return writer;
}

export interface LiveTest extends AsyncDisposable {
  readonly store: Store;
  readonly service: LiveService;
  readonly clock: FakeClock;
  readonly writer: ScriptedWriter;
  /** Sends one batch of evidence as the producer `tab`. */
  send(key: string, ...evidence: readonly EvidenceInput[]): ReturnType<LiveService["accept"]>;
  settle(): Promise<void>;
}

export async function liveTest({
  url = "memory:",
  startMs,
  ...options
}: Partial<LiveOptions> & { readonly url?: string; readonly startMs?: number } = {}): Promise<LiveTest> {
  const store = options.store ?? (await openStore(url));
  const writer = scriptedWriter();
  let service: LiveService | undefined;
  const isQuiet = async (): Promise<boolean> =>
    (await service?.isQuiet(writer.waiting > 0 ? "folds" : "all")) ?? true;
  const settle = (): Promise<void> => untilQuiet(isQuiet);
  const clock = fakeClock(settle, startMs);
  writer.clock = clock;
  service = new LiveService({ store, clock, noteWriters: [writer], ...options });
  const sequences = new Map<string, number>();
  return {
    store,
    service,
    clock,
    writer,
    settle,
    send: async (key, ...evidence) => {
      const sessionId = await service.sessionIdOf(key);
      const sequence = sequences.get(sessionId) ?? 0;
      sequences.set(sessionId, sequence + 1);
      return service.accept(key, { producerId: `tab/${sessionId}`, epoch: 0, sequence, evidence });
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop();
      if (options.store === undefined) await store.close();
    },
  };
}

/** Damage of a log in its present state, without the sequence of an event. */
export function finding(reason: string): Parameters<SessionOwner["degrade"]>[0] {
  return { reason, damages: [], foundAt: Number.MAX_SAFE_INTEGER };
}

export function said(text: string, mediaTimeMs = 0, more: object = {}): EvidenceInput {
  return { type: "transcript_added", text, mediaTimeMs, lang: "en", ...more };
}
