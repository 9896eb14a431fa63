/**
 * The events that Codex writes for its interface in addition to the model's records. Nearly always they have the same
 * text. A shown text that equals an item of its turn is not a message of its own; any other shown text is one. Pure.
 */

import { entryOf, isJson, type Json } from "@continuo/files";
import type { MessageDraft } from "./drafts.ts";
import { toText } from "./records.ts";
import { textParts } from "./text-authors.ts";

export interface ShownState {
  /** Hashes of texts of items of this turn, by speaker. */
  readonly said: Readonly<Record<Speaker, Set<number>>>;
  readonly waiting: { readonly draft: MessageDraft; readonly keys: ShownKeys }[];
  readonly errors: Set<string>;
}

export type Speaker = "user" | "agent" | "thinking";

interface ShownKeys {
  readonly speaker: Speaker;
  readonly hashes: readonly number[];
}

export interface ShownMessage {
  readonly speaker: Speaker;
  readonly keys: ShownKeys;
  readonly matched: boolean;
}

export function createShown(): ShownState {
  return {
    said: { user: new Set(), agent: new Set(), thinking: new Set() },
    waiting: [],
    errors: new Set(),
  };
}

/** True for events that show a text of the person or of the agent, or thinking. */
export function hasTexts(payload: Json): boolean {
  return speakerOf(payload) !== null;
}

/** `null` for an event that shows no text. An event of the user may show only an image. */
export function foldShown(state: ShownState, payload: Json, ids: ReadonlySet<number>): ShownMessage | null {
  const speaker = speakerOf(payload);
  if (speaker === null) return null;
  const hashes = shownTexts(payload).map(hashOf);
  const keys = { speaker, hashes };
  const id = isJson(payload.item) ? toText(payload.item.id) : null;
  if (hashes.length === 0 && speaker !== "user") return null;
  return { speaker, keys, matched: (id !== null && ids.has(hashOf(id))) || isSaid(state, keys) };
}

/** Remembers the text of an item, for the events of its turn. */
export function noteItem(state: ShownState, item: Json): void {
  const speaker = speakerOfItem(item);
  if (speaker === null) return;
  const texts =
    speaker === "thinking"
      ? [...textParts(item.summary), ...textParts(item.content)]
      : textParts(item.content);
  const said = state.said[speaker];
  for (const text of texts) said.add(hashOf(text));
  // Versions differ in how they join the parts of one message.
  if (texts.length > 1) for (const glue of ["", "\n", "\n\n"]) said.add(hashOf(texts.join(glue)));
  if (texts.length === 0) said.add(hashOf(""));
}

/** At the end of a turn, shown texts that equal an item are hidden; the others become messages. */
export function endShown(state: ShownState): void {
  for (const { draft, keys } of state.waiting) draft.hidden = isSaid(state, keys);
  state.waiting.length = 0;
  state.errors.clear();
  for (const set of Object.values(state.said)) set.clear();
}

/** The texts of an event, in order. */
export function shownTexts(payload: Json): string[] {
  const { item } = payload;
  const texts = isJson(item)
    ? item.type === "Reasoning"
      ? [...strings(item.summary_text), ...strings(item.raw_content)]
      : textParts(item.content)
    : strings([payload.message ?? payload.text]);
  return texts.filter((text) => text !== "");
}

export function speakerOf(payload: Json): Speaker | null {
  const name = payload.type === "item_completed" && isJson(payload.item) ? payload.item.type : payload.type;
  return entryOf(SPEAKERS, String(name)) ?? null;
}

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  user_message: "user",
  UserMessage: "user",
  agent_message: "agent",
  AgentMessage: "agent",
  agent_reasoning: "thinking",
  agent_reasoning_raw_content: "thinking",
  Reasoning: "thinking",
};

function speakerOfItem(item: Json): Speaker | null {
  if (item.type === "reasoning") return "thinking";
  if (item.type !== "message") return null;
  if (item.role === "user") return "user";
  return item.role === "assistant" ? "agent" : null;
}

/** A shown message that has only an attached image belongs to the last message of its speaker. */
function isSaid(state: ShownState, { speaker, hashes }: ShownKeys): boolean {
  const said = state.said[speaker];
  return hashes.length === 0 ? said.size > 0 : hashes.every((hash) => said.has(hash));
}

function strings(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

/** A hash of 53 bits, so that texts and ids are remembered in a few bytes each. */
export function hashOf(text: string): number {
  let high = 0;
  let low = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i) + 1;
    high = Math.imul(high + unit, 0x01000193) ^ (high >>> 15);
    low = Math.imul(low ^ unit, 0x5bd1e995) + (low >>> 13);
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff);
}
