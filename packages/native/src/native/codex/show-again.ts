/** The smallest change after which Codex's own list shows a thread. Nothing is written here. */

import { basename, join } from "node:path";
import { ContinuoError, shorten } from "@continuo/core/model";
import { isJson, type Places } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
import type { HiddenSession, IndexChange, VisibilityFix } from "../kit/index.ts";
import {
  bytesOf,
  change,
  draftOf,
  editsOf,
  moveBehind,
  type RecordLine,
  type RepairDraft,
  readToMend,
  refuseTakenPlace,
  remainingLines,
} from "../repairing/index.ts";
import { makersOfNow } from "../writing/index.ts";
import { CODEX_CAUSES, type CodexCause } from "./hidden-causes.ts";
import { indexRowsIn } from "./index-rows.ts";
import { isListedName, rulesOf } from "./list-rules.ts";
import { promptOf } from "./own-list.ts";
import { codexHome, parseRolloutName } from "./places.ts";
import { parseRecord, parseSessionMeta, withOrdinal } from "./records.ts";
import { codexRepairer } from "./repair.ts";
import { textParts } from "./text-authors.ts";

/** The largest number of edits that a plan names one by one. */
const NAMED_EDITS = 8;

/**
 * `null` for a cause that only Codex or a person can remove. Errors: `unreadable`, `unsupported`, `too_large`,
 * `conflict`.
 */
