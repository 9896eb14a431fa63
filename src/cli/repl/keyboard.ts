/**
 * A terminal's keyboard. Between turns a line is edited (`node:readline`); during a turn the typed text is a draft,
 * whose lines are read after the turn, and Ctrl-C and `/cancel` interrupt; a question takes one key.
 */

import { createInterface, type Interface } from "node:readline";
import { PassThrough } from "node:stream";
import { visibleLine } from "@continuo/core/transcript";
import { keysIn, oneKeyIn } from "../conversation/drawing/index.ts";
import { afterInput, INTERRUPT, type Shell } from "../terminal/index.ts";
import type { Completer } from "./completer.ts";
import type { InputHistory } from "./history.ts";
import { CTRL_R, type HistorySearch, pressSearch, startSearch, textOf } from "./history-search.ts";
import type { Input, InputEvent, InputListener, InputOptions } from "./input.ts";
import { EMPTY_BUFFER, type InputBuffer, linesOf, pressKeys } from "./input-buffer.ts";
import { REPL_LIMITS } from "./limits.ts";
import { addPaste, filterKeys, isWhole, NO_PASTES, type Pastes, withPastes } from "./paste.ts";

/** After one of these keys, further input waits: for the next line, or for the candidates of Tab. */
const STOP = new RegExp(`[\\r\\n\\t${INTERRUPT}]`, "u");
/** The exit code of a program that `SIGHUP` ended. */
const HUNG_UP = 129;
const END_EVENTS = ["end", "error", "close"] as const;
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

export function openKeyboard(options: InputOptions): Input {
  return new Keyboard(options);
}

class Keyboard implements Input {
  readonly nextKey: (signal: AbortSignal, wanted?: "text") => Promise<string>;
  readonly #shell: Shell;
  readonly #complete: Completer;
  readonly #keys = new PassThrough({ encoding: "utf8" });
  readonly #onExit: Disposable;
  /** Newest first. */
  #history: readonly string[];
  #pastes: Pastes = NO_PASTES;
  readonly #keepInHistory: InputHistory["add"];
  /** Keys that were typed after the end of the line that is being read. */
  #ahead = "";
  /** The text that was typed while no line is read. */
  #draft: InputBuffer = EMPTY_BUFFER;
  #kept: readonly string[] = [];
  #line: Interface | null = null;
  #search: HistorySearch | null = null;
  #prompt = "";
  #listener: InputListener | null = null;
  #onKey: ((key: string) => void) | null = null;
  /** True if `#onKey` takes words too. */
  #takesText = false;
  /** True until there is a pause in the line that is being typed ahead. */
  #isTyping = false;
  #pause: Disposable | undefined;
  /** True from Tab until its candidates are shown. */
  #isCompleting = false;
  #isOpen = false;
  #goesOn: NodeJS.Timeout | undefined;

