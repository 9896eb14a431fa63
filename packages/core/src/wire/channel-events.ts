/** Payloads of the events of a channel: the keys that the table of event types lists, and those of channels. */

import { present, type StoredEvent } from "../model/index.ts";
import type { MessageSent } from "./channel-data.ts";

export type MessageData = MessageSent;

/** The fields of a message's beginning that its end repeats, so that a late reader needs nothing else. */
export type MessageHead = Pick<MessageData, "to" | "replyTo" | "replyToHandle" | "attachments">;

export function headOf(data: Readonly<Record<string, unknown>>): MessageHead {
  const { to, replyTo, replyToHandle, attachments } = data as Partial<MessageData>;
  return present({ to, replyTo, replyToHandle, attachments });
}

/** The events at which a late reader may begin: the starts of turns, and compactions. */
export const ANCHOR_TYPES = ["message_sent", "run_started", "context_compacted"] as const;

/** A stored event as it is sent: without the log's id and hashes, which `/v1/stream` returns. */
export type WireEvent = Omit<StoredEvent, "logId" | "payloadHash" | "chainHash" | "salt"> & {
  /** SHA-256 of the canonical JSON of `data`, 64 hex digits; only in events of continuous sessions. */
  readonly hash?: string;
  /**
   * The number of agents' messages since a person's last one, this one included; only in a message of an agent that is
   * sent to an agent whom it addresses.
   */
  readonly turns?: number;
};

export function toWireEvent(event: StoredEvent): WireEvent {
  const { logId: _log, payloadHash: _payload, chainHash: _chain, salt: _salt, ...rest } = event;
  return rest;
}

/** An event of a continuous session: evidence can be compared with the log by its hash. */
export function toHashedWireEvent(event: StoredEvent): WireEvent {
  return { ...toWireEvent(event), hash: event.payloadHash };
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

export function numberOr<Other>(value: unknown, other: Other): number | Other {
  return typeof value === "number" && Number.isFinite(value) ? value : other;
}

/** The text of a message, whatever else it contains. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => {
      const { type, text } = recordOf(block);
      return type === "text" && typeof text === "string" ? text : "";
    })
    .filter((text) => text !== "")
    .join("\n\n");
}
