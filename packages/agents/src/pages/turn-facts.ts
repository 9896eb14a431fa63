/** The facts of one turn, folded message by message: its line in the outline, its marks, files and changes. Pure. */

import { createHash } from "node:crypto";
import {
  type Block,
  type Message,
  type ToolCallBlock,
  type ToolResultBlock,
  typedIn,
} from "@continuo/core/model";
import {
  changesOf,
  contentOfBlock,
  type DiffLine,
  messageKind,
  visibleLine,
} from "@continuo/core/transcript";
import { turnTitle } from "@continuo/core/transcript/html";
import {
  commitsOf,
  createTurnWork,
  foldWork,
  type TurnWork,
  type WorkBudget,
} from "@continuo/core/transcript/work";
import type { OutlineMark, OutlineTurn, TurnPrint } from "@continuo/core/wire/machine";
import { costOf, filesOfCall, type Prices, tokensOf } from "../catalog/index.ts";
import { HISTORY_LIMITS } from "./limits.ts";

export interface TurnFacts {
  readonly id: string;
  readonly index: number;
  title: string | null;
  at: string | null;
  endedAt: string | null;
  messages: number;
  toolCalls: number;
  errors: number;
  tokens: number;
  costUsd: number | null;
  readonly models: Set<string>;
  readonly marks: Mark[];
  /** The keys are paths. A value has the number of calls that name the file, and the places of calls that change it. */
  readonly files: Map<string, { calls: number; readonly changes: Change[] }>;
  /** Calls without a result so far. */
  readonly open: Map<string, OpenCall>;
  readonly work: TurnWork;
  print: TurnPrint;
}

export type Mark = Omit<OutlineMark, "turn">;

/** A change without its lines, which are computed again on request. */
export interface Change {
  readonly index: number;
  readonly messageId: string;
  readonly callId: string;
  readonly at: string | null;
  readonly tool: string;
  readonly added: number;
  readonly removed: number;
  status: "done" | "failed" | "unknown";
}

interface OpenCall {
  readonly block: ToolCallBlock;
  readonly changes: readonly Change[];
}

/** @param before the turn before this one */
export function createTurnFacts(message: Message, index: number, before: TurnFacts | undefined): TurnFacts {
  return {
    id: message.id,
    index,
    title: null,
    at: message.timestamp ?? null,
    endedAt: null,
    messages: 0,
    toolCalls: 0,
    errors: 0,
    tokens: 0,
    costUsd: null,
    models: new Set(),
    marks: [],
    files: new Map(),
    open: new Map(),
    work: createTurnWork(before?.work ?? null),
    print: { asked: "", all: "" },
  };
}

export interface FoldOptions {
  readonly index: number;
  readonly prices: Prices;
  readonly budget: WorkBudget;
}

export function foldTurn(turn: TurnFacts, message: Message, { index, prices, budget }: FoldOptions): void {
  foldWork(turn.work, message, budget);
  const kind = messageKind(message);
  if (turn.work.asked?.messageId === message.id) {
    turn.title = turnTitle(message);
    turn.at = message.timestamp ?? turn.at;
  }
  turn.print = longerPrint(turn.print, message);
  turn.messages += 1;
  turn.endedAt = message.timestamp ?? turn.endedAt;
  if (message.model !== undefined) turn.models.add(message.model);
  if (message.usage !== undefined) turn.tokens += tokensOf(message.usage);
  const cost = costOfMessage(message, prices);
  if (cost !== null) turn.costUsd = (turn.costUsd ?? 0) + cost;
  const place = { messageId: message.id, index, at: message.timestamp ?? null };
  if (kind === "summary") mark(turn, { type: "compaction", ...place, text: "" });
  if (kind === "error") {
    turn.errors += 1;
    mark(turn, { type: "error", ...place, text: firstLine(message.content) });
  }
  for (const block of message.content) {
    if (block.type === "tool_call") foldCall(turn, block, place);
    else if (block.type === "tool_result") foldResult(turn, block, place);
  }
}

