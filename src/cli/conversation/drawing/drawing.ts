/**
 * Folds the events of a turn into lines. A complete part is drawn only once. An incomplete part (an unfinished
 * paragraph, a running call) is in `liveLines`, which the terminal can redraw at any time.
 */

import { type AgentEvent, type AgentEventType, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { cutEnd, wrap } from "../../terminal/index.ts";
import { type Call, drawCallLine, drawChanges, drawResult, type Pen } from "./calls.ts";
import { DRAWING_LIMITS } from "./limits.ts";
import { drawPlan } from "./plan.ts";
import { drawPending, type StreamedText, takeWhole } from "./streamed-text.ts";

export interface DrawingOptions extends Pen {
  /** The author of the text. */
  readonly agent: string;
  /**
   * `live`: a call is drawn with its result, and shown as running until then; `lines`: it is drawn as soon as it is
   * known.
   */
  readonly mode: "live" | "lines";
}

interface OpenCall extends Call {
  /** The drawn part of the call: only its line, or its changes too. */
  readonly drawn: "nothing" | "line" | "changes";
}

type Kind = "nothing" | "heading" | "text" | "thinking" | "tool" | "note";

export interface Drawing {
  readonly saying: StreamedText | null;
  /**
   * The kind of the last drawn part: calls and their results are drawn together, other parts with an empty line between
   * them.
   */
  readonly above: Kind;
  readonly calls: readonly OpenCall[];
  /** The call that is directly above. */
  readonly lastCallId: string | null;
  /** Questions that wait for an answer. */
  readonly asked: readonly OpenQuestion[];
  /** Calls whose denial is drawn: their results do not repeat it. */
  readonly denied: readonly string[];
  /** Messages that arrived in parts: the complete message adds nothing. */
  readonly heard: readonly string[];
  readonly plan: string;
  readonly mode: string | null;
}

interface OpenQuestion {
  readonly approvalId: string;
  readonly toolCallId: string;
}

export interface DrawingUpdate {
  readonly drawing: Drawing;
  readonly lines: readonly string[];
}

/** The state of the drawing of one turn. */
export function beginDrawing(): Drawing {
  return {
    saying: null,
    above: "nothing",
    calls: [],
    lastCallId: null,
    asked: [],
    denied: [],
    heard: [],
    plan: "",
    mode: null,
  };
}

export function foldEvent(drawing: Drawing, event: AgentEvent, options: DrawingOptions): DrawingUpdate {
  const sheet: Sheet = { ...drawing, lines: [], options: indented(options) };
  // An agent in plain JavaScript may send events that are not known here.
  const row = ROWS[event.type] as ((sheet: Sheet, event: AgentEvent) => void) | undefined;
  row?.(sheet, event);
  return toStep(sheet);
}

/** However the turn ended, the incomplete part is drawn as it is. */
export function endDrawing(drawing: Drawing, options: DrawingOptions): DrawingUpdate {
  const sheet: Sheet = { ...drawing, lines: [], options: indented(options) };
  finishSaying(sheet);
  for (const call of sheet.calls) if (call.drawn === "nothing") drawCall(sheet, call, "changes");
  sheet.calls = [];
  return toStep(sheet);
}

/** Returns the newest lines of the incomplete parts, at most `rows` of them. */
export function liveLines(drawing: Drawing, options: DrawingOptions, rows: number): string[] {
  const pen = indented(options);
  const said = drawing.saying === null ? [] : drawPending(drawing.saying, pen);
  const isApart = drawing.above !== "nothing" && drawing.above !== "heading" && !drawing.saying?.isBegun;
  const calls = drawing.calls
    .filter((call) => call.drawn === "nothing")
    .map((call) => `${drawCallLine(call, pen)} …`);
  const lines = [
    ...(drawing.above === "nothing" && said.length + calls.length > 0 ? [headingOf(options)] : []),
    ...(said.length > 0 && isApart ? [""] : []),
    ...said.map(indent),
    ...(calls.length > 0 && (said.length > 0 || (isApart && drawing.above !== "tool")) ? [""] : []),
    ...calls.map(indent),
  ];
  return rows < 1 ? [] : lines.slice(-rows);
}

/** A drawing while an event is folded into it. */
interface Sheet {
  saying: StreamedText | null;
  above: Kind;
  calls: readonly OpenCall[];
  lastCallId: string | null;
  asked: readonly OpenQuestion[];
  denied: readonly string[];
  heard: readonly string[];
  plan: string;
  mode: string | null;
  readonly lines: string[];
  readonly options: DrawingOptions;
}

function toStep({ lines, options: _, ...drawing }: Sheet): DrawingUpdate {
  return { drawing, lines };
}

type Rows = {
  readonly [Type in AgentEventType]: (sheet: Sheet, event: Extract<AgentEvent, { type: Type }>) => void;
};

const ROWS: Rows = {
  text: (sheet, { delta, messageId }) => sayPart(sheet, "text", { delta, messageId }),
  thinking: (sheet, { delta, messageId }) => sayPart(sheet, "thinking", { delta, messageId }),
  message: (sheet, { content, messageId }) => {
    finishSaying(sheet);
    for (const block of content) {
      if (block.type !== "text" && block.type !== "thinking") continue;
      if (block.text === "" || sheet.heard.includes(heardAs(block.type, messageId))) continue;
      sheet.saying = { kind: block.type, pending: block.text, isBegun: false };
      finishSaying(sheet);
    }
    // Words without an id belong to the next complete message, and to none after it.
    sheet.heard = sheet.heard.filter((name) => !name.endsWith(":"));
  },
  tool_call: (sheet, { type: _, messageId: __, ...call }) => {
    finishSaying(sheet);
    if (sheet.calls.some(({ toolCallId }) => toolCallId === call.toolCallId)) updateCall(sheet, call);
    else sheet.calls = [...sheet.calls.slice(1 - DRAWING_LIMITS.openCalls), { ...call, drawn: "nothing" }];
    drawKnown(sheet, call.toolCallId);
  },
  tool_call_update: (sheet, { type: _, status: __, ...update }) => {
    updateCall(sheet, update);
    drawKnown(sheet, update.toolCallId);
  },
  tool_result: (sheet, event) => {
    finishSaying(sheet);
    const call = sheet.calls.find(({ toolCallId }) => toolCallId === event.toolCallId) ?? null;
    if (call?.drawn === "nothing") drawCall(sheet, call, "changes");
    const isBelow = sheet.lastCallId === event.toolCallId && sheet.above === "tool";
    const isSaid = event.status === "denied" && sheet.denied.includes(event.toolCallId);
    put(sheet, "tool", drawResult(event, { call, isBelow, isSaid }, sheet.options));
    sheet.denied = sheet.denied.filter((id) => id !== event.toolCallId);
    sheet.calls = sheet.calls.filter((other) => other !== call);
    sheet.lastCallId = null;
  },
  plan: (sheet, { entries }) => {
    const drawn = drawPlan(entries, sheet.options);
    const plan = drawn.join("\n");
    if (plan === sheet.plan) return;
    finishSaying(sheet);
    sheet.plan = plan;
    put(sheet, "note", drawn);
  },
  usage: () => undefined,
  title: () => undefined,
  mode: (sheet, { mode }) => {
    if (mode === undefined) return;
    if (sheet.mode !== null && mode !== sheet.mode) note(sheet, `mode: ${mode}`);
    sheet.mode = mode;
  },
  permission_request: (sheet, request) => {
    finishSaying(sheet);
    const { toolCallId, toolName, toolInput, title } = request;
    const known = sheet.calls.find((call) => toolCallId !== undefined && call.toolCallId === toolCallId);
    const asked = present({
      toolCallId: toolCallId ?? request.approvalId,
      toolName: toolName ?? title ?? "tool",
      toolInput,
      title,
    });
    const call = known === undefined ? asked : { ...known, toolInput: known.toolInput ?? toolInput };
    const { approvalId } = request;
    const asking = { approvalId, toolCallId: call.toolCallId };
    sheet.asked = [...sheet.asked.slice(1 - DRAWING_LIMITS.openCalls), asking];
    drawCall(sheet, { ...call, drawn: known?.drawn ?? "nothing" }, "asked");
  },
  permission_decision: (sheet, { approvalId, outcome, by, reason }) => {
    finishSaying(sheet);
    const asked = sheet.asked.find((one) => one.approvalId === approvalId);
    sheet.asked = sheet.asked.filter((one) => one !== asked);
    if (asked !== undefined && outcome !== "granted") {
      sheet.denied = [...sheet.denied.slice(1 - DRAWING_LIMITS.openCalls), asked.toolCallId];
    }
    const { paint, columns } = sheet.options;
    const why = by === "person" ? "" : ` · ${by}${reason === undefined ? "" : `: ${visibleLine(reason)}`}`;
    const isGranted = outcome === "granted";
    const word = isGranted ? "✓ allowed" : outcome === "denied" ? "✗ denied" : "✗ not answered";
    const text = paint(cutEnd(`${word}${why}`, columns - 2), isGranted ? "green" : "yellow");
    put(sheet, "tool", [`  ${text}`]);
  },
  native_session: () => undefined,
  diagnostics: () => undefined,
  error: (sheet, { message }) => {
    finishSaying(sheet);
    const { paint, columns } = sheet.options;
    put(sheet, "note", wrap([{ text: `✗ ${visibleLine(message)}`, styles: ["red"] }], columns, paint));
  },
  turn_completed: (sheet, { stopReason }) => {
    finishSaying(sheet);
    if (!ORDINARY_ENDS.has(stopReason)) note(sheet, `stopped: ${stopReason}`);
  },
};

/** Reasons for the end of a turn that a person does not need to see. */
const ORDINARY_ENDS: ReadonlySet<string> = new Set(["end_turn", "stop", "completed", "cancelled", "success"]);

interface TextDelta {
  readonly delta: string;
  readonly messageId: string | undefined;
}

function sayPart(sheet: Sheet, kind: StreamedText["kind"], { delta, messageId }: TextDelta): void {
  if (sheet.saying !== null && sheet.saying.kind !== kind) finishSaying(sheet);
  const name = heardAs(kind, messageId);
  if (!sheet.heard.includes(name)) {
    sheet.heard = [...sheet.heard.slice(1 - DRAWING_LIMITS.heardMessages), name];
    // Another message is another paragraph.
    finishSaying(sheet);
  }
  const saying = sheet.saying ?? { kind, pending: "", isBegun: false };
  const { lines, rest } = takeWhole({ ...saying, pending: saying.pending + delta }, sheet.options);
  if (lines.length > 0) putSaid(sheet, saying, lines);
  sheet.saying = { kind, pending: rest, isBegun: saying.isBegun || lines.length > 0 };
}

function heardAs(kind: StreamedText["kind"], messageId: string | undefined): string {
  return `${kind}:${messageId ?? ""}`;
}

function finishSaying(sheet: Sheet): void {
  const { saying } = sheet;
  if (saying === null) return;
  sheet.saying = null;
  const lines = drawPending(saying, sheet.options);
  if (lines.length > 0) putSaid(sheet, saying, lines);
}

function putSaid(sheet: Sheet, { kind, isBegun }: StreamedText, lines: readonly string[]): void {
  // Lines of one thought are drawn together; blocks of a text have an empty line between them.
  if (isBegun && kind === "thinking") sheet.above = "heading";
  put(sheet, kind, lines);
}

function updateCall(sheet: Sheet, update: Partial<Call> & { readonly toolCallId: string }): void {
  const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  sheet.calls = sheet.calls.map((call) =>
    call.toolCallId === update.toolCallId ? { ...call, ...given } : call,
  );
}

/** If nothing can be redrawn, a call is drawn once its input is known. */
function drawKnown(sheet: Sheet, toolCallId: string): void {
  const call = sheet.calls.find((one) => one.toolCallId === toolCallId);
  if (sheet.options.mode === "live" || call === undefined) return;
  if (call.toolInput === undefined && call.content === undefined) return;
  finishSaying(sheet);
  drawCall(sheet, call, "changes");
}

/** Draws the part of a call that was not drawn before. */
function drawCall(sheet: Sheet, call: OpenCall, size: "changes" | "asked"): void {
  const { options } = sheet;
  const maxLines = size === "asked" ? DRAWING_LIMITS.askedChangeLines : DRAWING_LIMITS.changeLines;
  const changes = call.drawn === "changes" ? [] : drawChanges(call, options, maxLines);
  if (call.drawn !== "nothing" && changes.length === 0) return;
  const isAbove = call.drawn === "line" && sheet.lastCallId === call.toolCallId;
  put(sheet, "tool", [...(isAbove ? [] : [drawCallLine(call, options)]), ...changes]);
  sheet.lastCallId = call.toolCallId;
  const drawn = changes.length > 0 ? "changes" : "line";
  sheet.calls = sheet.calls.map((one) => (one.toolCallId === call.toolCallId ? { ...one, drawn } : one));
}

function note(sheet: Sheet, text: string): void {
  put(sheet, "note", [sheet.options.paint(cutEnd(`· ${visibleLine(text)}`, sheet.options.columns), "dim")]);
}

function put(sheet: Sheet, kind: Kind, lines: readonly string[]): void {
  if (lines.length === 0) return;
  if (sheet.above === "nothing") {
    sheet.lines.push(headingOf(sheet.options));
    sheet.above = "heading";
  }
  if (sheet.above !== "heading" && !(kind === "tool" && sheet.above === "tool")) sheet.lines.push("");
  // The lines are passed one by one, because a call cannot have more than a hundred thousand arguments.
  for (const line of lines) sheet.lines.push(indent(line));
  sheet.above = kind;
  if (kind !== "tool") sheet.lastCallId = null;
}

const INDENT = "  ";

/** On a terminal that is narrower, the terminal breaks the lines. */
const MIN_COLUMNS = 12;

/** Content is indented: only Continuo writes at the left edge. */
function indented(options: DrawingOptions): DrawingOptions {
  return { ...options, columns: Math.max(MIN_COLUMNS, options.columns - INDENT.length - 1) };
}

function indent(line: string): string {
  return line === "" ? "" : INDENT + line;
}

function headingOf({ agent, paint }: DrawingOptions): string {
  return paint(`● ${visibleLine(agent)}`, "bold", "magenta");
}
