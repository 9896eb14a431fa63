/** Rows of one new session as the JSON that `opencode export` prints and `opencode import` takes. Pure. */

import type { NewSession } from "../adapter/index.ts";
import { isJson, type Json } from "../reader/index.ts";
import { objectField } from "./records.ts";
import { UNKNOWN_MODEL, withModel } from "./row-sink.ts";

interface ExportedMessage {
  readonly info: Json;
  readonly parts: Json[];
}

/** @param records inserts and updates, as the writer makes them. */
export function toExport(records: readonly Json[], session: NewSession): string {
  const { sessionId, cwd, createdMs } = session;
  const messages = new Map<string, ExportedMessage>();
  const parts = new Map<string, { message: ExportedMessage; at: number }>();
  let row: Json = {};
  for (const record of records) {
    const values = objectField(record, "values");
    const { data } = values;
    const id = String(values.id ?? record.id);
    if (record.insert === "session") row = values;
    if (record.insert === "message" && isJson(data)) {
      messages.set(id, { info: { ...withModel(data, UNKNOWN_MODEL), id, sessionID: sessionId }, parts: [] });
    }
    if (record.insert === "part" && isJson(data)) {
      const message = messages.get(String(values.message_id));
      if (message === undefined) throw new Error(`part ${id} is of no message`);
      parts.set(id, { message, at: message.parts.length });
      message.parts.push({ ...data, id, sessionID: sessionId, messageID: values.message_id });
    }
    const place = record.update === "part" ? parts.get(id) : undefined;
    if (place !== undefined && isJson(data)) {
      place.message.parts[place.at] = { ...place.message.parts[place.at], ...data };
    }
  }
  const info = {
    id: sessionId,
    slug: row.slug,
    projectID: "global",
    directory: cwd,
    title: row.title,
    version: row.version,
    time: { created: createdMs, updated: createdMs },
  };
  return JSON.stringify({ info, messages: [...messages.values()] });
}
