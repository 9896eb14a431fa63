/** One picker: its state, the effect of keys, and the drawing. */

import { findLeftOut, isOwn, listCatalog, nameOf } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { showTurnWork, showWork } from "../session/index.ts";
import { type Paint, paintFor, type Shell, screenOf } from "../terminal/index.ts";
import { drawHiddenNote, planReturns } from "./bring-back.ts";
import { cursorOf, drawScreen, layOutScreen } from "./draw.ts";
import { type PickEntry, toEntries } from "./filter.ts";
import { createKeyboard, type Keyboard, nextKey } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { ACTION_WORDS, createPerformer, hasFolder, type Performer } from "./perform.ts";
import { createPreviews, type PreviewSize, type Previews } from "./preview.ts";
import { type FullScreen, openFullScreen } from "./screen.ts";
import { createSearcher, drawMatch, type Searcher } from "./searcher.ts";
import {
  type Effect,
  entryOf,
  foldKey,
  type PerformEffect,
  type PickState,
  searchedFor,
  withFound,
  withHidden,
  withList,
} from "./state.ts";

/** A preview is read when the selection has not moved for this time. */
const STILL_MS = 60;

export type End = Exclude<Effect, { readonly type: "perform" | "open" | "plan" }>;

export interface PickerOptions {
  readonly shell: Shell;
  /** The terminal on which it draws: standard output, or standard error if standard output is for the chosen ids. */
  readonly out: NodeJS.WriteStream;
  /** False if the list is fixed, because it has only the sessions whose ids begin with a given text. */
  readonly isLive: boolean;
}

/** Resolves with the result that ends the picker. */
export async function openPicker(first: PickState, options: PickerOptions): Promise<End> {
  using picker = new Picker(first, options);
  return await picker.ended();
}

class Picker implements Disposable {
  readonly #shell: Shell;
  readonly #out: NodeJS.WriteStream;
  readonly #isLive: boolean;
  readonly #paint: Paint;
  readonly #screen: FullScreen;
  readonly #previews: Previews;
  readonly #performer: Performer;
  readonly #searcher: Searcher;
  readonly #keyboard: Keyboard;
  readonly #end = Promise.withResolvers<End>();
  readonly #redraw = (): void => this.#draw();
  #state: PickState;
  #reading = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The search for the sessions that the agents hide. */
  #marking = new AbortController();
  /** Resolves when all pressed keys are processed: an action ends before the next keys are processed. */
  #pressed = Promise.resolve();

