/**
 * Converts lines of another thread to lines of a new one: wherever a line names the thread's id or folder, it gets the
 * new ones. If a thread continues from other files (a fork, a revert), the lines of those files up to that place come
 * before its own lines, so that the new thread does not need those files. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { type KeptRecord, type NewSession, withReplaced } from "../writing/index.ts";
import { isPast } from "./index-fold.ts";
import { parseRolloutName } from "./places.ts";
import { type HistoryBase, LINK_KEYS, parseRecord, parseSessionMeta, withOrdinal } from "./records.ts";

const IDS = /^(?:id|session_id|thread_id)$/u;
const FOLDERS = /^(?:cwd|runtime_workspace_roots)$/u;

/** `null` for a thread without a header, or with a header that lacks a field which Codex requires. */
export function bringBackLines(records: readonly KeptRecord[], session: NewSession): readonly Json[] | null {
  const values = inOneFile(records);
  const [first] = values;
  const meta = parseSessionMeta(first);
  if (first === undefined || meta === null || meta.id === null || meta.missingKeys.length > 0) return null;
  const header = isJson(first.payload) ? first.payload : {};
  const ids = new Map([[textField(header, "id") ?? "", session.sessionId]]);
  const folders = new Map([[textField(header, "cwd") ?? "", session.cwd]]);
  const lines = values.map((value) =>
    withReplaced(value, [
      { keys: IDS, names: ids },
      { keys: FOLDERS, names: folders },
    ]),
  );
  const { provenance } = session;
  const [begins, ...others] = lines;
  if (begins === undefined || provenance === undefined) return lines;
  return [{ ...begins, payload: { ...(begins.payload as Json), continuo: provenance } }, ...others];
}

/**
 * Returns the header of the newest file, then the headers of the files that it continues from, then all other lines:
 * 0.169.0 does not send the model any line before a header in the middle of a paginated file.
 */
function inOneFile(records: readonly KeptRecord[]): readonly Json[] {
  const files = Map.groupBy(records, ({ file }) => file);
  const own = valuesOf(files.get(undefined) ?? []);
  const [header, ...others] = own;
  const meta = parseSessionMeta(header);
  if (header === undefined || meta === null) return own;
  files.delete(undefined);
  const before = meta.base === null ? [] : valuesBefore(files, meta.base);
  const headers = before.filter(isHeader).map(withoutLinks);
  const lines = before.filter((value) => !isHeader(value));
  const all = [withoutLinks(header), ...headers, ...lines, ...others];
  return meta.paginated && (before.length > 0 || !isNumbered(all.at(-1))) ? all.map(withOrdinal) : all;
}

/** Codex refuses a paginated file whose last line has no ordinal: an older version continued it. */
function isNumbered(value: Json | undefined): boolean {
  return (parseRecord(value)?.ordinal ?? null) !== null;
}

type Files = Map<string | undefined, readonly KeptRecord[]>;

/** Each file is read once, because damage can cause circles. */
function valuesBefore(files: Files, cut: HistoryBase): readonly Json[] {
  const [path, records] =
    [...files].find(([file]) => parseRolloutName(file ?? "").fileId === cut.fileId) ?? [];
  if (path === undefined || records === undefined) return [];
  files.delete(path);
  const values = valuesOf(records);
  const base = parseSessionMeta(values[0])?.base ?? null;
  const before = base === null ? [] : valuesBefore(files, base);
  const end = values.findIndex((value) => isBehind(value, cut));
  const own = end === -1 ? values : values.slice(0, end);
  return [...before, ...own];
}

/** The cut is found only by its ordinal, because the reader returns no lines of another thread after it. */
function isBehind(value: Json, { endOrdinal }: HistoryBase): boolean {
  const record = parseRecord(value);
  return record !== null && isPast({ endOrdinal, endOffset: null }, record, 0);
}

function valuesOf(records: readonly KeptRecord[]): readonly Json[] {
  return records.flatMap(({ value }) => (isJson(value) ? [value] : []));
}

function isHeader(value: Json): boolean {
  return value.type === "session_meta";
}

function withoutLinks(value: Json): Json {
  if (!isJson(value.payload)) return value;
  const { payload } = value;
  if (!LINK_KEYS.some((key) => key in payload)) return value;
  const kept = Object.entries(payload).filter(([key]) => !LINK_KEYS.includes(key));
  return { ...value, payload: Object.fromEntries(kept) };
}
