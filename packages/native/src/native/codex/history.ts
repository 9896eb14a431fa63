/** The messages of a branch, fetched slot by slot. */

import { type Message, present } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import type { FoundSession, HistoryOptions, HistorySteps, StepMessages } from "../kit/index.ts";
import { type MessageDraft, pathTo, type Slot } from "./drafts.ts";
import { fileOf } from "./header.ts";
import { toMessage } from "./messages.ts";
import type { ScannedFile, ScanResult } from "./state.ts";

export async function* readHistory(
  scanned: ScanResult,
  found: FoundSession,
  end: MessageDraft,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  for await (const { messages } of readDrafts({ scanned, found, path: pathTo(end) }, options, () => true)) {
    yield* messages;
  }
}

/** Each message is a step. */
export function stepsTo(scanned: ScanResult, found: FoundSession, end: MessageDraft): HistorySteps {
  const path = pathTo(end);
  const newest = Math.max(...scanned.files.map(({ index }) => index.file));
  return {
    keys: path.map((draft) => keyOf(scanned, draft)),
    lastLines: path.map((draft) =>
      Math.max(0, ...slotsOf(scanned, draft).map(({ file, line }) => (file === newest ? line : 0))),
    ),
    read: (isWanted, signal) => readDrafts({ scanned, found, path }, present({ signal }), isWanted),
  };
}

/** The content of a message depends on more than its records: later ones decide how they are read. */
function keyOf(scanned: ScanResult, draft: MessageDraft): string {
  const { kind, role, typed, callId, nativeId, interrupted, slots } = draft;
  const places = slotsOf(scanned, draft).map(({ file, line }) => [file, line]);
  return JSON.stringify([kind, role, typed, callId, nativeId, interrupted, slots.length, places]);
}

function slotsOf(scanned: ScanResult, { slots, callId }: MessageDraft): readonly Slot[] {
  return [...slots, ...detailSlots(scanned, callId)];
}

function detailSlots({ session }: ScanResult, callId: string | null): readonly Slot[] {
  return session.details.get(callId ?? "") ?? [];
}

interface Path {
  readonly scanned: ScanResult;
  readonly found: FoundSession;
  readonly path: readonly MessageDraft[];
}

async function* readDrafts(
  { scanned, found, path }: Path,
  options: HistoryOptions,
  isWanted: (step: number) => boolean,
): AsyncGenerator<StepMessages, void, void> {
  const calls = new Map<string, { name: string; args: Json }>();
  const children = new Map<string, string>();
  for (const [id, { toolCallId }] of scanned.session.children) if (toolCallId) children.set(toolCallId, id);
  for (const [step, draft] of path.entries()) {
    options.signal?.throwIfAborted();
    if (!isWanted(step)) continue;
    const values = await fetchSlots(scanned, draft.slots);
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
      details: await fetchSlots(scanned, detailSlots(scanned, draft.callId)),
      native: options.native ? "keep" : "drop",
    });
    for (const block of message.content) {
      if (block.type === "tool_call") calls.set(block.id, { name: block.name, args: block.args });
    }
    if (draft.callId !== null) calls.delete(draft.callId);
    yield { step, messages: [message] };
  }
}

/** The id of a message whose records have none. */
export function fallbackId(scanned: ScanResult, draft: MessageDraft): string {
  const [slot] = draft.slots;
  return slot === undefined ? "" : `${fileAt(scanned, slot).source.fileId}:${slot.line}`;
}

export function fetchSlot(scanned: ScanResult, slot: Slot): Promise<unknown> {
  return fileAt(scanned, slot).lines.fetch(slot);
}

/**
 * Fetches one slot after the other, because a compressed file is one stream: two readers would each get only parts of
 * it.
 */
async function fetchSlots(scanned: ScanResult, slots: readonly Slot[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const slot of slots) values.push(await fetchSlot(scanned, slot));
  return values;
}

function fileAt({ files }: ScanResult, slot: Slot): ScannedFile {
  const file = files.find(({ index }) => index.file === slot.file);
  if (file === undefined) throw new Error(`the slot names file ${slot.file}, which was not scanned`);
  return file;
}
