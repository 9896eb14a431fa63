/**
 * The owner of a continuous session, the viewer and the extension fold the same log, and all of them see the same notes,
 * open questions, evidence and checkpoints, whatever the log contains.
 */

import type { StoredEvent } from "@continuo/core/model";
import { foldLive, LIVE_FEED_TYPES, newLiveView, type WireEvent } from "@continuo/core/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldFrame, newView, type SessionView } from "../../extension/sending/view.ts";
import { addEvent, emptyFold, type LiveFold } from "../../packages/live/src/state/fold.ts";
import { EMPTY_PART, foldWindow, type LivePart, notesAfter, withNewer } from "../../web/live/fold.ts";

interface FoldStep {
  readonly type: string;
  readonly by: "agent" | "person";
  readonly data: Readonly<Record<string, unknown>> | null;
}

const id = fc.constantFrom("a", "b", "c");
const time = fc.option(fc.nat({ max: 9 }), { nil: undefined });
const sequences = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 });
const state = fc.constantFrom("created", "active", "idle", "degraded", "closed", "asleep");

const data = fc.record(
  {
    noteId: id,
    requestId: id,
    text: fc.string({ maxLength: 3 }),
    content: fc.string({ maxLength: 3 }),
    mediaTimeMs: time,
    endMs: time,
    status: fc.constantFrom("draft", "written", "unknown"),
    operation: fc.constantFrom("carry", "split", "accept", "undo", "edit"),
    restoredBy: fc.constantFrom("agent", "person"),
    by: fc.constantFrom("agent", "person"),
    speaker: fc.constantFrom("film", "viewer"),
    sources: fc.array(id, { maxLength: 2 }),
    sequences,
    requests: fc.array(id, { maxLength: 2 }),
    state,
    from: state,
    level: fc.constantFrom("normal", "warning", "critical", "extreme"),
    budget: fc.constantFrom("normal", "warning", "spent", "none"),
    restart: fc.boolean(),
    cursor: fc.nat({ max: 30 }),
    count: fc.nat({ max: 5 }),
  },
  { requiredKeys: [] },
);

/** All types of the feed, and one that no version of this program knows. */
const step: fc.Arbitrary<FoldStep> = fc.record({
  type: fc.constantFrom(...LIVE_FEED_TYPES.filter((type) => !type.startsWith("page_")), "moon_rose"),
  by: fc.constantFrom("agent", "person"),
  data: fc.option(data, { freq: 12 }),
});

function toEvents(steps: readonly FoldStep[]): readonly StoredEvent[] {
  return steps.map(({ type, by, data }, at) => {
    const occurredAt = new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();
    const event = { id: `e${at}`, sequence: at + 1, type, actor: { kind: by, id: "x" }, data };
    const stored = {
      ...event,
      occurredAt,
      recordedAt: occurredAt,
      chainHash: `${at}`,
      payloadHash: `p${at}`,
    };
    return JSON.parse(JSON.stringify(stored)) as StoredEvent;
  });
}

function foldOf(events: readonly StoredEvent[]): LiveFold {
  const fold = emptyFold("0");
  for (const event of events) addEvent(fold, event);
  return fold;
}

const feedOf = (events: readonly StoredEvent[]): readonly WireEvent[] =>
  events.filter(({ type }) => LIVE_FEED_TYPES.includes(type)) as unknown as readonly WireEvent[];

/** The viewer as it receives events from the beginning, a few at a time. */
function followed(events: readonly WireEvent[], size: number): LivePart {
  let part = EMPTY_PART;
  for (let at = 0; at < events.length; at += size) {
    const some = events.slice(at, at + size);
    part = withNewer(part, some, { to: some.at(-1)?.sequence ?? 0, hasNewer: false });
  }
  return part;
}

