/**
 * Forks a session of Claude Code into a new file, as its SDK does: the lines of one branch with `forkedFrom`, a few
 * lines of settings, and a title that ends in "(fork)" (2.1.330). The uuids do not change (the same is true for
 * `--fork-session`), so that every link between lines stays valid.
 */

import { exactOf, isJson, type Json, textField } from "@continuo/files";
import type { Fork, ForkSource, NativeForker } from "../forking/index.ts";
import { titleRecord } from "./writer.ts";

/**
 * Types of lines without a uuid that belong only to the original session, and not to its fork. All other types are
 * copied, unknown ones too.
 */
const OF_SESSION: ReadonlySet<string> = new Set([
  "agent-name",
  "ai-title",
  "api-request",
  "api-request-blob",
  "api-request-shape",
  "bridge-session",
  "continued-in",
  "cost-state",
  "custom-title",
  "derived-from",
  "file-history-delta",
  "file-history-snapshot",
  "fork-context-ref",
  "last-prompt",
  "pr-link",
  "progress",
  "queue-operation",
  "relocated",
  "session-owner",
  "summary",
  "worktree-state",
]);

export const claudeForker: NativeForker = {
  agent: "claude",
  titleOf: (title) => `${title} (fork)`,
  async fork(source, session): Promise<Fork> {
    const { lines, settings } = await readLines(source);
    const count = withWholeLines(source, lines);
    const kept = linesOf(source, count, lines);
    const { sessionId } = session;
    const from = source.opened.details.sessionId;
    const chain = relinked(kept).map((record): Json => {
      const forkedFrom = { sessionId: from, messageUuid: record.uuid };
      return { ...record, sessionId, forkedFrom };
    });
    const lastPrompt = { type: "last-prompt", lastPrompt: "", leafUuid: tipOf(chain), sessionId };
    const titled = session.title === null ? [] : [titleRecord(session.title, sessionId)];
    const others = settings.map((record) => ({ ...record, sessionId }));
    return { records: [...chain, ...others, ...titled, lastPrompt], count };
  },
};

interface Lines {
  readonly lines: ReadonlyMap<number, Json>;
  readonly settings: readonly Json[];
}

async function readLines({ opened }: ForkSource): Promise<Lines> {
  const lines = new Map<number, Json>();
  const settings: Json[] = [];
  for await (const { line, type, value } of opened.entries()) {
    if (!isJson(value)) continue;
    if (line !== null) lines.set(line, exactOf(value));
    const isSetting = textField(value, "uuid") === null && !OF_SESSION.has(type);
    if (isSetting) settings.push(exactOf(value));
  }
  return { lines, settings };
}

/**
 * Returns the number of messages, increased so that no line is divided: one line may be several messages, and a note
 * about removed thinking belongs to the line before it.
 */
function withWholeLines({ history, count }: ForkSource, lines: ReadonlyMap<number, Json>): number {
  const own = new Set(history.slice(0, count).flatMap(placesOf));
  let end = count;
  while (end < history.length) {
    const places = placesOf(history[end]);
    const isSame = places.length > 0 && places.every((line) => own.has(line));
    const isNote = places.every((line) => isThinkingNote(lines.get(line)));
    if (!isSame && !isNote) break;
    end += 1;
  }
  return end;
}

function isThinkingNote(record: Json | undefined): boolean {
  return isJson(record?.attachment) && record.attachment.type === "thinking_stripped";
}

function placesOf(message: ForkSource["history"][number] | undefined): number[] {
  return (message?.metadata.records ?? []).flatMap(({ line }) => line ?? []);
}

/** The lines in the order of the file. A line without its parent follows the message that the reader puts before it. */
function linesOf({ history }: ForkSource, count: number, lines: ReadonlyMap<number, Json>): Link[] {
  const links = new Map<number, Link>();
  let before: string | null = null;
  for (const message of history.slice(0, count)) {
    const places = placesOf(message);
    for (const line of places) {
      const record = lines.get(line);
      if (record !== undefined && !links.has(line)) links.set(line, { line, record, before });
    }
    before = textField(lines.get(places.at(-1) ?? 0) ?? {}, "uuid") ?? before;
  }
  return [...links.values()].sort((a, b) => a.line - b.line);
}

interface Link {
  readonly line: number;
  readonly record: Json;
  /** The last line of the previous message. */
  readonly before: string | null;
}

function relinked(links: readonly Link[]): Json[] {
  const kept = new Set(links.map(({ record }) => textField(record, "uuid")));
  return links.map(({ record, before }) => {
    const parent = textField(record, "parentUuid") ?? textField(record, "logicalParentUuid");
    return parent === null || kept.has(parent) ? record : { ...record, parentUuid: before };
  });
}

/** The line at the end of the longest path; results of parallel calls are on shorter paths. */
function tipOf(chain: readonly Json[]): string | null {
  const parents = new Map<string, string>();
  for (const record of chain) {
    const uuid = textField(record, "uuid");
    const parent = textField(record, "parentUuid") ?? textField(record, "logicalParentUuid");
    if (uuid !== null && parent !== null) parents.set(uuid, parent);
  }
  const depths = new Map<string, number>();
  const depthOf = (start: string): number => {
    const way: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !depths.has(at) && way.length <= chain.length) {
      way.push(at);
      at = parents.get(at);
    }
    let depth = at === undefined ? 0 : (depths.get(at) ?? 0);
    for (const uuid of way.toReversed()) {
      depth += 1;
      depths.set(uuid, depth);
    }
    return depths.get(start) ?? 0;
  };
  let tip: string | null = null;
  let deepest = 0;
  for (const record of chain) {
    const uuid = textField(record, "uuid");
    const depth = uuid === null ? 0 : depthOf(uuid);
    if (uuid !== null && depth >= deepest) [tip, deepest] = [uuid, depth];
  }
  return tip;
}
