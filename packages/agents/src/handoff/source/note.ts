/** The note about the origin of a session, which a record of the session's own file may contain. Pure. */

import { isJson, type Json } from "@continuo/files";

/**
 * Returns the record's note about the origin of its session; `null` if it has none. The content of the note is not
 * trusted.
 */
export function noteIn(value: unknown): unknown {
  if (!isJson(value)) return null;
  const note = [value, value.payload, value.data, metadataOf(value)].find(
    (place): place is Json => isJson(place) && isJson(place.continuo),
  );
  return note?.continuo ?? null;
}

/** Returns the last note: a session that came back has an older one too, which does not count. */
export function lastNote(values: readonly unknown[]): unknown {
  for (const value of values.toReversed()) {
    const note = noteIn(value);
    if (note !== null) return note;
  }
  return null;
}

function metadataOf({ metadata }: Json): unknown {
  if (typeof metadata !== "string" || !metadata.startsWith("{")) return metadata;
  try {
    return JSON.parse(metadata);
  } catch {
    // The agent uses the field for a text of its own.
    return null;
  }
}