export async function mendHidden(
  { found, cause }: HiddenSession,
  places: Places,
): Promise<VisibilityFix | null> {
  if (CODEX_CAUSES[cause as CodexCause].by !== "continuo") return null;
  const from = found.location;
  const original = readToMend(from);
  const isMoved = cause === "wrong_folder" || cause === "file_name";
  if (isMoved) {
    const to = listedPlace(from, original, places);
    if (to === null || to === from) return null;
    refuseTakenPlace(from, to);
    const index = indexOf(found.sessionId, places, { rollout_path: to });
    return { of: "file", steps: [`move the file to ${to}`], from, to, bytes: original, beside: [], index };
  }
  if (isCompressed(from)) {
    throw new ContinuoError("unsupported", `cannot change ${from}: it is compressed`, {
      hint: "Resume the session in Codex, which unpacks the file.",
    });
  }
  const draft = draftOf(original);
  apply(cause as CodexCause, draft, { sessionId: found.sessionId, places });
  const steps = stepsOf(draft);
  if (steps.length === 0) return null;
  const payload = headerOf(draft)?.value.payload;
  const { model_provider, source } = isJson(payload) ? payload : {};
  const set = Object.fromEntries(
    Object.entries({ model_provider, source }).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
  const index = indexOf(found.sessionId, places, set);
  return { of: "file", steps, from, to: from, bytes: bytesOf(draft), beside: [], index };
}

/** The row of `state_N.sqlite`, with which Codex finds the file when it resumes the thread. */
function indexOf(threadId: string, places: Places, set: IndexChange["set"]): IndexChange {
  const tables = [{ name: "threads", column: "id", values: [threadId] }];
  const databases = indexRowsIn(codexHome(places), new Set([threadId])).map(({ database }) => database);
  const states = databases.filter((path) => basename(path).startsWith("state_"));
  return { rows: states.map((database) => ({ database, tables })), set };
}

interface Context {
  readonly sessionId: string;
  readonly places: Places;
}

function apply(cause: CodexCause, draft: RepairDraft, { sessionId, places }: Context): void {
  if (cause === "other_provider") setHeader(draft, "model_provider", rulesOf(places).provider);
  else if (cause === "exec_session" || cause === "other_source") setHeader(draft, "source", "cli");
  else if (cause === "late_prompt") movePrompt(draft);
  else if (cause === "empty_prompt") fillPrompt(draft);
  else codexRepairer.mend(draft, { sessionId, cwd: places.home, makers: makersOfNow() });
}

function setHeader(draft: RepairDraft, key: string, text: string): void {
  const header = headerOf(draft);
  if (header === undefined || !isJson(header.value.payload)) return;
  const before = header.value.payload[key];
  const payload = { ...header.value.payload, [key]: text };
  change(
    header,
    { ...header.value, payload },
    `${key} is ${JSON.stringify(text)} instead of ${JSON.stringify(before)}`,
  );
}

function headerOf(draft: RepairDraft): RecordLine | undefined {
  return remainingLines(draft).find(({ value }) => parseSessionMeta(value) !== null);
}

function movePrompt(draft: RepairDraft): void {
  const header = headerOf(draft);
  const prompt = remainingLines(draft).find((line) => promptIn(line) === "shown");
  if (header === undefined || prompt === undefined) return;
  moveBehind(draft, header, prompt, "the list looks for a prompt only among the first lines");
  if (parseSessionMeta(header.value)?.paginated !== true) return;
  const lines = remainingLines(draft).filter(({ value }) => typeof value.ordinal === "number");
  const ordinals = lines.map(({ value }) => Number(value.ordinal)).sort((a, b) => a - b);
  for (const [at, line] of lines.entries()) {
    const ordinal = ordinals[at];
    if (ordinal === undefined || line.value.ordinal === ordinal) continue;
    change(line, withOrdinal(line.value, ordinal), "the lines keep the order of their numbers");
  }
}

function promptIn({ value }: RecordLine): ReturnType<typeof promptOf> {
  const record = parseRecord(value);
  return record?.type === "event_msg" ? promptOf(record.payload) : "none";
}

const MAX_PROMPT_CHARS = 120;

/** Fills an empty prompt of the interface with `[no prompt]` and the beginning of the model's first text. */
function fillPrompt(draft: RepairDraft): void {
  const lines = remainingLines(draft);
  const prompt = lines.find((line) => promptIn(line) === "empty");
  const answer = lines.flatMap(wordsOf).find((text) => text.trim() !== "");
  if (prompt === undefined || !isJson(prompt.value.payload)) return;
  const text = `[no prompt] ${shorten(answer ?? "", MAX_PROMPT_CHARS)}`.trim();
  const { payload } = prompt.value;
  const item = isJson(payload.item)
    ? { ...payload.item, content: [{ type: "text", text, text_elements: [] }] }
    : null;
  const shown = item === null ? { ...payload, message: text } : { ...payload, item };
  change(prompt, { ...prompt.value, payload: shown }, `the prompt is shown as ${JSON.stringify(text)}`);
}

function wordsOf({ value }: RecordLine): readonly string[] {
  const record = parseRecord(value);
  if (record?.type === "event_msg" && record.payload.type === "agent_message")
    return texts([record.payload.message]);
  const isAnswer = record?.type === "response_item" && record.payload.role === "assistant";
  return isAnswer ? textParts(record.payload.content) : [];
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}

function stepsOf(draft: RepairDraft): readonly string[] {
  const edits = editsOf(draft);
  const reasons = new Map<string, number>();
  for (const { type, reason } of edits) {
    const step = `${VERBS[type]}: ${reason}`;
    reasons.set(step, (reasons.get(step) ?? 0) + 1);
  }
  const steps = [...reasons].map(([step, count]) => (count === 1 ? step : `${step} (${count} lines)`));
  const left = steps.length - NAMED_EDITS;
  return left <= 0 ? steps : [...steps.slice(0, NAMED_EDITS), `and ${left} more kinds of edits`];
}

const VERBS = { removed: "take a line out", added: "add a line", changed: "change a line" } as const;

/** The path that the list reads; `null` if neither the name nor the header contains the time when the session began. */
function listedPlace(path: string, bytes: Buffer, places: Places): string | null {
  const name = basename(path);
  const ending = isCompressed(path) ? ".jsonl.zst" : ".jsonl";
  const header = isCompressed(path) ? undefined : headerOf(draftOf(bytes));
  const meta = header === undefined ? null : parseSessionMeta(header.value);
  const [timed] = /\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}/u.exec(name) ?? [];
  const time = timed ?? meta?.createdAt?.slice(0, 19).replaceAll(":", "-");
  const id = meta?.id ?? parseRolloutName(path).threadId;
  if (time === undefined || id === null) return null;
  const listed = isListedName(name) ? name : `rollout-${time}-${id}${ending}`;
  return join(codexHome(places), "sessions", ...time.slice(0, 10).split("-"), listed);
}
