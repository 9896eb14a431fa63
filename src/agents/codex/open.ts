/** A session, read: details, leaves and problems from the first pass, messages and records on demand. */

import {
  ContinuoError,
  type Leaf,
  type Message,
  type SessionDetails,
  type SubagentInfo,
} from "../../model/index.ts";
import {
  addUsage,
  type FoundSession,
  type HistoryOptions,
  type Json,
  type OpenedSession,
  type OpenOptions,
  toTitle,
} from "../reader/index.ts";
import { isCompressed } from "../records/index.ts";
import { type Draft, pathTo, type Slot } from "./drafts.ts";
import { entriesBefore, ownEntries } from "./entries.ts";
import { fileOf, type HeaderInfo, mtimeOf, readHeaderInfo } from "./header.ts";
import { findFile, readHead, readLineage } from "./lineage.ts";
import { toMessage } from "./messages.ts";
import { parseRecord } from "./records.ts";
import { type PathEnd, pathEnds, type Scanned, type ScannedFile, scanFiles } from "./scan.ts";
import { findFirstTyped } from "./skim.ts";
import { typedText } from "./typed.ts";

/** Errors: `not_found`, `unreadable`. */
export async function openSession(found: FoundSession, options: OpenOptions): Promise<OpenedSession> {
  const lineage = await readLineage(found);
  const header = await readHeaderInfo(found, lineage);
  const from = partStart(found, options.newestBytes);
  const { signal, keep } = options;
  const scanned = await scanFiles({
    ...{ found, lineage },
    ...(from && { from }),
    ...(signal && { signal }),
    ...(keep && { keep }),
  });
  try {
    const ends = pathEnds(scanned).filter(({ draft }) => draft !== null);
    const leaves = await toLeaves(scanned, ends);
    const partial = from !== null;
    const firstTyped = partial ? await findFirstTyped(lineage, { part: "ends" }) : scanned.session.firstTyped;
    const subagents = await readSubagents(scanned, found);
    const details = { ...toDetails({ found, header, scanned, ends, firstTyped }), subagents };
    return {
      details,
      leaves,
      problems: details.problems,
      partial,
      entries: (entrySignal) => ownEntries(scanned, found, entrySignal),
      entriesBefore: (entrySignal) => entriesBefore(scanned, found, entrySignal),
      history: (asked = {}) => history(scanned, { found, ends, leaves, asked }),
      close: scanned.close,
      [Symbol.dispose]: scanned.close,
    };
  } catch (error) {
    scanned.close();
    throw error;
  }
}

/** A compressed file can only be read from its start. */
function partStart(found: FoundSession, newestBytes: number | undefined): number | null {
  const main = found.files.at(-1);
  if (main === undefined || newestBytes === undefined || isCompressed(main.path)) return null;
  return main.sizeBytes > newestBytes ? main.sizeBytes - newestBytes : null;
}

interface DetailParts {
  readonly found: FoundSession;
  readonly header: HeaderInfo;
  readonly scanned: Scanned;
  readonly ends: readonly PathEnd[];
  readonly firstTyped: string | null;
}

function toDetails({ found, header, scanned, ends, firstTyped }: DetailParts): SessionDetails {
  const { givenTitle, ...info } = header;
  const { session, files } = scanned;
  const own = files.filter(({ index }) => index.own).map(({ index }) => index);
  const active = pathTo(activeEnd(ends));
  const count = (role: Draft["role"]) => active.filter((draft) => draft.role === role).length;
  const usages = own.flatMap(({ usage }) => usage.sum ?? []);
  return {
    ...info,
    title: givenTitle ?? firstTyped,
    updatedAt: own.at(-1)?.updatedAt ?? mtimeOf(found),
    problems: [...info.problems, ...scanned.problems],
    messages: {
      total: active.length,
      user: count("user"),
      assistant: count("assistant"),
      tool: count("tool"),
      system: count("system"),
    },
    toolCalls: active.reduce((sum, { calls }) => sum + calls, 0),
    branches: ends.length,
    records: own.reduce((sum, { records }) => sum + records, 0),
    unknownRecords: Object.fromEntries(session.unknown),
    models: [...session.models],
    usage: usages.length === 0 ? null : usages.reduce((sum, more) => addUsage(sum, more)),
    agentVersions: [...session.versions],
    subagents: [],
  };
}

