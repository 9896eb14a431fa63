/**
 * Repairs a session of Codex (0.169.0): records that Codex ignores are mended or removed, calls get the output that
 * Codex itself gives them, and lines of a paginated file get ordinals. `repair-shown.ts` adds missing events that only
 * the interface needs.
 */

import { entryOf, isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBehind,
  change,
  moveBehind,
  type NativeRepairer,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
  remove,
} from "../repairing/index.ts";
import { withoutUnreadFields } from "./forms.ts";
import { shownTexts, speakerOf } from "./interface-messages.ts";
import { callIdOf, flawOf, isUnasked } from "./items.ts";
import { homeOfFile } from "./places.ts";
import { parseRecord, parseSessionMeta, toText } from "./records.ts";
import { mendItem } from "./repair-item.ts";
import { showTurns } from "./repair-shown.ts";
import { listThread } from "./thread-index.ts";

const VERSION = "0.169.0";

export const codexRepairer: NativeRepairer = {
  agent: "codex",
  mend(draft, context) {
    for (const line of remainingLines(draft)) {
      if (parseRecord(line.value) === null) remove(line, "it is no record of a rollout");
    }
    mendHeader(draft, context);
    mendTimes(draft);
    mendItems(draft);
    pairCalls(draft, context);
    const isPaginated = parseSessionMeta(remainingLines(draft)[0]?.value)?.paginated === true;
    showTurns(draft, { ...context, mode: isPaginated ? "paginated" : "legacy" });
    if (isPaginated) dropHeaders(draft);
    if (isPaginated) number(draft);
  },
  async relist({ sessionId, sessionFile, records }) {
    const home = homeOfFile(sessionFile);
    const prompt = firstPromptIn(records);
    if (home !== null && prompt !== null) await listThread(home, sessionId, prompt);
  },
};

/** Returns the text that Codex's index has: the whole text that the interface shows. */
function firstPromptIn(records: readonly Json[]): string | null {
  for (const value of records) {
    const record = parseRecord(value);
    if (record?.type !== "event_msg" || speakerOf(record.payload) !== "user") continue;
    const text = shownTexts(record.payload).join("\n").trim();
    if (text !== "") return text;
  }
  return null;
}

/** The first line, without which Codex reads nothing. */
function mendHeader(draft: RepairDraft, { sessionId, cwd }: RepairContext): void {
  const lines = remainingLines(draft);
  const first = moveHeader(draft, lines, sessionId);
  if (first === undefined) return;
  const { timestamp: given, ...rest } = first.value;
  const own = isJson(rest.payload) ? toText(rest.payload.timestamp) : null;
  const later = lines.map(({ value }) => toText(value.timestamp)).find((time) => time !== null);
  const timestamp = toText(given) ?? own ?? later ?? new Date(0).toISOString();
  const folder = cwd ?? folderIn(lines);
  const needed = { timestamp, cwd: folder, originator: "continuo", cli_version: VERSION };
  const meta = parseSessionMeta(first.value);
  if (meta === null) {
    if (folder === null) return;
    const payload = { id: sessionId, ...needed, source: "cli", ...modeIn(lines) };
    addBehind(draft, null, { timestamp, type: "session_meta", payload }, "the header is missing");
    return;
  }
  const { payload } = first.value;
  const missing = meta.missingKeys.filter((key) => needed[key as keyof typeof needed] !== null);
  const lacksId = meta.id === null;
  const { misformedKeys } = meta;
  const lacksTime = typeof first.value.timestamp !== "string";
  if (missing.length + misformedKeys.length === 0 && !lacksId && !lacksTime) return;
  const more = Object.fromEntries(missing.map((key) => [key, needed[key as keyof typeof needed]]));
  const read = Object.entries(payload as Json).filter(([key]) => !misformedKeys.includes(key));
  const mode = misformedKeys.includes("history_mode") ? modeIn(lines) : {};
  const mended = { ...Object.fromEntries(read), ...(lacksId ? { id: sessionId } : {}), ...more, ...mode };
  const lost = [...(lacksId ? ["id"] : []), ...missing, ...(lacksTime ? ["the time of its line"] : [])];
  const reasons = [
    ...(lost.length === 0 ? [] : [`the header lacks ${lost.join(", ")}`]),
    ...(misformedKeys.length === 0 ? [] : [`Codex does not read ${misformedKeys.join(", ")} of the header`]),
  ];
  change(first, { timestamp, ...rest, payload: mended }, reasons.join("; "));
}

/** A file counts as paginated if more than half of its lines have an ordinal. */
function modeIn(lines: readonly RecordLine[]): Json {
  const numbered = lines.filter(({ value }) => typeof value.ordinal === "number");
  return numbered.length * 2 > lines.length ? { history_mode: "paginated" } : {};
}

