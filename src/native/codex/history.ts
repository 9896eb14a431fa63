/** Messages of a path, fetched slot by slot. */

import type { Json } from "../../files/index.ts";
import type { Message } from "../../model/index.ts";
import type { FoundSession, HistoryOptions } from "../kit/index.ts";
import { type Draft, pathTo, type Slot } from "./drafts.ts";
import { fileOf } from "./header.ts";
import { toMessage } from "./messages.ts";
import type { ScannedFile, ScanResult } from "./state.ts";

export async function* readHistory(
  scanned: ScanResult,
  found: FoundSession,
  end: Draft,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  const calls = new Map<string, { name: string; args: Json }>();
  const children = new Map<string, string>();
  for (const [id, { toolCallId }] of scanned.session.children) if (toolCallId) children.set(toolCallId, id);
  for (const draft of pathTo(end)) {
    options.signal?.throwIfAborted();
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
      native: options.native ? "keep" : "drop",
    });
    for (const block of message.content) {
      if (block.type === "tool_call") calls.set(block.id, { name: block.name, args: block.args });
    }
    if (draft.callId !== null) calls.delete(draft.callId);
    yield message;
  }
}

/** The id of a message whose records have none. */
export function fallbackId(scanned: ScanResult, draft: Draft): string {
  const [slot] = draft.slots;
  return slot === undefined ? "" : `${fileAt(scanned, slot).source.fileId}:${slot.line}`;
}

export function fetchSlot(scanned: ScanResult, slot: Slot): Promise<unknown> {
  return fileAt(scanned, slot).lines.fetch(slot);
}

/** One after the other: a compressed file is one stream, which two readers would pull apart. */
async function fetchSlots(scanned: ScanResult, slots: readonly Slot[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const slot of slots) values.push(await fetchSlot(scanned, slot));
  return values;
}

function fileAt({ files }: ScanResult, slot: Slot): ScannedFile {
  const file = files.find(({ index }) => index.file === slot.file);
  if (file === undefined) throw new Error("a slot names a file that was scanned");
  return file;
}
