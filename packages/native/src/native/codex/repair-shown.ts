/**
 * Adds the events for Codex's interface to a file that holds only the model's records: a session without an event for
 * the person's message is in no list (0.169.0). A turn that already shows a text of a speaker does not change.
 */

import { isJson, type Json, textOfValue } from "@continuo/files";
import {
  addBefore,
  addBehind,
  type RecordLine,
  type RepairContext,
  type RepairDraft,
  remainingLines,
} from "../repairing/index.ts";
import { type Speaker, speakerOf } from "./interface-messages.ts";
import { parseRecord, toText } from "./records.ts";
import { isTyped, textParts, typedText } from "./text-authors.ts";

export interface CodexRepairContext extends RepairContext {
  readonly mode: "legacy" | "paginated";
}

interface TurnLines {
  /** `null` for a turn that has no mark of its beginning. */
  turnId: string | null;
  readonly lines: RecordLine[];
}

export function showTurns(draft: RepairDraft, showing: CodexRepairContext): void {
  for (const turn of turnsIn(draft)) {
    const shown = new Set(turn.lines.map(({ value }) => shownBy(value)));
    const silent = turn.lines.filter(({ value }) => {
      const said = saidIn(value);
      return said !== null && !shown.has(said.speaker);
    });
    if (silent.length === 0) continue;
    if (turn.turnId === null && !shown.has("user")) markTurn(draft, turn, showing);
    const turnId = turn.turnId ?? showing.makers.uuid();
    for (const line of silent) show(draft, line, { ...showing, turnId });
  }
}

/** A turn without a mark begins with the person's message. */
function turnsIn(draft: RepairDraft): TurnLines[] {
  const turns: TurnLines[] = [];
  let turn: TurnLines | null = null;
  for (const line of remainingLines(draft)) {
    const record = parseRecord(line.value);
    const kind = record?.type === "event_msg" ? record.payloadType : "";
    const said = saidIn(line.value);
    if (kind === "task_started") turn = open(turns, toText(record?.payload.turn_id) ?? "");
    else if (said?.speaker === "user" && (turn === null || (turn.turnId === null && holdsPrompt(turn)))) {
      turn = open(turns, null);
    }
    turn?.lines.push(line);
    if (kind === "task_complete" || kind === "turn_aborted") turn = null;
  }
  return turns;
}

function open(turns: TurnLines[], turnId: string | null): TurnLines {
  const turn: TurnLines = { turnId, lines: [] };
  turns.push(turn);
  return turn;
}

function holdsPrompt({ lines }: TurnLines): boolean {
  return lines.some(({ value }) => saidIn(value)?.speaker === "user");
}

function shownBy(value: Json): Speaker | null {
  const record = parseRecord(value);
  return record?.type === "event_msg" ? speakerOf(record.payload) : null;
}

interface SpokenText {
  readonly speaker: Speaker;
  readonly text: string;
  readonly item: Json;
}

/** `null` for a record without a text to show. */
function saidIn(value: Json): SpokenText | null {
  const record = parseRecord(value);
  if (record?.type !== "response_item") return null;
  const { payload: item, payloadType } = record;
  const said = (speaker: Speaker, text: string): SpokenText | null =>
    text === "" ? null : { speaker, text, item };
  if (payloadType === "reasoning") return said("thinking", textParts(item.summary).join("\n\n"));
  if (payloadType !== "message") return null;
  if (item.role === "assistant") return said("agent", textParts(item.content).join("\n\n"));
  return isTyped(item) ? said("user", typedText("response_item", item) ?? "") : null;
}

const SHOWN = "the interface was not told of it";

interface ShowingTurn extends CodexRepairContext {
  readonly turnId: string;
}

/** The event of a prompt comes after its item, all other events before theirs. */
function show(draft: RepairDraft, line: RecordLine, showing: ShowingTurn): void {
  const said = saidIn(line.value);
  if (said === null) return;
  const payload = showing.mode === "legacy" ? legacyEvent(said) : completedItem(said, line, showing);
  const { timestamp } = line.value;
  const event = { timestamp, type: "event_msg", payload };
  const reason = `${SHOWN}: line ${line.line}`;
  if (said.speaker === "user") addBehind(draft, line, event, reason);
  else addBefore(line, event, reason);
}

function legacyEvent({ speaker, text, item }: SpokenText): Json {
  if (speaker === "thinking") return { type: "agent_reasoning", text };
  if (speaker === "agent")
    return { type: "agent_message", message: text, phase: null, memory_citation: null };
  const parts: readonly unknown[] = Array.isArray(item.content) ? item.content : [];
  const images = parts.flatMap((part) => (isJson(part) ? (toText(part.image_url) ?? []) : []));
  return { type: "user_message", message: text, images, local_images: [], text_elements: [] };
}

function completedItem(
  { speaker, text, item }: SpokenText,
  { value }: RecordLine,
  showing: ShowingTurn,
): Json {
  const { sessionId, turnId, makers } = showing;
  const id = toText(item.id) ?? makers.uuid();
  const shown =
    speaker === "thinking"
      ? { type: "Reasoning", id, summary_text: textParts(item.summary), raw_content: [] }
      : speaker === "agent"
        ? { type: "AgentMessage", id, content: [{ type: "Text", text }] }
        : { type: "UserMessage", id: makers.uuid(), content: [{ type: "text", text, text_elements: [] }] };
  const ms = Date.parse(textOfValue(value.timestamp));
  const times = { started_at_ms: ms, completed_at_ms: ms };
  return { type: "item_completed", thread_id: sessionId, turn_id: turnId, item: shown, ...times };
}

/** Without marks, a fork by Codex reports that the turn was aborted. */
function markTurn(draft: RepairDraft, turn: TurnLines, { makers }: CodexRepairContext): void {
  const [first] = turn.lines;
  const last = turn.lines.at(-1);
  if (first === undefined || last === undefined) return;
  const turnId = makers.uuid();
  turn.turnId = turnId;
  const mark = (line: RecordLine, payload: Json): Json => {
    return { timestamp: line.value.timestamp, type: "event_msg", payload };
  };
  const at = (line: RecordLine): number => Math.floor(Date.parse(textOfValue(line.value.timestamp)) / 1000);
  const started = {
    type: "task_started",
    turn_id: turnId,
    started_at: at(first),
    model_context_window: null,
  };
  addBefore(first, mark(first, started), "the turn has no beginning");
  const message = turn.lines.map(({ value }) => saidIn(value)).findLast((said) => said?.speaker === "agent");
  const ended = { type: "task_complete", turn_id: turnId, last_agent_message: message?.text ?? null };
  addBehind(draft, last, mark(last, { ...ended, completed_at: at(last) }), "the turn has no end");
}