async function readSubagents(scanned: Scanned, found: FoundSession): Promise<SubagentInfo[]> {
  const subagents: SubagentInfo[] = [];
  for (const [id, { toolCallId, path, model }] of scanned.session.children) {
    const file = findFile(found, id);
    if (file === null) continue;
    const parent = (await readHead(file)).meta?.parentThread;
    subagents.push({
      id,
      location: file.path,
      type: parent?.role ?? null,
      description: path ?? parent?.name ?? null,
      toolCallId,
      model,
      sizeBytes: file.sizeBytes,
    });
  }
  return subagents;
}

async function toLeaves(scanned: Scanned, ends: readonly PathEnd[]): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  for (const { draft, active, updatedAt } of ends) {
    const path = pathTo(draft);
    const last = path.at(-1);
    if (last === undefined) continue;
    const place = fallbackId(scanned, last);
    const id = last.turnId !== null && !leaves.some((leaf) => leaf.id === last.turnId) ? last.turnId : place;
    const typed = path.findLast((step) => step.typed);
    const label = typed === undefined ? null : await labelOf(scanned, typed);
    leaves.push({ id, active, updatedAt, messages: path.length, label });
  }
  return leaves;
}

async function labelOf(scanned: Scanned, draft: Draft): Promise<string | null> {
  const [slot] = draft.slots;
  const record = slot === undefined ? null : parseRecord(await fetchSlot(scanned, slot));
  return record === null ? null : toTitle(typedText(record.type, record.payload));
}

interface HistoryParts {
  readonly found: FoundSession;
  readonly ends: readonly PathEnd[];
  readonly leaves: readonly Leaf[];
  readonly asked: HistoryOptions;
}

async function* history(scanned: Scanned, parts: HistoryParts): AsyncGenerator<Message, void, void> {
  const { asked, found } = parts;
  const calls = new Map<string, { name: string; args: Json }>();
  const children = new Map<string, string>();
  for (const [id, { toolCallId }] of scanned.session.children) if (toolCallId) children.set(toolCallId, id);
  for (const draft of pathTo(endOf(parts))) {
    asked.signal?.throwIfAborted();
    const values = await fetchSlots(scanned, draft.slots);
    const details = scanned.session.details.get(draft.callId ?? "") ?? [];
    const message = toMessage({
      draft,
      values,
      places: draft.slots.map((slot) => ({
        ...fileOf(found, fileAt(scanned, slot).source.path),
        line: slot.line,
      })),
      fallbackId: fallbackId(scanned, draft),
      children,
      call: calls.get(draft.callId ?? "") ?? null,
      details: await fetchSlots(scanned, details),
      native: asked.native ? "keep" : "drop",
    });
    for (const block of message.content) {
      if (block.type === "tool_call") calls.set(block.id, { name: block.name, args: block.args });
    }
    if (draft.callId !== null) calls.delete(draft.callId);
    yield message;
  }
}

function endOf({ ends, leaves, asked }: HistoryParts): Draft | null {
  if (asked.leaf === undefined) return activeEnd(ends);
  const at = leaves.findIndex(({ id }) => id === asked.leaf);
  const end = ends[at];
  if (end === undefined) throw new ContinuoError("not_found", `the session has no branch ${asked.leaf}`);
  return end.draft;
}

function activeEnd(ends: readonly PathEnd[]): Draft | null {
  return ends.find(({ active }) => active)?.draft ?? null;
}

function fallbackId(scanned: Scanned, draft: Draft): string {
  const [slot] = draft.slots;
  return slot === undefined ? "" : `${fileAt(scanned, slot).source.fileId}:${slot.line}`;
}

function fileAt(scanned: Scanned, slot: Slot): ScannedFile {
  const file = scanned.files[slot.file];
  if (file === undefined) throw new Error("a slot names a file that was scanned");
  return file;
}

/** One after the other: a compressed file is one stream, which two readers would pull apart. */
async function fetchSlots(scanned: Scanned, slots: readonly Slot[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const slot of slots) values.push(await fetchSlot(scanned, slot));
  return values;
}

function fetchSlot(scanned: Scanned, slot: Slot): Promise<unknown> {
  return fileAt(scanned, slot).lines.fetch(slot);
}
