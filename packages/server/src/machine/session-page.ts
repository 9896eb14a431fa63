/** A session with everything that a viewer asks for, for one file. Bounded, and filled from the end backwards. */

import { ContinuoError, type Message, present } from "@continuo/core/model";
import {
  type FileChanges,
  type MachineService,
  type Outline,
  type SavedSession,
  type SavedText,
  valueAt,
  type WindowMessage,
} from "@continuo/core/wire/machine";

export interface SavedSessionRequest {
  readonly key: string;
  /** 1-based; the last turn when `to` is left out. */
  readonly turns?: { readonly from: number; readonly to?: number };
  /** The limit for the bytes of all messages, as `sizeOf` counts them. */
  readonly maxBytes: number;
  sizeOf(message: WindowMessage, texts: readonly SavedText[]): number;
  readonly savedAt: string;
}

/** Errors: those of reading the session; `out_of_range`; `too_large`, with the newest turns that fit in `details.fits`. */
export async function savedSession(
  service: MachineService,
  wish: SavedSessionRequest,
  signal: AbortSignal,
): Promise<SavedSession> {
  const { key } = wish;
  const { total } = await service.outline({ key, limit: 1 }, signal);
  const from = wish.turns?.from ?? 1;
  const to = Math.min(wish.turns?.to ?? total, total);
  if (total > 0 && (from > to || from < 1)) throw noSuchTurns(from, wish.turns?.to ?? to, total);
  const { messages, texts, bytes } = await messagesOf(service, { ...wish, from, to, total }, signal);
  const outline = await outlineOf(service, { key, from, to }, signal);
  const { session, ...head } = await service.session(key, signal);
  const inside = new Set(messages.map(({ message }) => message.id));
  const files = await changesOf(service, key, inside, signal);
  if (bytes + JSON.stringify(files).length > wish.maxBytes) {
    throw tooLarge({ from, to }, Math.floor((from + to) / 2), wish.maxBytes);
  }
  const listed = await service.changes({ key }, signal);
  const shown = listed.files.filter(({ path }) => files.some((file) => file.path === path));
  return {
    savedAt: wish.savedAt,
    // Links to other sessions would lead nowhere from a file.
    head: { ...head, session: { ...session, live: null }, subagents: [], branches: [], parentKey: null },
    outline,
    messages,
    texts,
    changes: { files: shown, total: shown.length },
    files,
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

type Messages = Pick<SavedSession, "messages" | "texts"> & { readonly bytes: number };

async function messagesOf(
  service: MachineService,
  { key, from, to, total, maxBytes, sizeOf }: SavedSessionRequest & Range & { readonly total: number },
  signal: AbortSignal,
): Promise<Messages> {
  const after = to < total ? await service.outline({ key, before: to + 2, limit: 1 }, signal) : null;
  let before = after?.turns[0]?.id;
  const found: WindowMessage[] = [];
  const texts: SavedText[] = [];
  let bytes = 0;
  for (;;) {
    const window = await service.history({ key, limit: 500, ...present({ before }) }, signal);
    for (const shown of window.messages.toReversed()) {
      if ((shown.turn ?? 1) < from) return { messages: found.reverse(), texts, bytes };
      const [message, ofMessage] = [
        await withImages(service, key, shown, signal),
        await textsOf(service, key, shown, signal),
      ];
      bytes += sizeOf(message, ofMessage);
      if (bytes > maxBytes) throw tooLarge({ from, to }, shown.turn ?? 1, maxBytes);
      found.push(message);
      texts.push(...ofMessage);
    }
    before = window.messages[0]?.message.id;
    if (!window.hasOlder || before === undefined) return { messages: found.reverse(), texts, bytes };
  }
}

/** Replaces the paths of images with their bytes. */
async function withImages(
  service: MachineService,
  key: string,
  shown: WindowMessage,
  signal: AbortSignal,
): Promise<WindowMessage> {
  const message: Message = structuredClone(shown.message);
  for (const path of imagesIn(message.content, "content")) {
    const { bytes } = await service.image({ key, messageId: message.id, path }, signal);
    const image = valueAt(message, path) as { url?: string; data?: string };
    delete image.url;
    image.data = Buffer.from(bytes).toString("base64");
  }
  return { ...shown, message };
}

async function textsOf(
  service: MachineService,
  key: string,
  { message, cuts }: WindowMessage,
  signal: AbortSignal,
): Promise<readonly SavedText[]> {
  const texts: SavedText[] = [];
  for (const { path, total } of cuts) {
    let text = "";
    while (text.length < total) {
      const rest = await service.text({ key, messageId: message.id, path, from: text.length }, signal);
      if (rest.text === "") break;
      text += rest.text;
    }
    texts.push({ messageId: message.id, path, text });
  }
  return texts;
}

/** Paths of images whose bytes the server has. */
function imagesIn(blocks: Message["content"], path: string): string[] {
  return blocks.flatMap((block, at) => {
    const here = `${path}/${at}`;
    if (block.type === "tool_result") return imagesIn(block.content, `${here}/content`);
    return block.type === "image" && block.url?.startsWith("/") === true ? [here] : [];
  });
}

async function outlineOf(
  service: MachineService,
  { key, from, to }: Range & { readonly key: string },
  signal: AbortSignal,
): Promise<Outline> {
  const all: Outline[] = [];
  for (let end = to; end >= from; ) {
    const limit = Math.min(5_000, end - from + 1);
    const part = await service.outline({ key, before: end + 1, limit }, signal);
    all.unshift(part);
    end -= limit;
  }
  const [first] = all;
  if (first === undefined) return await service.outline({ key, limit: 1 }, signal);
  return {
    ...first,
    turns: all.flatMap(({ turns }) => turns),
    marks: all.flatMap(({ marks }) => marks),
    files: first.files.filter(({ firstTurn, lastTurn }) => lastTurn >= from && firstTurn <= to),
    hasOlder: false,
  };
}

/** Changes made by messages of the file. */
async function changesOf(
  service: MachineService,
  key: string,
  inside: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly FileChanges[]> {
  const files: FileChanges[] = [];
  for (const { path } of (await service.changes({ key }, signal)).files) {
    const changes: FileChanges["changes"][number][] = [];
    for (let after: number | null = 0; after !== null; ) {
      const part: FileChanges = await service.fileChanges({ key, path, after }, signal);
      changes.push(...part.changes.filter(({ messageId }) => inside.has(messageId)));
      after = part.nextAfter;
    }
    if (changes.length > 0) files.push({ path, changes, total: changes.length, nextAfter: null });
  }
  return files;
}

function noSuchTurns(from: number, to: number, total: number): ContinuoError {
  return new ContinuoError("out_of_range", `the session has no turns ${from} to ${to}`, {
    hint: `Name turns from 1 to ${total}.`,
    details: { turns: total },
  });
}

function tooLarge({ from, to }: Range, reached: number, maxBytes: number): ContinuoError {
  const fits = reached < to ? { from: Math.max(from, reached + 1), to } : null;
  const limit = `${Math.floor(maxBytes / 1_000_000)} MB`;
  return new ContinuoError("too_large", `turns ${from} to ${to} are larger than ${limit} as one file`, {
    hint:
      fits === null
        ? "Use `continuo session export ID --format html`, which has no limit."
        : `Run the command again with \`--turns ${fits.from}-${fits.to}\`: these are the newest turns that fit.`,
    details: { fits, maxBytes },
  });
}