  constructor({ shell, complete, history }: InputOptions) {
    this.#shell = shell;
    this.#complete = complete;
    this.#history = history.entries.map((entry) => this.#asLine(entry)).toReversed();
    this.nextKey = (signal, wanted) => this.#readKey(signal, wanted);
    this.#keepInHistory = history.add;
    this.#onExit = shell.onExit(() => this.#leave());
    shell.stdin.setEncoding("utf8");
    this.#take();
    shell.stdin.on("data", this.#onData);
    for (const event of END_EVENTS) shell.stdin.on(event, this.#onGone);
    process.on("SIGCONT", this.#onContinue);
    shell.stdin.resume();
  }

  async read(prompt: string): Promise<InputEvent> {
    let text = "";
    for (;;) {
      const typed = await this.#readLine(text === "" ? prompt : "  ");
      if (typed.type !== "line") return typed;
      // A line that ends with a backslash continues on the next one.
      const goesOn = /(?:^|[^\\])\\$/u.test(typed.text);
      text += goesOn ? `${typed.text.slice(0, -1)}\n` : typed.text;
      if (goesOn) continue;
      const whole = withPastes(text, this.#pastes);
      this.#remember(whole);
      return { type: "line", text: whole, typed: text };
    }
  }

  get kept(): readonly string[] {
    return this.#kept;
  }

  /** A line that fills several rows, or is being searched or completed, stays as it is. */
  above(lines: readonly string[]): boolean {
    const line = this.#line;
    if (line === null || this.#search !== null || this.#isCompleting || line.getCursorPos().rows > 0)
      return false;
    this.#shell.stdout.write(`\r\u001b[0J${lines.map((text) => `${text}\r\n`).join("")}`);
    line.prompt(true);
    return true;
  }

  listen(listener: InputListener): Disposable {
    this.#listener = listener;
    this.#type("");
    return {
      [Symbol.dispose]: () => {
        this.#listener = null;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#leave();
    this.#onExit[Symbol.dispose]();
    this.#shell.stdin.removeListener("data", this.#onData);
    for (const event of END_EVENTS) this.#shell.stdin.removeListener(event, this.#onGone);
    process.removeListener("SIGCONT", this.#onContinue);
    clearTimeout(this.#goesOn);
    this.#shell.stdin.pause();
  }

  #take(): void {
    this.#isOpen = true;
    this.#shell.stdin.setRawMode(true);
    this.#shell.stdout.write(PASTE_ON);
  }

  /** Gives the terminal back. Lines that were never sent are added to the history. */
  #leave(): void {
    this.#giveBack();
    const lines = [...this.#kept, ...linesOf(this.#draft)];
    this.#kept = [];
    this.#draft = EMPTY_BUFFER;
    for (const line of lines) this.#keepInHistory(withPastes(line, this.#pastes));
  }

  #giveBack(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#shell.stdout.write(PASTE_OFF);
    this.#shell.stdin.setRawMode(false);
  }

  /** The terminal is gone, and no signal was sent: without this, the process would run forever. */
  readonly #onGone = (): never => process.exit(HUNG_UP);

  /**
   * Returns to the shell, together with all processes of this job: Ctrl-Z. A process without a shell is not stopped,
   * and continues.
   */
  #suspend(): void {
    this.#giveBack();
    process.kill(0, "SIGTSTP");
    this.#goesOn = setTimeout(this.#onContinue, REPL_LIMITS.suspendMs);
  }

  /** After any stop, the shell may have given the terminal to other programs. */
  readonly #onContinue = (): void => {
    this.#giveBack();
    this.#take();
    this.#line?.prompt(true);
  };

  readonly #onData = (chunk: string): void => {
    const { pastes, keys, hasPaste } = filterKeys(this.#pastes, chunk);
    this.#pastes = pastes;
    if (this.#line !== null) this.#feedSearched(keys);
    else if (this.#takesText && !keys.includes(INTERRUPT)) this.#pressText(keys);
    else if (this.#onKey !== null && !hasPaste) this.#press(keys);
    else this.#keep(keys);
  };

  /** Passes keys to the search in the history. Other keys, and those before Ctrl-R, go to the line. */
  #feedSearched(keys: string): void {
    if (this.#search === null && !keys.includes(CTRL_R)) {
      this.#feed(keys);
      return;
    }
    const pressed = keysIn(keys);
    for (const [at, key] of pressed.entries()) {
      if (this.#search === null && key !== CTRL_R) {
        this.#feed(key);
        continue;
      }
      if (this.#pressInSearch(key)) continue;
      this.#feedSearched(pressed.slice(at + 1).join(""));
      return;
    }
  }

  /** False when the search has ended. */
  #pressInSearch(key: string): boolean {
    const line = this.#line;
    if (line === null) return false;
    const step = pressSearch(this.#search ?? startSearch(line.line), key, this.#history);
    this.#search = step.type === "search" ? step.search : null;
    const text = step.type === "search" ? textOf(step.search, this.#history) : step.text;
    line.setPrompt(step.type === "search" ? `search "${visibleLine(step.search.query)}": ` : this.#prompt);
    throwAway(line);
    line.write(text);
    line.prompt(true);
    if (step.type === "take" && step.key !== "") this.#feed(step.key);
    return step.type === "search";
  }

  /** Passes the line its keys, up to and including the next `STOP`. */
  #feed(keys: string): void {
    const all = this.#ahead + keys;
    const end = this.#isCompleting ? -1 : (STOP.exec(all)?.index ?? all.length);
    this.#ahead = all.slice(end + 1);
    if (end === -1 || all === "") return;
    this.#keys.write(all.slice(0, end + 1));
    if (all[end] === "\t") this.#feedSoon();
  }

  /** Passes further keys after the line has processed the earlier ones. */
  #feedSoon(): void {
    setImmediate(() => {
      if (this.#line !== null) this.#feed("");
    });
  }

  /** Completes one Tab at a time, because letters that are typed in the meantime would come before the completion. */
  readonly #completer: Completer = (text, done) => {
    this.#isCompleting = true;
    this.#complete(text, (error, result) => {
      this.#isCompleting = false;
      done(error, result);
      this.#feedSoon();
    });
  };

  #press(keys: string): void {
    const isWords = keys.includes(INTERRUPT) || oneKeyIn(keys) === null;
    if (isWords || this.#isInLine()) this.#keep(keys);
    else this.#onKey?.(keys);
  }

  /**
   * Joins a pasted text of several lines to one line of an answer. Keys after the end of the line belong to the next
   * prompt.
   */
  #pressText(keys: string): void {
    const end = /[\r\n]/u.exec(keys)?.index ?? keys.length - 1;
    const line = keys.slice(0, end + 1);
    const pasted = withPastes(line.replace(/[\r\n]$/u, ""), this.#pastes).replaceAll("\n", " ");
    this.#takesText = false;
    this.#onKey?.(`${pasted}${/[\r\n]$/u.exec(line)?.[0] ?? ""}`);
    this.#onKey = null;
    const rest = keys.slice(end + 1);
    if (rest !== "") this.#keep(rest);
  }

  /** True if a question appeared while a line was typed: the next keys then belong to the line, and answer nothing. */
  #isInLine(): boolean {
    return this.#isTyping && this.#draft.text !== "";
  }

  #keep(keys: string): void {
    this.#isTyping = true;
    this.#pause?.[Symbol.dispose]();
    this.#pause = afterInput(REPL_LIMITS.typingMs, () => {
      this.#isTyping = false;
    });
    this.#type(keys);
  }

  /** Each Ctrl-C counts, even if several arrive at once; the text typed before it is kept, and not sent by itself. */
  #type(keys: string): void {
    const { draft, interrupts, kept } = pressKeys(this.#draft, this.#ahead + keys);
    this.#ahead = "";
    this.#draft = draft;
    this.#kept = [...this.#kept, ...kept];
    for (let left = interrupts; left > 0; left--) this.#interrupt();
    const { before, text, cursor, after } = draft;
    this.#listener?.onTyped?.({ waiting: [...before, ...after], text, cursor });
  }

  #interrupt(): void {
    if (this.#listener === null) process.exit(130);
    this.#listener.onInterrupt();
  }

  /** The waiting lines are read next, unless one of them is edited, or others were kept: then each is only offered. */
  #endDraft(): void {
    const { before, text, after } = this.#draft;
    if (this.#kept.length > 0 || after.length > 0) {
      this.#kept = [...this.#kept, ...linesOf(this.#draft)];
    } else {
      this.#ahead = `${before.map((line) => `${line}\r`).join("")}${text}${this.#ahead}`;
    }
    this.#draft = EMPTY_BUFFER;
  }

  async #readKey(signal: AbortSignal, wanted?: "text"): Promise<string> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#onKey = resolve;
    this.#takesText = wanted === "text";
    try {
      return await promise;
    } finally {
      this.#onKey = null;
      this.#takesText = false;
      signal.removeEventListener("abort", stop);
    }
  }

