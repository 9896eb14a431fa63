/** `continuo pick`: keys in, screens out, until one of them ends it. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type CatalogList, isOwn, type ListedSession, listCatalog, nameOf } from "@continuo/agents/catalog";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { resumeWork } from "../handoff/index.ts";
import { startIndexingOf } from "../indexing/index.ts";
import { replWork } from "../repl/index.ts";
import { exportWork, listWork, showTurnWork, showWork } from "../session/index.ts";
import {
  afterInput,
  createProgress,
  paintFor,
  plural,
  type Screen,
  type Shell,
  screenOf,
} from "../terminal/index.ts";
import { cursorColumn, drawScreen, layOutScreen } from "./draw.ts";
import { toEntries } from "./filter.ts";
import { isBegun, type Key, parseKeys } from "./keys.ts";
import { createPreviews, type PreviewSize } from "./preview.ts";
import { type FullScreen, openFullScreen } from "./screen.ts";
import { createSearcher, drawMatch } from "./searcher.ts";
import {
  type Effect,
  entryOf,
  foldKey,
  type PickState,
  searchedFor,
  startPicking,
  withFound,
} from "./state.ts";

/** A preview is read when the selection has not moved for this time. */
const STILL_MS = 60;
/** This time after an ESC, no further byte of a key comes. */
const ESCAPE_MS = 50;

/** Errors: `usage` where there is no terminal. */
export async function runPick(query: string, shell: Shell): Promise<number> {
  if (shell.stdin.isTTY !== true || shell.stdout.isTTY !== true || shell.env.TERM === "dumb") {
    throw new ContinuoError("usage", "cannot open the picker without a terminal", {
      hint: "Run `continuo session list` to print the sessions.",
    });
  }
  const { sessions, error } = await listAll(shell);
  if (sessions.length === 0) return await listWork(shell);
  await startIndexingOf(sessions.length, shell);
  const missing = error === null ? null : `cannot list Continuo's own sessions: ${error.message}`;
  const end = await pick(startPicking(toEntries(sessions), { message: missing, query }), shell);
  if (end.type === "leave") return end.exitCode;
  const { info, match } = end.entry;
  if (end.type === "show" && match !== undefined) {
    return await showTurnWork(nameOf(info), match.messageId, shell);
  }
  if (end.type === "show") return await showWork(nameOf(info), shell);
  return isOwn(info) ? await replWork(info.sessionId, shell) : await resumeWork(nameOf(info), shell);
}

async function listAll(shell: Shell): Promise<CatalogList> {
  using progress = createProgress(shell);
  const onProgress = (looked: number): void => progress.show(`looked at ${plural(looked, "session")}`);
  return await listCatalog({ onProgress }, { places: shell });
}

type End = Extract<Effect, { readonly type: "leave" | "show" | "resume" }>;

async function pick(first: PickState, shell: Shell): Promise<End> {
  using screen = openFullScreen(shell);
  const picker = createPicker(first, screen, shell);
  const { promise, resolve: end, reject } = Promise.withResolvers<End>();
  const onKeys = (keys: readonly Key[]): void => {
    picker.press(keys).then((effect) => effect && end(effect), reject);
  };
  const stop = readKeys(shell, onKeys);
  const redraw = (): void => picker.draw();
  shell.stdout.on("resize", redraw);
  try {
    picker.draw();
    return await promise;
  } finally {
    stop();
    picker.stop();
    shell.stdout.removeListener("resize", redraw);
  }
}

/** Calls back with whole keys; returns how to stop. */
function readKeys({ stdin }: Shell, onKeys: (keys: readonly Key[]) => void): () => void {
  let begun = "";
  let alone: Disposable | undefined;
  const flush = (): void => {
    const input = begun;
    begun = "";
    if (input !== "") onKeys(parseKeys(input));
  };
  const onData = (chunk: string): void => {
    alone?.[Symbol.dispose]();
    begun += chunk;
    if (isBegun(begun)) alone = afterInput(ESCAPE_MS, flush);
    else flush();
  };
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  return () => {
    alone?.[Symbol.dispose]();
    stdin.removeListener("data", onData);
  };
}

