/** Shows a person what happens in a turn, while it happens, as lines on a terminal or in a file. */

import { TALK_LIMITS } from "@continuo/agents/conversations";
import type { AgentEvent, PermissionRequest } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { type Paint, paintFor, type Shell, screenOf, wrap } from "../terminal/index.ts";
import {
  beginDrawing,
  type Drawing,
  type DrawingOptions,
  drawInput,
  drawQuestion,
  drawStatusLine,
  endDrawing,
  foldEvent,
  type InputLine,
  liveLines,
  type Pen,
  type QueuedInput,
} from "./drawing/index.ts";
import { fileText } from "./file-text.ts";
import { createLiveScreen, type LiveScreen } from "./live-screen.ts";

export interface Question {
  readonly request: PermissionRequest;
  /** The question is denied at this time of `performance.now()`. */
  readonly deadline: number;
  /** Lines of the request that were not shown yet. */
  readonly hidden: number;
  /** The typed reason of a refusal; `null` while nobody types. */
  readonly comment: string | null;
}

export class TurnPrinter {
  readonly #screen: LiveScreen;
  readonly #paint: Paint;
  #agent = "";
  #hint = "";
  #drawing: Drawing | null = null;
  #startedAt = 0;
  /** The time of the agent's last event. */
  #heardAt = 0;
  #waiting: AgentEvent[] = [];
  #chars = 0;
  #lines: string[] = [];
  #frame: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;
  #question: Question | null = null;
  /** `null` if nothing can be typed. */
  #typed: QueuedInput | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** Callers that wait until a question is on the screen. */
  readonly #asked = new Map<string, () => void>();
  /** Questions that are on the screen before anybody waits for them. */
  readonly #told = new Set<string>();

  constructor(shell: Shell, stream: NodeJS.WriteStream) {
    this.#screen = createLiveScreen(shell, stream);
    this.#paint = paintFor(screenOf(shell, stream));
  }