/** The tokens and the known cost of these turns. */
export function spentIn(turns: readonly Pick<TurnFacts, "tokens" | "costUsd">[]): {
  readonly tokens: number;
  readonly costUsd: number | null;
} {
  const costs = turns.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    tokens: turns.reduce((sum, turn) => sum + turn.tokens, 0),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** Each print is the hash of the print before it and a message, so a turn that grows needs only its new messages. */
function longerPrint({ asked, all }: TurnPrint, message: Message): TurnPrint {
  const kind = messageKind(message);
  const content = JSON.stringify([kind, message.content.map(contentOfBlock)]);
  const next = createHash("sha256").update(`${all}\n${content}`).digest("base64url").slice(0, PRINT_CHARS);
  return { asked: kind === "person" ? next : asked, all: next };
}

const PRINT_CHARS = 22;

export function costOfMessage({ model, usage }: Message, prices: Prices): number | null {
  return usage === undefined ? null : costOf([{ model: model ?? null, usage }], prices).usd;
}

type CallPlace = Pick<Mark, "messageId" | "index" | "at">;

function foldCall(turn: TurnFacts, block: ToolCallBlock, place: CallPlace): void {
  turn.toolCalls += 1;
  const changes: Change[] = [];
  for (const { path, lines } of changesOfCall(block)) {
    const change: Change = {
      ...place,
      callId: block.id,
      tool: visibleLine(block.name.slice(0, 200)),
      added: lines.filter(({ sign }) => sign === "+").length,
      removed: lines.filter(({ sign }) => sign === "-").length,
      status: "unknown",
    };
    changes.push(change);
    fileOf(turn, path)?.changes.push(change);
  }
  for (const path of new Set(filesOfCall(block.args))) {
    const file = fileOf(turn, visibleLine(path));
    if (file !== null) file.calls += 1;
  }
  if (turn.open.size < HISTORY_LIMITS.openCalls) turn.open.set(block.id, { block, changes });
}

function foldResult(turn: TurnFacts, block: ToolResultBlock, place: CallPlace): void {
  const call = turn.open.get(block.toolCallId);
  turn.open.delete(block.toolCallId);
  for (const change of call?.changes ?? []) change.status = block.isError ? "failed" : "done";
  if (block.isError) {
    turn.errors += 1;
    mark(turn, { type: "error", ...place, text: firstLine(block.content) });
  } else if (call !== undefined) {
    for (const { hash, subject } of commitsOf(call.block, block)) {
      const text = visibleLine(`${hash?.slice(0, 12) ?? ""} ${subject.slice(0, HISTORY_LIMITS.markChars)}`);
      mark(turn, { type: "commit", ...place, text: text.trim() });
    }
  }
}

/** The changes that a call makes in files that it names. */
export function changesOfCall(
  block: ToolCallBlock,
): readonly { readonly path: string; readonly lines: readonly DiffLine[] }[] {
  const isRaw = block.rawArgs !== undefined && Object.keys(block.args).length === 0;
  return changesOf(isRaw ? block.rawArgs : block.args).flatMap(({ path, lines }) =>
    path === null || path === "" || lines.length === 0 ? [] : [{ path, lines }],
  );
}

function firstLine(content: readonly Block[]): string {
  for (const block of content) {
    const text = block.type === "text" ? typedIn(block).slice(0, 2_000).trim() : "";
    if (text !== "") return visibleLine((text.split("\n", 1)[0] ?? "").slice(0, HISTORY_LIMITS.markChars));
  }
  return "";
}

function mark(turn: TurnFacts, one: Mark): void {
  if (turn.marks.length < HISTORY_LIMITS.turnMarks) turn.marks.push(one);
}

function fileOf(turn: TurnFacts, path: string): { calls: number; readonly changes: Change[] } | null {
  let file = turn.files.get(path);
  if (file === undefined && turn.files.size < HISTORY_LIMITS.turnFiles) {
    file = { calls: 0, changes: [] };
    turn.files.set(path, file);
  }
  return file ?? null;
}

/** @param prints `include`: with the turn's print */
export function toOutlineTurn(turn: TurnFacts, number: number, prints?: "include"): OutlineTurn {
  const { id, index, title, at, endedAt, messages, toolCalls, errors, tokens, costUsd, models } = turn;
  const counts = { messages, toolCalls, errors, tokens, costUsd };
  const line = { number, id, index, title, at, endedAt, ...counts, models: [...models].slice(0, 10) };
  return prints === undefined ? line : { ...line, print: turn.print };
}
