/** The viewer's page with a session and its sub-agents inside, piece by piece. */

import { ContinuoError } from "@continuo/core/model";
import type { SavedHistory, SavedText } from "@continuo/core/wire/machine";
import type { Prices } from "../catalog/index.ts";
import { type BranchPath, toBranches } from "./branches.ts";
import { toHead } from "./head.ts";
import { factsOf } from "./outline.ts";
import { plainPage, titleOf } from "./plain-page.ts";
import {
  type HistoryParts,
  messagesIn,
  type PageSession,
  type SessionParts,
  savedChanges,
  savedFiles,
  savedMessageAt,
  savedOutline,
  sharedBy,
  type TurnRange,
} from "./saved-history.ts";
import { filled } from "./template.ts";

/** The limit for the JSON of all messages in one page: a browser has to read all of it together. */
export const MAX_PAGE_BYTES = 200_000_000;
/** A page with more bytes has no second copy for browsers without scripts. */
const MAX_PLAIN_BYTES = 20_000_000;

export interface PageRequest {
  readonly template: string;
  /** The session, then its sub-agents. */
  readonly sessions: readonly [PageSession, ...PageSession[]];
  /** Only these turns of the first session, 1-based; up to the last one if `to` is left out. */
  readonly turns?: { readonly from: number; readonly to?: number };
  /** Sentences about the content of the page. */
  readonly notes: readonly string[];
  readonly savedAt: string;
  readonly prices: Prices;
  readonly maxBytes?: number;
}

/**
 * Yields nothing before it is certain that the page can be made.
 *
 * Errors: `out_of_range`; `too_large`, with the newest turns that fit in `details.fits`.
 */
export function* pageOf(request: PageRequest): Generator<string, void, void> {
  const parts = request.sessions.map((session, at) => partsOf(session, at === 0 ? request.turns : undefined));
  const bytes = sizeOf(parts, request.maxBytes ?? MAX_PAGE_BYTES);
  yield* filled(request.template, {
    TITLE: () => [titleOf(request.sessions[0].details)],
    PLAIN: () => plainPage({ ...request, sessions: parts, isShown: bytes <= MAX_PLAIN_BYTES }),
    SESSION: () => jsonOf(request, parts),
  });
}

/** Errors: `out_of_range`. */
function partsOf(session: PageSession, asked: PageRequest["turns"]): SessionParts {
  const total = session.kept.turns.length;
  const turns = { from: asked?.from ?? 1, to: Math.min(asked?.to ?? total, total) };
  if (asked !== undefined && (turns.from > turns.to || turns.from < 1)) throw noSuchTurns(asked, total);
  const { kept } = session;
  const main = { kept, branch: null, label: null, turns, shared: 0, messages: messagesIn(kept, turns) };
  const others = session.branches.map((history) => {
    const shared = sharedBy(session.kept, history.kept);
    return {
      kept: history.kept,
      branch: history.leaf?.id ?? null,
      label: history.leaf?.label ?? null,
      turns: { from: 1, to: history.kept.turns.length },
      shared,
      messages: { start: shared, end: history.kept.length },
    };
  });
  return { session, histories: [main, ...others] };
}

/** Errors: `too_large`. */
function sizeOf(parts: readonly SessionParts[], maxBytes: number): number {
  let bytes = 0;
  for (const { session, histories } of parts) {
    for (const { kept, messages, turns } of histories) {
      // The loop begins at the end, because a smaller page would have the newest turns.
      for (let index = messages.end - 1; index >= messages.start; index--) {
        bytes += Buffer.byteLength(toJson(savedMessageAt(kept, session.key, index)));
        if (bytes > maxBytes) {
          throw tooLarge(
            turns,
            parts.length + histories.length === 2 ? kept.turnAt(index) + 1 : null,
            maxBytes,
          );
        }
      }
    }
  }
  return bytes;
}