/** Codex shows no line before a header, and a header with another id belongs to the thread that was forked. */
function moveHeader(
  draft: RepairDraft,
  lines: readonly RecordLine[],
  sessionId: string,
): RecordLine | undefined {
  const [first] = lines;
  const isOwn = ({ value }: RecordLine): boolean => parseSessionMeta(value)?.id === sessionId;
  const own = first === undefined || isOwn(first) ? undefined : lines.find(isOwn);
  return own === undefined ? first : moveBehind(draft, null, own, "the header is not the first record");
}

function folderIn(lines: readonly RecordLine[]): string | null {
  for (const { value } of lines) {
    const record = parseRecord(value);
    const cwd = record?.type === "turn_context" ? toText(record.payload.cwd) : null;
    if (cwd !== null) return cwd;
  }
  return null;
}

function mendTimes(draft: RepairDraft): void {
  let last: unknown = null;
  for (const line of remainingLines(draft)) {
    if (typeof line.value.timestamp === "string") last = line.value.timestamp;
    else if (last !== null) change(line, { ...line.value, timestamp: last }, "it has no time");
  }
}

function mendItems(draft: RepairDraft): void {
  for (const line of remainingLines(draft)) {
    if (parseRecord(line.value)?.type !== "response_item") continue;
    const { value, unread } = withoutUnreadFields(line.value);
    if (unread.length > 0) change(line, value, `Codex does not read ${unread.join(", ")}`);
    const item = parseRecord(value)?.payload ?? {};
    const flaw = flawOf(item);
    if (flaw === null) continue;
    const payload = mendItem(item);
    if (flawOf(payload) === null) change(line, { ...value, payload }, flaw);
    else remove(line, flaw);
  }
}

const OUTPUT_TYPES: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  local_shell_call: "function_call_output",
  tool_search_call: "tool_search_output",
};

const OUTPUTS: ReadonlySet<string> = new Set(Object.values(OUTPUT_TYPES));

function pairCalls(draft: RepairDraft, { makers }: RepairContext): void {
  const called = new Set<string>();
  const answered = new Set<string>();
  const items = remainingLines(draft).flatMap((line) => {
    const record = parseRecord(line.value);
    if (record?.type !== "response_item" || isUnasked(record.payload)) return [];
    return [{ line, item: record.payload, type: record.payloadType }];
  });
  for (const { item, type } of items) {
    const id = callIdOf(item);
    if (id !== null) called.add(id);
    if (OUTPUTS.has(type)) answered.add(textOfValue(item.call_id));
  }
  for (const { line, item, type } of items) {
    const id = callIdOf(item);
    const isOrphan = OUTPUTS.has(type) && !called.has(textOfValue(item.call_id));
    // A search that the service ran has no id.
    if (isOrphan && (type !== "tool_search_output" || toText(item.call_id) !== null)) {
      line.droppedResults = 1;
      remove(line, `no call has the id ${textOfValue(item.call_id)}`);
    }
    const output = entryOf(OUTPUT_TYPES, type);
    if (id === null || output === undefined || answered.has(id)) continue;
    answered.add(id);
    const payload = outputFor(id, output, makers.uuid());
    const { timestamp } = line.value;
    addBehind(draft, line, { timestamp, type: "response_item", payload }, `the call ${id} has no output`);
  }
}

function outputFor(callId: string, type: string, uuid: string): Json {
  const isSearch = type === "tool_search_output";
  return isSearch
    ? { type, id: `tso_${uuid}`, call_id: callId, status: "completed", execution: "client", tools: [] }
    : { type, id: `fco_${uuid}`, call_id: callId, output: "aborted" };
}

/**
 * Removes headers after other lines. The header of the thread that started this one directly follows the first header,
 * and stays.
 */
function dropHeaders(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const isHeader = ({ value }: RecordLine): boolean => parseRecord(value)?.type === "session_meta";
  const begin = lines.findIndex((line) => !isHeader(line));
  for (const line of begin === -1 ? [] : lines.slice(begin)) {
    if (isHeader(line)) remove(line, "it is a second header: Codex sends nothing of what stands before it");
  }
}

/** Ordinals grow from line to line; gaps are allowed. */
function number(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const base = parseSessionMeta(lines[0]?.value)?.base?.endOrdinal ?? null;
  let last = base === null ? -1 : base - 1;
  for (const line of lines) {
    const { ordinal, timestamp, ...rest } = line.value;
    if (typeof ordinal === "number" && ordinal > last) {
      last = ordinal;
      continue;
    }
    last += 1;
    const reason =
      typeof ordinal === "number" ? "its ordinal is not above the one before" : "it has no ordinal";
    const isNew = line.origin === null;
    change(line, { timestamp, ordinal: last, ...rest }, isNew ? (line.reasons[0] ?? reason) : reason);
  }
}
