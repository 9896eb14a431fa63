/**
 * Readers over the network: they have sessions, and no rights on this machine. The folders and files that a session's log
 * and its metadata name are left out for them. `events()` has them, for the program itself.
 */

import type { KnownEvent } from "@continuo/core/model";

/** The keys of a session's metadata that name the native sessions of agents, with their files and folders. */
const REFERENCES: ReadonlySet<string> = new Set(["providerSessionId", "providerSessions"]);
const PLACES: ReadonlySet<string> = new Set(["cwd", "location"]);
const WITH_PLACES: ReadonlySet<string> = new Set([
  "session_created",
  "session_updated",
  "session_resumed",
  "session_handed_over",
]);

type Fields = Readonly<Record<string, unknown>>;

/** The metadata that the program itself gave the session. */
export function ownMetadata(metadata: Fields): Fields {
  return without(metadata, REFERENCES);
}

/** The event as readers see it. */
export function forReaders(event: KnownEvent): KnownEvent {
  if (!WITH_PLACES.has(event.type)) return event;
  const fields = Object.entries(without(event.data as Fields, PLACES)).map(([name, value]) => {
    if (!isFields(value)) return [name, value];
    return [name, name === "metadata" ? ownMetadata(value) : without(value, PLACES)];
  });
  return { ...event, data: Object.fromEntries(fields) } as KnownEvent;
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
