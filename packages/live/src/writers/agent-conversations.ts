/**
 * The conversations that an agent keeps open for sessions, with a record of what each agent already received, so that a
 * later request has only new content. A conversation that has become long is replaced by a new one, which receives
 * everything again.
 */

import type { Agent, NativeRef } from "@continuo/core/model";
import { type EvidenceItem, LIMITS, type Note, type NoteRequest } from "../kit/index.ts";

/** An agent whose program stays open between the turns of a session. */
export interface KeptAgent extends Agent {
  /** Closes what is open for the session. Idempotent. */
  end(sessionId: string): Promise<void>;
}

export interface KnownMaterial {
  readonly ref: NativeRef;
  /** The hashes of the notes that the agent was shown, by their ids. */
  readonly notes: ReadonlyMap<string, string>;
  /** The sequences of the evidence that it was shown. */
  readonly evidence: ReadonlySet<number>;
}

interface KeptConversation extends KnownMaterial {
  readonly notes: Map<string, string>;
  readonly evidence: Set<number>;
  turns: number;
  chars: number;
}

/** One turn that the agent has answered. */
interface AnsweredTurn {
  readonly ref: NativeRef;
  readonly request: NoteRequest;
  readonly context: readonly EvidenceItem[];
  /** The sequences of unfinished sentences: they are sent again when they are complete. */
  readonly open: ReadonlySet<number>;
  readonly chars: number;
}

export class AgentConversations {
  readonly #kept = new Map<string, KeptConversation>();

  known(sessionId: string): KnownMaterial | undefined {
    const kept = this.#kept.get(sessionId);
    const isLong = kept !== undefined && (kept.turns >= LIMITS.keptTurns || kept.chars >= LIMITS.keptChars);
    if (isLong) this.forget(sessionId);
    return isLong ? undefined : kept;
  }

  add({ ref, request, context, open, chars }: AnsweredTurn): void {
    const before = this.#kept.get(request.sessionId);
    const isSame = before?.ref.sessionId === ref.sessionId;
    const kept: KeptConversation = isSame
      ? { ...before, ref }
      : { ref, notes: new Map(), evidence: new Set(), turns: 0, chars: 0 };
    for (const { noteId, hash } of [...request.inherited, ...request.notes]) kept.notes.set(noteId, hash);
    for (const { sequence } of [...request.evidence, ...context])
      if (!open.has(sequence)) kept.evidence.add(sequence);
    kept.turns += 1;
    kept.chars += chars;
    this.#kept.set(request.sessionId, kept);
  }

  forget(sessionId: string): void {
    this.#kept.delete(sessionId);
  }
}

/** Returns the request without the content that the agent already received; the batch's evidence and drafts stay. */
export function newIn(
  request: NoteRequest,
  context: readonly EvidenceItem[],
  known: KnownMaterial,
): { readonly request: NoteRequest; readonly context: readonly EvidenceItem[] } {
  const isNew = ({ noteId, hash }: Note): boolean => known.notes.get(noteId) !== hash;
  return {
    request: {
      ...request,
      notes: request.notes.filter(isNew),
      inherited: request.inherited.filter(isNew),
      memory: null,
    },
    context: context.filter(({ sequence }) => !known.evidence.has(sequence)),
  };
}
