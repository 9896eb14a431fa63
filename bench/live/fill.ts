/** A session after a long viewing: transcripts, a decision for each batch of them, and some notes. */

import type { NewEvent, Store } from "@continuo/core/model";

const BATCH = 499;
/** Nearly the maximum number of notes of a session. */
const NOTES = 3_900;

export function said(text: string, mediaTimeMs: number): NewEvent {
  return { type: "transcript_added", data: { text, mediaTimeMs, endMs: mediaTimeMs + 2_000, lang: "en" } };
}

export async function fillSession(store: Store, sessionId: string, events: number): Promise<void> {
  const notesPerBatch = Math.ceil(NOTES / Math.ceil(events / BATCH));
  let sequence = await store.latestSequence(sessionId);
  for (let stored = 0; stored < events; ) {
    const count = Math.min(BATCH, events - stored);
    const batch = Array.from({ length: count }, (_, n) =>
      said(`what is said in sentence ${stored + n} of a long talk about the harbour`, (stored + n) * 3_000),
    );
    const sequences = batch.map((_, n) => sequence + 1 + n);
    const decisionId = `decision-${stored}`;
    const notes = Array.from({ length: notesPerBatch }, (_, n): NewEvent => {
      const noteId = `note-${stored}-${n}`;
      const mediaTimeMs = stored * 3_000 + n;
      const content = "A note about what was said, in a sentence or two.";
      const data = { noteId, content, mediaTimeMs, endMs: mediaTimeMs + 9_000, confidence: 0.9, decisionId };
      return { type: "note_written", data };
    });
    const decided: NewEvent = { type: "decision_made", data: { decisionId, sequences } };
    await store.append(sessionId, [...batch, decided, ...notes]);
    sequence += count + 1 + notes.length;
    stored += count;
  }
}
