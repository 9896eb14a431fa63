/**
 * Makes the notes of a session again from its recorded drafts and decisions, and compares them byte for byte with the
 * recorded notes. A changed or missing event lowers the agreement.
 */

import {
  CHAIN_START,
  ContinuoError,
  canonicalJson,
  type NewEvent,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { toWireEvent, writtenItemsOf } from "@continuo/core/wire";
import { draftIn } from "../batches/index.ts";
import {
  type Damage,
  type Decision,
  type Draft,
  damageIn,
  damagesOf,
  eventsAround,
  isAmong,
  isFields,
  LIMITS,
} from "../kit/index.ts";
import { contentAfter, type NoteContent, noteEventsOf, noteHash, noteOf } from "../notes/index.ts";
import { pageHash } from "../page/index.ts";
import { readRepairs } from "../state/index.ts";
import type { PageReplay } from "./replay-page.ts";

export interface Disagreement {
  readonly sequence: number;
  readonly noteId?: string;
  readonly reason: string;
}

export interface ReplayReport {
  readonly mode: "recorded" | "model";
  /**
   * The number of compared events: the agent's note events, the pages, and events that are missing or differ from what
   * was written.
   */
  readonly compared: number;
  readonly agreed: number;
  /** `agreed` divided by `compared`, 0 to 1; 1 if nothing was compared. */
  readonly agreement: number;
  /** Only the first disagreements. */
  readonly disagreements: readonly Disagreement[];
  /**
   * Only in the mode `model`: the newest page that a model wrote, written again; `null` if no model wrote a page, or
   * the writer got no context. It does not count in the other numbers.
   */
  readonly page?: PageReplay | null;
}

/** Events that a repair put aside are not compared. Errors: `not_found`, and those of the store. */
export async function replayRecorded(store: Store, sessionId: string): Promise<ReplayReport> {
  const quarantined: Damage[] = [...(await readRepairs(store, sessionId))];
  for await (const { type, data } of eventsAround(store, sessionId)) {
    const aside = type === "event_quarantined" ? damageIn(data) : null;
    if (aside !== null) quarantined.push(aside);
  }
  return replayEvents(eventsAround(store, sessionId), quarantined);
}

export async function replayEvents(
  events: AsyncIterable<StoredEvent>,
  quarantined: readonly Damage[] = [],
): Promise<ReplayReport> {
  const replay = new Replay(quarantined);
  for await (const event of events) replay.add(event);
  return replay.end();
}

interface ExpectedDecision {
  readonly decidedAt: number;
  readonly events: NewEvent[];
}

class Replay {
  readonly #drafts = new Map<string, Draft>();
  /** The newest versions of each note, by their hash. */
  readonly #versions = new Map<string, Map<string, NoteContent>>();
  readonly #expected = new Map<string, ExpectedDecision>();
  readonly #disagreements: Disagreement[] = [];
  readonly #quarantined: readonly Damage[];
  /** Decisions whose drafts or notes were put aside: their notes are not compared. */
  readonly #unknown = new Set<string>();
  #chain = { sequence: 0, chainHash: CHAIN_START };
  #compared = 0;
  #agreed = 0;

  constructor(quarantined: readonly Damage[]) {
    this.#quarantined = quarantined;
  }

  add(event: StoredEvent): void {
    this.#check(event);
    if (isAmong(this.#quarantined, event.sequence)) {
      this.#skip(event);
      return;
    }
    const data = isFields(event.data) ? event.data : {};
    if (event.type === "draft_written" || event.type === "context_requested") {
      const draft = draftIn(event);
      if (draft !== null) this.#drafts.set(draft.draftId, draft);
    } else if (event.type === "decision_made") this.#decide(event.sequence, data);
    else if (event.type === "page_written") this.#comparePage(event, data);
    else if (event.type.startsWith("note_")) this.#compare(event, data);
  }

  end(): ReplayReport {
    for (const [decisionId, { decidedAt, events }] of this.#expected) {
      if (this.#unknown.has(decisionId)) continue;
      for (const { type } of events) this.#disagree(decidedAt, `${type} of this decision is missing`);
    }
    const [compared, agreed] = [this.#compared, this.#agreed];
    const agreement = compared === 0 ? 1 : agreed / compared;
    return { mode: "recorded", compared, agreed, agreement, disagreements: this.#disagreements };
  }

  #check(event: StoredEvent): void {
    for (const { sequence, reason } of damagesOf(this.#chain, event)) {
      if (!isAmong(this.#quarantined, sequence)) this.#disagree(sequence, reason);
    }
    this.#chain = { sequence: event.sequence, chainHash: event.chainHash };
  }

  #decide(sequence: number, { decisionId, decisions }: Readonly<Record<string, unknown>>): void {
    if (typeof decisionId !== "string" || !Array.isArray(decisions)) return;
    const events: NewEvent[] = [];
    for (const decision of decisions as readonly Decision[]) {
      const draft = this.#drafts.get(decision.draftId);
      const bases = this.#basesOf(decision);
      if (decision.action === "ask" || decision.action === "keep") continue;
      if (draft === undefined || bases === null) {
        if (this.#quarantined.length > 0) this.#unknown.add(decisionId);
        else this.#disagree(sequence, "the draft or the notes of a decision are missing");
        continue;
      }
      this.#drafts.delete(decision.draftId);
      const note = contentAfter(decision, draft, bases);
      if (note !== null) this.#know(note);
      events.push(...noteEventsOf(decision, { draft, bases, decisionId }));
    }
    if (events.length > 0) this.#expected.set(decisionId, { decidedAt: sequence, events });
  }

  /** `null` if a note never had the form that the decision names. */
  #basesOf({ action, noteId, sources, hashes = [] }: Decision): readonly NoteContent[] | null {
    if (action !== "update" && action !== "merge") return [];
    const ids = action === "update" ? [noteId ?? ""] : (sources ?? []);
    const bases = ids.map((id, n) => this.#versions.get(id)?.get(hashes[n] ?? ""));
    return bases.every((base) => base !== undefined) ? bases : null;
  }

  #compare(event: StoredEvent, data: Readonly<Record<string, unknown>>): void {
    if (event.actor.kind === "person" || data.operation === "carry") {
      if (typeof data.content === "string") this.#knowNote(event);
      return;
    }
    const { sequence } = event;
    const expected = this.#expected.get(String(data.decisionId));
    const isUnknown = this.#unknown.has(String(data.decisionId)) || expected === undefined;
    if (this.#quarantined.length > 0 && isUnknown) {
      this.#knowNote(event);
      return;
    }
    const next = expected?.events.shift();
    if (expected?.events.length === 0) this.#expected.delete(String(data.decisionId));
    const isSame = next?.type === event.type && canonicalJson(next.data) === canonicalJson(event.data);
    if (!isSame) this.#disagree(sequence, "the note is not what its draft and decision make", data.noteId);
    else this.#agree();
  }

  /** Checks that the items of a page have the hash that the event names. */
  #comparePage(event: StoredEvent, { hash }: Readonly<Record<string, unknown>>): void {
    if (event.data === null) return;
    if (pageHash(writtenItemsOf(toWireEvent(event))) === hash) this.#agree();
    else this.#disagree(event.sequence, "the page does not have its hash");
  }

  #agree(): void {
    this.#compared++;
    this.#agreed++;
  }

  #knowNote(event: StoredEvent): void {
    const note = noteOf(event);
    if (note === null) return;
    const { hash: _hash, by: _by, ...content } = note;
    this.#know(content);
  }

  /** An event that was put aside: its decision cannot be compared. */
  #skip({ data }: StoredEvent): void {
    const { decisionId } = isFields(data) ? data : {};
    if (typeof decisionId === "string") this.#unknown.add(decisionId);
  }

  #know(note: NoteContent): void {
    const versions = this.#versions.get(note.noteId) ?? new Map<string, NoteContent>();
    versions.set(noteHash(note), note);
    for (const hash of versions.keys()) {
      if (versions.size <= LIMITS.replayedVersions) break;
      versions.delete(hash);
    }
    this.#versions.set(note.noteId, versions);
  }

  #disagree(sequence: number, reason: string, noteId?: unknown): void {
    this.#compared++;
    if (this.#disagreements.length >= LIMITS.shownDisagreements) return;
    this.#disagreements.push({ sequence, reason, ...(typeof noteId === "string" ? { noteId } : {}) });
  }
}

/** Errors: `invalid`. */
export function parseReplayContext(context: unknown): "all" | "none" {
  if (context === undefined || context === "all") return "all";
  if (context === "none") return "none";
  throw new ContinuoError("invalid", 'context must be "all" or "none"');
}

/** Errors: `invalid`. */
export function parseReplayMode(mode: unknown): ReplayReport["mode"] {
  if (mode === undefined || mode === "recorded") return "recorded";
  if (mode === "model") return "model";
  throw new ContinuoError("invalid", 'mode must be "recorded" or "model"');
}