/** The viewer as it opens the log in the middle, with the notes that the server has there. */
function openedAt(events: readonly StoredEvent[], from: number): LivePart {
  const notes = [...foldOf(events.slice(0, from)).notes.values()].map(({ sequence, status, by }) => {
    return { event: events[sequence - 1] as unknown as WireEvent, status, by, cut: null };
  });
  const later = { from, sequence: events.length, hasOlder: from > 0, hasNewer: false };
  return foldWindow(EMPTY_PART, { notes, events: feedOf(events.slice(from)), ...later }, "instead");
}

/** The extension, which learns of a question by its event and by a frame of its own, in any order. */
function shownIn(events: readonly WireEvent[]): SessionView {
  let view = newView({ key: "k", title: "T", videoId: "v" });
  for (const event of events) {
    const { requestId, question = "" } = (event.data ?? {}) as { requestId?: string; question?: string };
    const isQuestion = event.type === "context_requested" && requestId !== undefined;
    const frame = { type: "context_request", requestId: requestId ?? "", draftId: "", question } as const;
    if (isQuestion && event.sequence % 2 === 0) view = foldFrame(view, frame);
    view = foldFrame(view, { type: "event", event });
    if (isQuestion && event.sequence % 2 === 1) view = foldFrame(view, frame);
  }
  return view;
}

interface ComparedNote {
  readonly noteId: string;
  readonly status: string;
  readonly by: string;
  readonly startMs: number;
  readonly endMs: number;
}

const compared = (notes: Iterable<ComparedNote>): readonly ComparedNote[] =>
  [...notes]
    .map(({ noteId, status, by, startMs, endMs }) => ({ noteId, status, by, startMs, endMs }))
    .sort((a, b) => (a.noteId < b.noteId ? -1 : 1));

const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);

test("the owner, the viewer and the extension see the same notes, questions, evidence and checkpoints", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.nat({ max: 30 }),
      (steps, size, from) => {
        const events = toEvents(steps);
        const feed = feedOf(events);
        const owner = foldOf(events);
        const viewer = followed(feed, size);
        const extension = shownIn(feed);

        const notes = compared(owner.notes.values());
        expect(compared(notesAfter(viewer, null).values())).toEqual(notes);
        const opened = openedAt(events, Math.min(from, events.length));
        expect(compared(notesAfter(opened, null).values())).toEqual(notes);
        const carried = viewer.changes.filter(({ sequence }) => isCarry(events[sequence - 1]));
        expect(extension.carried).toEqual([...new Set(carried.map(({ noteId }) => noteId))]);

        const open = [...owner.requests.values()].filter(({ answer }) => answer === null);
        expect(extension.requests.map(({ requestId }) => requestId).sort()).toEqual(
          open.map(({ requestId }) => requestId).sort(),
        );

        const evidence = idsOf(feed.filter(({ type, data }) => EVIDENCE.includes(type) && data !== null));
        expect(idsOf(extension.evidence)).toEqual(evidence);
        expect(idsOf(viewer.items.filter(({ type }) => LINES.includes(type)))).toEqual(evidence);

        const cursors = viewer.items.flatMap((item) => (item.type === "checkpoint" ? [item.cursor] : []));
        expect(cursors.at(-1)).toBe(owner.checkpoint?.cursor);
        const reader = newLiveView<
          ComparedNote & { by: "agent" | "person" },
          { requestId: string; answer: null }
        >();
        for (const event of feed) {
          foldLive(reader, event, {
            toNote: (change) => change,
            toRequest: ({ requestId }) => ({ requestId, answer: null }),
          });
        }
        const { state, stateSequence, level, budget, restarts, checkpoint } = owner;
        expect(reader).toMatchObject({ state, stateSequence, level, budget, restarts, checkpoint });
      },
    ),
  );
});

const EVIDENCE = ["transcript_added", "remark_added", "frame_captured"];
const LINES = ["said", "remark", "frame"];

function isCarry(event: StoredEvent | undefined): boolean {
  const { operation } = (event?.data ?? {}) as { readonly operation?: unknown };
  return event?.type === "note_written" && operation === "carry";
}