/** Makes JSON that cannot end the element that contains it. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function* jsonOf(
  { savedAt, notes, prices }: PageRequest,
  parts: readonly SessionParts[],
): Generator<string, void, void> {
  yield `{"savedAt":${toJson(savedAt)},"notes":${toJson(notes)},"sessions":[`;
  const keys = new Set(parts.map(({ session }) => session.key));
  for (const [at, { session, histories }] of parts.entries()) {
    const { session: row, ...head } = toHead(session, session, prices);
    const saved = {
      ...head,
      session: { ...row, live: null },
      // A link to a session outside of the page would lead nowhere.
      subagents: head.subagents.filter(({ key }) => keys.has(key)),
      parentKey: head.parentKey !== null && keys.has(head.parentKey) ? head.parentKey : null,
      branches: histories.length < 2 ? [] : head.branches,
    };
    const branches =
      histories.length < 2 ? null : { branches: toBranches(histories.map(pathOf(session))), left: 0 };
    yield `${at === 0 ? "" : ","}{"head":${toJson(saved)},"branches":${toJson(branches)},"histories":[`;
    for (const [index, history] of histories.entries()) {
      yield index === 0 ? "" : ",";
      yield* historyJson(session, history);
    }
    yield "]}";
  }
  yield "]}";
}

function pathOf(session: PageSession): (history: HistoryParts) => BranchPath {
  return ({ kept, branch }) => {
    const leaf = session.leaves.find(({ id, active }) => (branch === null ? active : id === branch));
    const indexes = Array.from({ length: kept.length }, (_, index) => index);
    return {
      leaf: leaf ?? {
        id: branch ?? "",
        active: branch === null,
        updatedAt: null,
        messages: kept.length,
        label: null,
      },
      ids: indexes.map((index) => kept.idAt(index) ?? ""),
      turns: indexes.map((index) => kept.turnAt(index) + 1),
    };
  };
}

function* historyJson(
  { key, seenFrom, details }: PageSession,
  { kept, branch, turns, shared, messages }: HistoryParts,
): Generator<string, void, void> {
  const facts: Pick<SavedHistory, "branch" | "shared" | "outline" | "facts" | "changes"> = {
    branch,
    shared,
    outline: savedOutline(kept, turns, branch === null ? seenFrom : null),
    facts: factsOf(kept, details.cwd, turns),
    changes: savedChanges(kept, turns),
  };
  yield `${toJson(facts).slice(0, -1)},"messages":`;
  const cut: number[] = [];
  function* shown(): Generator<unknown, void, void> {
    for (let index = messages.start; index < messages.end; index++) {
      const saved = savedMessageAt(kept, key, index);
      if (saved.texts.length > 0) cut.push(index);
      yield saved.shown;
    }
  }
  function* cutTexts(): Generator<SavedText, void, void> {
    for (const index of cut) yield* savedMessageAt(kept, key, index).texts;
  }
  yield* listJson(shown());
  yield ',"texts":';
  yield* listJson(cutTexts());
  yield ',"files":';
  yield* listJson(savedFiles(kept, turns));
  yield "}";
}

function* listJson(values: Iterable<unknown>): Generator<string, void, void> {
  let before = "[";
  for (const value of values) {
    yield before + toJson(value);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function noSuchTurns(
  { from, to }: { readonly from: number; readonly to?: number },
  total: number,
): ContinuoError {
  return new ContinuoError("out_of_range", `the session has no turns ${from} to ${to ?? total}`, {
    hint: `Name turns from 1 to ${total}.`,
    details: { turns: total },
  });
}

/** `reached`: the newest turn that does not fit; `null` if fewer turns would not help. */
function tooLarge({ from, to }: TurnRange, reached: number | null, maxBytes: number): ContinuoError {
  const fits = reached !== null && reached < to ? { from: Math.max(from, reached + 1), to } : null;
  const limit = `${Math.floor(maxBytes / 1_000_000)} MB`;
  return new ContinuoError("too_large", `turns ${from} to ${to} are larger than ${limit} as one page`, {
    hint:
      fits === null
        ? "Use `continuo session export ID --format md`, which has no limit."
        : `Run the command again with \`--turns ${fits.from}-${fits.to}\`: these are the newest turns that fit.`,
    details: { fits, maxBytes },
  });
}
