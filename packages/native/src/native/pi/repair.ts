/**
 * Repairs a session of pi: the header and the messages of every version; in versions 2 and 3 also the links between
 * entries, and calls without results (rules of 1.5.2).
 */

import { isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBehind,
  change,
  createLinks,
  type Links,
  moveBehind,
  type NativeRepairer,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
} from "../repairing/index.ts";
import { cwdOfFolder } from "./cwd-of-folder.ts";
import { mendMessage } from "./mend-message.ts";
import { NO_RESULT } from "./model-view.ts";
import { blocksOf, callIdsOf, flawOf, isBrokenOff, messageOf, roleOf } from "./records.ts";

const VERSION = 3;

export const piRepairer: NativeRepairer = {
  agent: "pi",
  findCwd: cwdOfFolder,
  mend(draft, context) {
    const header = mendHeader(draft, context);
    const isFlat =
      header === null ? !hasIds(draft) : header.value.version === undefined || header.value.version === 1;
    const links = createLinks(draft, {
      id: "id",
      parent: "parentId",
      isLinked: (record) => record.type !== "session",
      kindOf: () => "entry",
      hintOf: () => null,
      newId: () => context.makers.hex(8),
    });
    nameCalls(draft);
    for (const line of remainingLines(draft)) {
      mendLine(line);
      const flaw = line.value.type === "session" ? null : flawOf(line.value);
      if (flaw !== null) links.drop(line, flaw);
    }
    // The entries of version 1 have no links: pi gives them some when it opens the file.
    if (isFlat) return;
    links.complete();
    dropLostResults(draft, links);
    links.relink();
    if (dropStrayResults(draft, links)) links.relink();
    closeCalls(draft, links, context);
  },
};

function mendLine(line: RecordLine): void {
  const message = line.value.type === "message" ? messageOf(line.value) : null;
  const mended = message === null ? null : mendMessage(message);
  if (mended === null || mended.reasons.length === 0) return;
  change(line, { ...line.value, message: mended.message }, mended.reasons.join("; "));
}

/** pi refuses a file that does not begin with a header; it uses the first of several headers. */
function mendHeader(draft: RepairDraft, context: RepairContext): RecordLine | null {
  const lines = remainingLines(draft);
  const headers = lines.filter(({ value }) => value.type === "session");
  const own = headers.find(({ value }) => value.id === context.sessionId) ?? headers[0];
  if (own === undefined) return addHeader(draft, context);
  const isFirst = own === lines[0];
  const header = isFirst ? own : moveBehind(draft, null, own, "the header is not the first record");
  const { cwdOfPlace = null } = context;
  if (cwdOfPlace !== null && header.value.cwd !== cwdOfPlace) {
    const reason = "its folder is not there, and the file lies in that of another one";
    change(header, { ...header.value, cwd: cwdOfPlace }, reason);
  }
  if (typeof header.value.id === "string" && header.value.id !== "") return header;
  change(header, { ...header.value, id: context.sessionId }, "the header has no id");
  return header;
}

function addHeader(draft: RepairDraft, { sessionId, cwd }: RepairContext): RecordLine | null {
  const [first] = remainingLines(draft);
  if (first === undefined || cwd === null) return null;
  const timestamp = first.value.timestamp ?? new Date(0).toISOString();
  const version = hasIds(draft) ? { version: VERSION } : {};
  const header = { type: "session", ...version, id: sessionId, timestamp, cwd };
  return addBehind(draft, null, header, "the header is missing");
}

/** The entries of version 1 have none. */
function hasIds(draft: RepairDraft): boolean {
  return remainingLines(draft).some(({ value }) => value.type !== "session" && typeof value.id === "string");
}

/** pi never sends an incomplete answer or its calls to a model. */
function callsOf(record: Json): readonly string[] {
  const message = messageOf(record);
  if (message === null || message.role !== "assistant" || isBrokenOff(message)) return [];
  return callIdsOf(message);
}

function resultOf(record: Json): string | null {
  const id = roleOf(record) === "toolResult" ? messageOf(record)?.toolCallId : null;
  return typeof id === "string" ? id : null;
}

/** If one call of an answer has no id, and one result of the same tool has no call, the two belong together. */
function nameCalls(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const called = new Set(lines.flatMap(({ value }) => callIdsOf(messageOf(value) ?? {})));
  for (const [at, line] of lines.entries()) {
    const message = roleOf(line.value) === "assistant" ? messageOf(line.value) : null;
    if (message === null) continue;
    const blocks = blocksOf(message.content);
    const nameless = blocks.filter(isJson).filter(isNamelessCall);
    if (nameless.length !== 1) continue;
    const lost = resultsBehind(lines, at).filter((result) => !called.has(textOfValue(result.toolCallId)));
    const [call] = nameless;
    const [result] = lost;
    if (lost.length !== 1 || call?.name !== result?.toolName) continue;
    const id = textOfValue(result?.toolCallId);
    const content = blocks.map((block) => (block === call ? { ...call, id } : block));
    change(line, { ...line.value, message: { ...message, content } }, "a call has lost its id");
  }
}

