/** A turn as a model reads it: what was said and done, in few words. Pure. */

import type { SessionTurn } from "@continuo/agents/catalog";
import type { Message } from "@continuo/core/model";
import { cutMiddle, type MessageKind, messageKind, type Part, toParts } from "@continuo/core/transcript";
import { z } from "zod";

/** `brief` shows what a call is about, and the beginning and the end of a result. */
export type Detail = "brief" | "full";

export interface TurnEntry {
  readonly role: string;
  readonly tool?: string;
  readonly text: string;
}

export interface TurnData {
  readonly turn: number;
  readonly at: string | null;
  /** The number of the first entry, if it is not 1. */
  readonly firstEntry?: number;
  readonly entries: readonly TurnEntry[];
}

export const turnOutput: z.ZodObject = z.object({
  turn: z.number(),
  at: z.string().nullable(),
  firstEntry: z.number().optional(),
  entries: z.array(z.object({ role: z.string(), tool: z.string().optional(), text: z.string() })),
});

const ROLES: Readonly<Record<MessageKind, string>> = {
  person: "person",
  agent: "agent",
  tool: "result",
  summary: "summary",
  error: "error",
  injected: "injected",
};

export interface EntryOptions {
  readonly detail: Detail;
  /** May be called for every text of a session. */
  mask(text: string): string;
}

/** Text that was injected for the model, and the model's thinking, are left out. */
export function entriesOf({ messages }: Pick<SessionTurn, "messages">, options: EntryOptions): TurnEntry[] {
  return messages
    .filter((message) => messageKind(message) !== "injected")
    .flatMap((message) => toParts(message).flatMap((part) => toEntry(part, message, options)))
    .map((entry) => ({ ...entry, text: options.mask(entry.text) }));
}

function toEntry(part: Part, message: Message, { detail }: EntryOptions): TurnEntry[] {
  const role = ROLES[messageKind(message)];
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ role, text: part.text.trim() }];
    case "media":
      return [{ role, text: part.text === null ? `[${part.label}]` : `[${part.label}]\n${part.text}` }];
    case "call": {
      const text = detail === "full" ? part.input : (part.argument ?? "");
      return [{ role: "call", tool: part.name, text }];
    }
    case "result": {
      const failed = part.status === "ok" ? "result" : `result, ${part.status}`;
      return [{ role: failed, text: part.text.replace(/^\s*\n|\s+$/gu, "") }];
    }
    case "thinking":
    case "unknown":
      return [];
  }
}

/** A result or a call may have a quarter of the characters of a message. */
const TOOL_SHARE = 4;

export function cutEntry(entry: TurnEntry, maxChars: number): TurnEntry {
  const isSaid = entry.tool === undefined && !entry.role.startsWith("result");
  const most = isSaid ? maxChars : Math.ceil(maxChars / TOOL_SHARE);
  return entry.text.length <= most ? entry : { ...entry, text: cutMiddle(entry.text, most) };
}

/** No line of a text begins at the margin, so that none can pass for the head of another entry. */
export function turnToText({ turn, at, firstEntry, entries }: TurnData): string {
  const texts = entries.map(({ role, tool, text }) => {
    const head = tool === undefined ? role : `${role} ${JSON.stringify(tool)}`;
    return text.includes("\n") ? `${head}:\n${indented(text)}` : `${head}: ${text}`;
  });
  const from = firstEntry === undefined ? "" : `, from entry ${firstEntry}`;
  return [`turn ${turn}${from}${at === null ? "" : ` · ${at}`}`, ...texts].join("\n");
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}
