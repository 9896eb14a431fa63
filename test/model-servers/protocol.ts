/** The interface of a protocol: it names its paths, reads requests, and writes an answer in its own format. */

import { randomBytes } from "node:crypto";
import type { JsonObject } from "./json.ts";
import type { Answer, PromptTurn, Step } from "./script.ts";

export type ProtocolName = "anthropic" | "responses" | "chat" | "gemini";

export interface Exchange {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly body: JsonObject;
}

export interface Reply {
  readonly kind: "answer" | "summary" | "side" | "unknown";
  readonly violations: readonly string[];
  readonly answer: Answer | null;
  /** The events of a stream are complete server-sent events, including the blank line. */
  readonly content:
    | { readonly type: "json"; readonly status: number; readonly value: unknown }
    | { readonly type: "stream"; readonly events: readonly string[] };
  readonly errorBody: (status: number, message: string) => unknown;
}

export interface Protocol {
  readonly name: ProtocolName;
  speaks(exchange: Exchange): boolean;
  reply(exchange: Exchange, answer: (asked: PromptTurn) => Answer): Reply;
}

/** Returns a new id: the ids of real services never repeat, even if the same request is sent again. */
export function newId(prefix: string): string {
  return prefix + randomBytes(12).toString("hex");
}

export function pieces(words: string): readonly string[] {
  return words.match(/[\s\S]{1,24}/g) ?? [""];
}

/** Estimates tokens as services do: about four characters per token. */
export function tokensOf(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? "").length / 4);
}

export function reportedTokens(answer: Answer, estimate: number): number {
  return answer.find((step) => step.type === "usage")?.inputTokens ?? estimate;
}

export type ContentStep = Extract<Step, { type: "text" | "thinking" | "redacted" | "tool" }>;

export function contentOf(answer: Answer): readonly ContentStep[] {
  return answer.filter((step): step is ContentStep =>
    ["text", "thinking", "redacted", "tool"].includes(step.type),
  );
}

export function kindOf(asked: PromptTurn): Reply["kind"] {
  if (asked.wants === "summary") return "summary";
  return asked.wants === "answer" ? "answer" : "side";
}
