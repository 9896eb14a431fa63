/**
 * Writes the debug log of a room for people who search for a mistake. It has ids, counts, codes and times, and never
 * the text of a session.
 *
 * Entries are published on the channels `continuo:ROOM` of `node:diagnostics_channel`, so that a program that uses the
 * library can follow them too. No entry is made if nobody follows the room.
 */

import { channel } from "node:diagnostics_channel";

/** The rooms that publish entries. */
export const DEBUG_ROOMS = [
  "catalog",
  "cli",
  "config",
  "drivers",
  "handoff",
  "index-file",
  "search",
  "server",
  "sessions",
  "store",
] as const;

export type DebugRoom = (typeof DEBUG_ROOMS)[number];

type DebugDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface DebugEntry {
  readonly room: DebugRoom;
  /** The event, such as `program started`. */
  readonly what: string;
  readonly details: DebugDetails;
}

/** Publishes an entry. `details` is called only if somebody follows the room. */
export type Debug = (what: string, details?: () => DebugDetails) => void;

export function debugOf(room: DebugRoom): Debug {
  const entries = channel(`continuo:${room}`);
  return (what, details) => {
    if (entries.hasSubscribers)
      entries.publish({ room, what, details: details?.() ?? {} } satisfies DebugEntry);
  };
}

/** Follows rooms until it is disposed of. An error of `onEntry` does not reach the room. */
export function followDebug(rooms: readonly DebugRoom[], onEntry: (entry: DebugEntry) => void): Disposable {
  const listen = (entry: unknown): void => onEntry(entry as DebugEntry);
  const channels = rooms.map((room) => channel(`continuo:${room}`));
  for (const one of channels) one.subscribe(listen);
  return {
    [Symbol.dispose]() {
      for (const one of channels) one.unsubscribe(listen);
    },
  };
}