  /** The style of its lines. */
  get pen(): Pen {
    return { columns: this.#screen.columns, paint: this.#paint, fileText };
  }

  get isTelling(): boolean {
    return this.#drawing !== null;
  }

  /** Begins a turn. */
  begin(agent: string): void {
    this.#agent = agent;
    this.#hint = "Ctrl-C cancels";
    this.#drawing = beginDrawing();
    this.#startedAt = performance.now();
    this.#heardAt = this.#startedAt;
    // The status line changes every second, which shows that the turn runs.
    if (this.#screen.isLive) this.#clock = setInterval(() => void this.flush(), 1_000);
    void this.flush();
  }

  /** Resolves when there is room for more. */
  tell(event: AgentEvent): Promise<void> {
    this.#waiting.push(event);
    this.#heardAt = performance.now();
    this.#chars += "delta" in event ? event.delta.length : 0;
    if (event.type === "permission_request" || this.#chars > TALK_LIMITS.frameChars) return this.flush();
    this.#frame ??= setTimeout(() => void this.flush(), TALK_LIMITS.frameMs);
    return Promise.resolve();
  }

  /** Adds a line of Continuo, at the left edge. */
  note(text: string): void {
    // Lines in a file are not wrapped.
    const columns = this.#screen.isTerminal
      ? Math.max(20, this.#screen.columns - 3)
      : Number.MAX_SAFE_INTEGER;
    const [first = "", ...more] = wrap([{ text: visibleLine(text), styles: ["dim"] }], columns, this.#paint);
    this.#lines.push(`${this.#paint("·", "dim")} ${first}`, ...more.map((line) => `  ${line}`));
    void this.flush();
  }

  /** Changes the part of the status line that says what Ctrl-C does. */
  hint(text: string): void {
    this.#hint = text;
    void this.flush();
  }

  /** Shows the input during the turn, below everything else. */
  typed(typed: QueuedInput): void {
    this.#typed = typed;
    this.#frame ??= setTimeout(() => void this.flush(), TALK_LIMITS.frameMs);
  }

  /** Writes lines unchanged. */
  print(lines: readonly string[]): Promise<void> {
    this.#add(lines);
    return this.flush();
  }

  /** Resolves when the subject of the question is on the screen, or after `TALK_LIMITS.settleMs`. */
  async until(approvalId: string): Promise<void> {
    if (this.#drawing === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, TALK_LIMITS.settleMs);
    if (this.#told.delete(approvalId)) resolve();
    else this.#asked.set(approvalId, resolve);
    await promise;
    clearTimeout(timer);
    this.#asked.delete(approvalId);
  }

  ask(question: Question | null): void {
    const isNew = question !== null && this.#question?.request !== question.request;
    this.#question = question;
    if (isNew) this.bell();
    // If nothing can be redrawn, the question is a line like any other.
    if (question !== null && !this.#screen.isLive) this.#add(this.#status(this.#screen.columns));
    void this.flush();
  }

  /** Rings the bell for a person who looks elsewhere; the terminal decides how it sounds. */
  bell(): void {
    if (this.#screen.isLive) this.#screen.ring();
  }

  /** Ends the turn, whatever its outcome. */
  async end(): Promise<void> {
    clearInterval(this.#clock);
    if (performance.now() - this.#startedAt > TALK_LIMITS.bellMs) this.bell();
    await this.flush();
    const drawing = this.#drawing;
    this.#drawing = null;
    this.#question = null;
    this.#typed = null;
    this.#told.clear();
    if (drawing !== null) this.#add(endDrawing(drawing, this.#options()).lines);
    await this.flush();
  }

  /** Resolves when the terminal accepts more. */
  flush(): Promise<void> {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    for (const event of joined(this.#waiting.splice(0))) this.#fold(event);
    this.#chars = 0;
    const lines = this.#lines.splice(0);
    const { live, cursorBack } = this.#live();
    this.#writing = this.#screen.show(lines, live, cursorBack);
    return this.#writing;
  }

  #add(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }

  #fold(event: AgentEvent): void {
    if (this.#drawing === null) return;
    const step = foldEvent(this.#drawing, event, this.#options());
    this.#drawing = step.drawing;
    this.#add(step.lines);
    if (event.type !== "permission_request") return;
    const waiting = this.#asked.get(event.approvalId);
    if (waiting === undefined) this.#told.add(event.approvalId);
    else waiting();
  }

  #live(): { readonly live: readonly string[]; readonly cursorBack: number } {
    const { rows, columns } = this.#screen;
    if (this.#drawing === null || !this.#screen.isLive) return { live: [], cursorBack: 0 };
    const status = this.#status(columns);
    const { lines: input, cursorBack } = this.#inputLine(columns);
    const room = rows - TALK_LIMITS.spareRows - status.length - input.length - 1;
    const lines = liveLines(this.#drawing, this.#options(), Math.max(0, room));
    return { live: [...lines, "", ...status, ...input], cursorBack };
  }

  /** Shows no empty input below a question, because the question takes the keys. */
  #inputLine(columns: number): InputLine {
    const typed = this.#typed;
    const isEmpty = typed === null || (typed.text === "" && typed.waiting.length === 0);
    if (typed === null || (isEmpty && this.#question !== null)) return { lines: [], cursorBack: 0 };
    return drawInput(typed, { columns, paint: this.#paint });
  }

  #status(columns: number): readonly string[] {
    const paint = this.#paint;
    if (this.#question !== null) {
      const { request, deadline, hidden, comment } = this.#question;
      return drawQuestion(request, { columns, paint, leftMs: deadline - performance.now(), hidden, comment });
    }
    const nowMs = performance.now();
    const line = drawStatusLine({
      agent: this.#agent,
      hint: this.#hint,
      runsMs: nowMs - this.#startedAt,
      silentMs: nowMs - this.#heardAt,
    });
    return wrap([{ text: line, styles: ["dim"] }], columns - 3, paint).map((text) => `  ${text}`);
  }

  #options(): DrawingOptions {
    return {
      ...this.pen,
      agent: this.#agent,
      mode: this.#screen.isLive ? "live" : "lines",
    };
  }
}

/** Joins consecutive parts of one message. */
function joined(events: readonly AgentEvent[]): AgentEvent[] {
  const all: AgentEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const isMore =
      (event.type === "text" || event.type === "thinking") &&
      last?.type === event.type &&
      last.messageId === event.messageId;
    if (isMore) all[all.length - 1] = { ...last, delta: last.delta + event.delta };
    else all.push(event);
  }
  return all;
}
