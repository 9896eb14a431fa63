/** Names in a channel, and the participants that an event addresses. */

import { ContinuoError } from "../model/index.ts";
import { recordOf, textOfContent, type WireEvent } from "./channel-events.ts";
import { LIMITS } from "./channel-limits.ts";
import { ANY_HANDLE, isName } from "./paths.ts";

/** Errors: `invalid`. */
export function assertName(what: "channel" | "handle" | "device" | "workspaceId", value: unknown): string {
  if (isName(value) && !(what === "handle" && value === ANY_HANDLE)) return value;
  throw new ContinuoError("invalid", `this is not the name of a ${what}: ${shown(value)}`, {
    hint: "Use 1 to 128 characters without `:`, `/` and control characters.",
    details: { what },
  });
}

/** True for an id that a client may make: the id of a message, a call or a request. */
export function isId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= LIMITS.idLength &&
    /^[^\p{Cc}\p{Cs}]+$/u.test(value)
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value;
}

/** `workspace:channel:handle`; none of the three contains `:`. */
export function sessionKeyOf(workspaceId: string, channel: string, handle: string): string {
  return `${workspaceId}:${channel}:${handle}`;
}

/** The handle of the author; `null` if the event has none. */
export function authorOf({ actor }: Pick<WireEvent, "actor">): string | null {
  return actor.id ?? null;
}

/**
 * Returns true if an agent can answer the event: a complete message that is addressed to the handle. A message
 * that was written in parts is an input when it is complete.
 */
export function isInputFor(event: Pick<WireEvent, "type" | "actor" | "data">, handle: string): boolean {
  const isWhole =
    event.type === "message_completed" ||
    (event.type === "message_sent" && recordOf(event.data).state !== "open");
  return isWhole && isAddressedTo(event, handle);
}

/**
 * Returns true if a message or its edit names the handle (`to`, `@handle`) or replies to it, if a method of the handle
 * is called, or if its message was deleted, or a reaction to it was added or removed. Nobody addresses themselves.
 */
export function isAddressedTo(event: Pick<WireEvent, "type" | "actor" | "data">, handle: string): boolean {
  if (authorOf(event) === handle) return false;
  const { to, content, replyToHandle, handle: author } = recordOf(event.data);
  if (event.type === "method_called") return to === handle;
  if (TO_AUTHOR.has(event.type)) return author === handle;
  if (!SPEAKS.has(event.type)) return false;
  if (Array.isArray(to) && to.includes(handle)) return true;
  return replyToHandle === handle || mentions(textOfContent(content), handle);
}

const SPEAKS: ReadonlySet<string> = new Set(["message_sent", "message_completed", "message_edited"]);
/** Events about a message that address its author. */
const TO_AUTHOR: ReadonlySet<string> = new Set(["message_deleted", "reaction_added", "reaction_removed"]);

const BEFORE = /[\p{L}\p{N}\p{M}._@/-]$/u;
const AFTER = /^(?:[\p{L}\p{N}\p{M}_@/]|[.-][\p{L}\p{N}])/u;

/**
 * Returns true if the text has `@handle`, and not only as a part of another name: `@ann` is neither in `@anna` nor in
 * `x@ann.org`.
 */
export function mentions(text: string, handle: string): boolean {
  const name = `@${handle}`;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + name.length, at + name.length + 3);
    if (!BEFORE.test(before) && !AFTER.test(after)) return true;
  }
  return false;
}