function isNamelessCall({ type, id }: Json): boolean {
  return type === "toolCall" && typeof id !== "string";
}

/** The results that follow an entry, up to the next message of another kind. */
function resultsBehind(lines: readonly RecordLine[], at: number): readonly Json[] {
  const results: Json[] = [];
  for (let next = at + 1; next < lines.length; next++) {
    const message = messageOf(lines[next]?.value ?? {});
    if (message === null) continue;
    if (message.role !== "toolResult") break;
    if (typeof message.toolCallId === "string") results.push(message);
  }
  return results;
}

function dropLostResults(draft: RepairDraft, links: Links): void {
  const called = new Set<string>();
  for (const { value } of remainingLines(draft)) {
    const message = messageOf(value);
    if (message?.role === "assistant") for (const id of callIdsOf(message)) called.add(id);
  }
  for (const line of remainingLines(draft)) {
    const id = resultOf(line.value);
    if (id === null || called.has(id)) continue;
    line.droppedResults = 1;
    links.drop(line, `no call has the id ${id}`);
  }
}

/** pi sends a result on a branch without its call as it is, and the model's vendor refuses the whole request. */
function dropStrayResults(draft: RepairDraft, links: Links): boolean {
  const strays = strayResults(remainingLines(draft));
  for (const line of strays) {
    line.droppedResults = 1;
    links.drop(line, `no entry before it on its branch has the call ${resultOf(line.value)}`);
  }
  return strays.length > 0;
}

/** Walks down every tree, with the number of entries above that have each call. */
function strayResults(lines: readonly RecordLine[]): readonly RecordLine[] {
  const entries = lines.filter(({ value }) => value.type !== "session");
  const ids = new Set(entries.map(({ value }) => value.id));
  const below = Map.groupBy(entries, ({ value }) => (ids.has(value.parentId) ? value.parentId : null));
  const above = new Map<string, number>();
  const count = ({ value }: RecordLine, by: 1 | -1): void => {
    const message = messageOf(value);
    if (message?.role !== "assistant") return;
    for (const id of callIdsOf(message)) above.set(id, (above.get(id) ?? 0) + by);
  };
  const strays: RecordLine[] = [];
  const steps = (below.get(null) ?? []).map((line) => ({ line, isLeft: false }));
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { line, isLeft } = step;
    count(line, isLeft ? -1 : 1);
    if (isLeft) continue;
    const id = resultOf(line.value);
    if (id !== null && !above.get(id)) strays.push(line);
    steps.push({ line, isLeft: true });
    for (const each of below.get(line.value.id) ?? []) steps.push({ line: each, isLeft: false });
  }
  return strays;
}

function closeCalls(draft: RepairDraft, links: Links, { makers }: RepairContext): void {
  const lines = remainingLines(draft);
  const resultLines = Map.groupBy(lines, ({ value }) => resultOf(value));
  for (const answer of lines) {
    const calls = callsOf(answer.value);
    const open = calls.filter((id) => !resultLines.has(id));
    if (open.length === 0) continue;
    const results = new Set(calls.flatMap((id) => resultLines.get(id) ?? []));
    const tip = results.size === 0 ? answer : [...results].reduce((a, b) => (a.line > b.line ? a : b));
    const followers = links.followers([tip]).filter((line) => !results.has(line));
    let last = tip;
    for (const id of open) {
      const record = resultFor(id, answer.value, { id: makers.hex(8), parentId: textOfValue(last.value.id) });
      last = addBehind(draft, last, record, `the call ${id} has no result`);
    }
    for (const line of followers) {
      change(line, { ...line.value, parentId: last.value.id }, "the result before it is new");
    }
  }
}

function resultFor(
  callId: string,
  answer: Json,
  link: { readonly id: string; readonly parentId: string },
): Json {
  const message = messageOf(answer) ?? {};
  const call = blocksOf(message.content).find((block) => (block as Json).id === callId) as Json | undefined;
  const { timestamp } = answer;
  return {
    type: "message",
    ...link,
    ...(timestamp === undefined ? {} : { timestamp }),
    message: {
      role: "toolResult",
      toolCallId: callId,
      toolName: textOfValue(call?.name ?? ""),
      content: [{ type: "text", text: NO_RESULT }],
      isError: true,
      ...(message.timestamp === undefined ? {} : { timestamp: message.timestamp }),
    },
  };
}