interface Picker {
  draw(): void;
  /** Resolves with what ends the picker, if one of the keys does. */
  press(keys: readonly Key[]): Promise<End | null>;
  stop(): void;
}

function createPicker(first: PickState, screen: FullScreen, shell: Shell): Picker {
  let state = first;
  const size = (): Screen => screenOf(shell, shell.stdout);
  const paint = paintFor(size());
  const previews = createPreviews({ shell, paint });
  let reading = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const previewSize = (): PreviewSize => {
    const layout = layOutScreen(size().columns, size().rows);
    return { columns: layout.previewColumns, rows: layout.bodyRows };
  };
  const draw = (): void => {
    const { columns, rows } = size();
    const entry = entryOf(state);
    const chosen = entry?.info;
    const preview = chosen === undefined ? [] : previews.get(chosen, previewSize());
    const match = drawMatch(entry?.match, previewSize().columns, paint);
    const lines = drawScreen(state, {
      columns,
      rows,
      paint,
      now: shell.now,
      home: shell.home,
      preview: [...match, ...(preview ?? [])],
    });
    screen.draw(lines, state.focus === "filter" ? cursorColumn(state, columns) : null);
    if (preview === null && chosen !== undefined) readPreview(chosen);
  };
  const readPreview = (info: ListedSession): void => {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    clearTimeout(timer);
    if (previewSize().columns === 0) return;
    timer = setTimeout(() => {
      previews.load(info, previewSize(), signal).then(
        () => !signal.aborted && draw(),
        (error) => {
          if (signal.aborted) return;
          say(`no preview: ${String(error)}`);
        },
      );
    }, STILL_MS);
  };
  const searcher = createSearcher(shell, {
    entries: first.all,
    onFound: (text, entries) => {
      state = withFound(state, text, entries);
      draw();
    },
    onFailure: (message) => say(message),
  });
  const say = (message: string): void => {
    state = { ...state, message };
    draw();
  };
  const search = (): void => {
    const text = searchedFor(state);
    if (text !== null && text !== "" && state.found?.text !== text) searcher.find(text);
  };
  search();
  return {
    draw,
    async press(keys) {
      for (const key of keys) {
        const step = foldKey(state, key, Math.max(1, layOutScreen(size().columns, size().rows).bodyRows - 1));
        state = step.state;
        const { effect } = step;
        if (effect?.type === "copy" || effect?.type === "export") say(await perform(effect, screen, shell));
        else if (effect !== null) return effect;
      }
      search();
      draw();
      return null;
    },
    stop() {
      clearTimeout(timer);
      reading.abort();
      searcher.stop();
    },
  };
}

/** Resolves with what is to be said of it. */
async function perform(effect: Exclude<Effect, End>, screen: FullScreen, shell: Shell): Promise<string> {
  const { info } = effect.entry;
  if (effect.type === "copy") {
    // OSC 52: the terminal puts it into the clipboard of the person who sits before it, also through ssh.
    screen.send(`\u001b]52;c;${Buffer.from(info.sessionId).toString("base64")}\u0007`);
    return `copied ${info.sessionId}, if the terminal allows it`;
  }
  const output = freeName(
    `${info.agent}-${info.sessionId.replace(/[^\w.-]/gu, "_").slice(0, 40)}`,
    effect.format,
    shell,
  );
  try {
    await exportWork(nameOf(info), { format: effect.format, output }, quiet(shell));
    return `exported to ${output}`;
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return `cannot export: ${error.message}`;
  }
}

/** A name that nothing has in the current folder. */
function freeName(base: string, ending: string, { cwd }: Shell): string {
  for (let number = 1; ; number++) {
    const name = `${base}${number === 1 ? "" : `-${number}`}.${ending}`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
}

/** Other output of a command would be written into the screen. */
function quiet(shell: Shell): Shell {
  const { stdin, stdout, env, home, cwd, now } = shell;
  const stderr: NodeJS.WriteStream = Object.create(shell.stderr, { write: { value: () => true } });
  return {
    stdin,
    stdout,
    stderr,
    env,
    home,
    cwd,
    now,
    holdInterrupts: () => shell.holdInterrupts(),
    holdTermination: (onTermination) => shell.holdTermination(onTermination),
    onExit: (cleanUp) => shell.onExit(cleanUp),
  };
}