  /**
   * One interface for each line, because between lines an interface would draw its prompt when the terminal changes its
   * size.
   */
  async #readLine(prompt: string): Promise<InputEvent> {
    const line = createInterface({
      input: this.#keys,
      output: this.#shell.stdout,
      terminal: true,
      prompt,
      history: this.#history.filter((entry) => isWhole(entry, this.#pastes)),
      historySize: REPL_LIMITS.historyEntries,
      completer: this.#completer,
    });
    const { promise, resolve } = Promise.withResolvers<InputEvent>();
    line.once("line", (text) => resolve({ type: "line", text }));
    line.on("SIGINT", () => {
      if (line.line === "") return resolve({ type: "interrupt" });
      throwAway(line);
      this.#offer();
      this.#feed("");
    });
    line.on("SIGTSTP", () => this.#suspend());
    line.once("close", () => resolve({ type: "end" }));
    this.#line = line;
    this.#prompt = prompt;
    this.#search = null;
    this.#isCompleting = false;
    line.prompt();
    this.#endDraft();
    this.#offer();
    this.#feed("");
    try {
      return await promise;
    } finally {
      this.#line = null;
      line.close();
    }
  }

  /** Puts the next kept line into the prompt; the person sends, changes or discards it. */
  #offer(): void {
    const [next, ...rest] = this.#kept;
    if (next === undefined) return;
    this.#kept = rest;
    this.#keys.write(next);
  }

  #remember(entry: string): void {
    if (entry.trim() === "") return;
    this.#history = [this.#asLine(entry), ...this.#history].slice(0, REPL_LIMITS.historyEntries);
  }

  /** An entry of several lines becomes a mark again. */
  #asLine(entry: string): string {
    if (!entry.includes("\n")) return visibleLine(entry);
    const { pastes, keys } = addPaste(this.#pastes, entry);
    this.#pastes = pastes;
    return keys;
  }
}

/** Discards the line, as in a shell. */
function throwAway(line: Interface): void {
  line.write(null, { ctrl: true, name: "e" });
  line.write(null, { ctrl: true, name: "u" });
}