  constructor(first: PickState, { shell, out, isLive }: PickerOptions) {
    this.#state = first;
    this.#shell = shell;
    this.#out = out;
    this.#isLive = isLive;
    this.#paint = paintFor(screenOf(shell, out));
    this.#previews = createPreviews({ shell, paint: this.#paint });
    this.#searcher = createSearcher(shell, {
      entries: () => this.#state.all,
      onFound: (text, entries) => this.#change(withFound(this.#state, text, entries)),
      onFailure: (message) => this.#say(message),
    });
    this.#keyboard = createKeyboard(shell, (keys) => {
      this.#pressed = this.#pressed.then(() => this.#press(keys)).catch(this.#end.reject);
    });
    this.#screen = openFullScreen(shell, out);
    this.#performer = createPerformer(this.#screen, shell, () => this.#state.hidden);
  }

  async ended(): Promise<End> {
    this.#keyboard.listen();
    this.#out.on("resize", this.#redraw);
    this.#search();
    this.#draw();
    this.#begin().catch(this.#end.reject);
    return await this.#end.promise;
  }

  [Symbol.dispose](): void {
    this.#keyboard.stop();
    clearTimeout(this.#timer);
    this.#reading.abort();
    this.#marking.abort();
    this.#searcher.stop();
    this.#out.removeListener("resize", this.#redraw);
    this.#screen[Symbol.dispose]();
  }

  /** Everything for which the first screen does not wait. */
  async #begin(): Promise<void> {
    if (!this.#state.isWhole) await this.#list();
    await this.#mark();
  }

  /** Marks the sessions that the agents hide now. */
  async #mark(): Promise<void> {
    if (!this.#isLive) return;
    this.#marking.abort();
    this.#marking = new AbortController();
    const { signal } = this.#marking;
    try {
      const left = await findLeftOut(this.#shell, { signal });
      if (!signal.aborted) this.#change(withHidden(this.#state, left));
    } catch (error) {
      if (signal.aborted) return;
      if (!isContinuoError(error)) throw error;
      this.#say(`cannot tell which sessions are hidden: ${error.message}`);
    }
  }

  #change(state: PickState): void {
    this.#state = state;
    this.#draw();
  }

  #say(message: string): void {
    this.#change({ ...this.#state, message });
  }

  #draw(): void {
    const { columns, rows } = screenOf(this.#shell, this.#out);
    const entry = entryOf(this.#state);
    const whole = this.#previewSize();
    const left = entry === null ? undefined : this.#state.hidden.get(entry.info.location);
    const note = drawHiddenNote(left, { columns: whole.columns, paint: this.#paint, home: this.#shell.home });
    const size = { ...whole, rows: Math.max(0, whole.rows - note.length) };
    const preview = entry === null ? [] : this.#previews.get(entry.info, size);
    const match = size.shows === "facts" ? [] : drawMatch(entry?.match, size.columns, this.#paint);
    const lines = drawScreen(this.#state, {
      columns,
      rows,
      paint: this.#paint,
      now: new Date(),
      home: this.#shell.home,
      preview: [...note, ...match, ...(preview ?? [])],
    });
    this.#screen.draw(lines, cursorOf(this.#state, { columns, rows }));
    if (preview === null && entry !== null) this.#readPreview(entry, size);
  }

  #previewSize(): PreviewSize {
    const { columns, rows } = screenOf(this.#shell, this.#out);
    const { preview: shows } = this.#state;
    const { previewColumns, previewRows, isStacked } = layOutScreen(columns, rows, shows);
    return { columns: previewColumns, rows: previewRows, shows, isBare: isStacked };
  }

  #readPreview({ info }: PickEntry, size: PreviewSize): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    clearTimeout(this.#timer);
    if (size.columns === 0) return;
    this.#timer = setTimeout(() => {
      this.#previews.load(info, size, signal).then(
        () => !signal.aborted && this.#draw(),
        (error) => !signal.aborted && this.#say(`no preview: ${String(error)}`),
      );
    }, STILL_MS);
  }

  #search(): void {
    const text = searchedFor(this.#state);
    if (text !== null && text !== "" && this.#state.found?.text !== text) this.#searcher.find(text);
  }

  /** @param chosen the location to select */
  async #list(chosen?: string): Promise<void> {
    if (!this.#isLive) return;
    const { sessions } = await listCatalog({}, { places: this.#shell });
    this.#change(withList(this.#state, toEntries(sessions), chosen));
  }

  async #press(keys: readonly Key[]): Promise<void> {
    for (const key of keys) {
      const { columns, rows } = screenOf(this.#shell, this.#out);
      const { listRows } = layOutScreen(columns, rows, this.#state.preview);
      const page = Math.max(1, listRows - 1);
      const { state, effect } = foldKey(this.#state, key, { page, cwd: this.#shell.cwd });
      this.#state = state;
      if (effect === null) continue;
      if (effect.type === "perform") await this.#perform(effect);
      else if (effect.type === "plan") await this.#plan(effect.entries);
      else if (effect.type === "open") await this.#open(effect.entry);
      else if (effect.type === "resume" && isOfGoneFolder(effect.entry)) this.#say(GONE_FOLDER);
      else return this.#end.resolve(effect);
    }
    this.#search();
    this.#draw();
  }

  async #perform(effect: PerformEffect): Promise<void> {
    if (effect.action !== "copy") this.#say(`${ACTION_WORDS[effect.action]} …`);
    const { message, isChanged, chosen } = await this.#performer.perform(effect);
    this.#say(message);
    if (!isChanged) return;
    this.#previews.forget();
    await this.#list(chosen);
    this.#mark().catch(this.#end.reject);
  }

  async #plan(entries: readonly PickEntry[]): Promise<void> {
    const plan = await planReturns(entries, this.#state.hidden, this.#shell);
    this.#change({ ...this.#state, overlay: { type: "plan", plan } });
  }

  async #open(entry: PickEntry): Promise<void> {
    this.#keyboard.stop();
    this.#screen.lend();
    const message = await show(entry, this.#shell, this.#out);
    this.#screen.takeBack();
    this.#keyboard.listen();
    this.#change({ ...this.#state, message });
  }
}

const GONE_FOLDER = "cannot resume: its folder is gone; press h to continue it here, with any agent";

/** Returns false for Continuo's own sessions: they need no folder, and continue in the person's current folder. */
function isOfGoneFolder({ info }: PickEntry): boolean {
  return !isOwn(info) && info.cwd !== null && !hasFolder(info);
}

/** Shows a session as `session show` does. Returns the reason if the session cannot be shown, otherwise `null`. */
async function show(
  { info, match }: PickEntry,
  shell: Shell,
  out: NodeJS.WriteStream,
): Promise<string | null> {
  let isPrinted = false;
  const write = (...args: Parameters<typeof out.write>): boolean => {
    isPrinted = true;
    return out.write(...args);
  };
  const stdout: NodeJS.WriteStream = Object.create(out, { write: { value: write } });
  const shown: Shell = Object.create(shell, { stdout: { value: stdout } });
  try {
    if (match === undefined) await showWork(nameOf(info), shown);
    else await showTurnWork(nameOf(info), match.messageId, shown);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return `cannot open: ${error.message}`;
  }
  // If a pager showed the session, it has already waited for a key, and nothing was written here.
  if (isPrinted) {
    out.write("\nPress any key to go back to the list. ");
    await nextKey(shell);
    // The next output, such as the prompt of the person's shell, begins on a new line.
    out.write("\n");
  }
  return null;
}
