/** Rows of one new session as the JSON that `opencode export` prints and `opencode import` takes. Pure. */

import { isJson, type Json } from "@continuo/files";
import { toExportedInfo } from "./export-rows.ts";
import { objectField } from "./records.ts";
import { UNKNOWN_MODEL, withModel } from "./row-sink.ts";

interface ExportedMessage {
  readonly info: Json;
  readonly parts: Json[];
}

/**
 * Yields the JSON in pieces, one for each message, so that it is never in memory as a whole.
 *
 * @param records inserts and updates, as the writer makes them. Rows whose data is no JSON object are left out.
 */
export function* toExport(records: Iterable<Json>): Generator<string, void, void> {
  const messages = new Map<string, ExportedMessage>();
  const parts = new Map<string, { message: ExportedMessage; at: number }>();
  let row: Json = {};
  for (const record of records) {
    const values = objectField(record, "values");
    const { data } = values;
    const id = String(values.id ?? record.id);
    if (record.insert === "session") row = values;
    if (record.insert === "message" && isJson(data)) {
      const time = isJson(data.time) ? {} : { time: { created: values.time_created } };
      const info = { ...withModel(data, UNKNOWN_MODEL), ...time, id, sessionID: values.session_id };
      messages.set(id, { info, parts: [] });
    }
    const message = messages.get(String(values.message_id));
    if (record.insert === "part" && isJson(data) && message !== undefined) {
      parts.set(id, { message, at: message.parts.length });
      message.parts.push({ ...data, id, sessionID: values.session_id, messageID: values.message_id });
    }
    const place = record.update === "part" ? parts.get(id) : undefined;
    if (place !== undefined && isJson(data)) {
      place.message.parts[place.at] = { ...place.message.parts[place.at], ...data };
    }
  }
  const info = { projectID: "global", ...toExportedInfo(row) };
  yield `{"info":${JSON.stringify(info)},"messages":[`;
  let isFirst = true;
  for (const message of messages.values()) {
    if (!isFirst) yield ",";
    isFirst = false;
    yield JSON.stringify(message);
  }
  yield "]}";
}
