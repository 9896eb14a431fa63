/**
 * Checks the records that a request appends: whether the token may write them, and for a channel the rules of its
 * frames.
 */

import { type Actor, ContinuoError, type NewEvent } from "@continuo/core/model";
import { ANY_HANDLE, allows } from "@continuo/core/wire";
import { assertByParticipant, checkPosted } from "@continuo/store/channels";
import { handlesOf, noHandle } from "../auth/index.ts";
import { requireOwner } from "../blobs/index.ts";
import type { Grant } from "../context/index.ts";
import type { Call } from "./call.ts";
import type { Records } from "./records.ts";

/** Errors: `invalid`, `too_large`, `forbidden`; `not_found` for a blob of others, and a message that a reply names. */
export async function parseRecords(
  { grant, store, address }: Call,
  records: Records,
  body: Uint8Array,
): Promise<readonly NewEvent[]> {
  const parsed = await records.parse(body, actorOf(grant));
  if (parsed.length > 0 && address.kind === "channel") requireWriter(grant);
  if (address.kind === "channel" && !allows(grant.scopes, { kind: "admin" })) assertByParticipant(parsed);
  const events = address.kind === "channel" ? await checkPosted(store, address.name, parsed) : parsed;
  for (const event of events) await requireOwner(store, grant, { ...event, logId: address.logId });
  return events;
}

function actorOf(grant: Grant): Actor {
  const handles = handlesOf(grant);
  return typeof handles === "string" ? { kind: "system" } : { kind: "person", id: handles.only };
}

/** In a channel, only a token that administers the workspace may write as the server. Errors: `forbidden`. */
function requireWriter(grant: Grant): void {
  if (handlesOf(grant) === "none") throw noHandle();
  if (grant.handle !== ANY_HANDLE) return;
  throw new ContinuoError("forbidden", "the token is for any handle, and an event names none", {
    hint: "Send messages to /v1/channels/NAME/messages with a `handle`.",
  });
}
