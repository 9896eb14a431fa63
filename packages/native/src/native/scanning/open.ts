/** Opens a session: its records are folded once, and a history then fetches the records that it needs by their places. */

import {
  assertKnownOptions,
  ContinuoError,
  cancellable,
  cancellableItems,
  type Entry,
  type KnownOptions,
  type Leaf,
  type Message,
  present,
  type ToolDefinition,
} from "@continuo/core/model";
import type {
  AgentReader,
  FoundSession,
  HistoryOptions,
  HistorySteps,
  OpenedSession,
  OpenOptions,
  SavedScan,
  ScanPosition,
} from "../kit/index.ts";
import { fromPlainJson, toPlainJson } from "./plain-json.ts";
import type { MessageCounts, Scan, ScanSource, ScanValue } from "./scan.ts";

/** Errors of the function: `not_found`, `unreadable`. */
export function openByScan<State, Rec, Source extends ScanSource<Rec>, Node>(
  scan: Scan<State, Rec, Source, Node>,
): AgentReader["open"] {
  return async (found, places, options) => {
    const { signal } = options;
    const source = await scan.open(found, options);
    try {
      const read = await readSource(scan, { found, source, options });
      const value = await scan.finish(read.state, { found, source, partial: read.partial, signal }, places);
      return toOpened(value, source, read);
    } catch (error) {
      source.close();
      throw error;
    }
  };
}

interface ScanInput<Source> {
  readonly found: FoundSession;
  readonly source: Source;
  readonly options: OpenOptions;
}

interface ScanEnd<State> {
  readonly state: State;
  readonly partial: boolean;
  readonly saved: SavedScan | null;
  readonly continued: boolean;
}

async function readSource<State, Rec, Source extends ScanSource<Rec>, Node>(
  scan: Scan<State, Rec, Source, Node>,
  reading: ScanInput<Source>,
): Promise<ScanEnd<State>> {
  const { source, options } = reading;
  const size = options.newestBytes === undefined ? 0 : (source.windowBytes() ?? 0);
  // A window without a complete message, because a record is longer than the window, is of no use.
  for (let bytes = options.newestBytes ?? size; bytes < size; bytes = 4 * Math.max(1, bytes)) {
    const state = await scan.create({ ...reading, partial: true, signal: options.signal });
    if (state === null) break;
    const start = present({ from: size - bytes, signal: options.signal });
    for await (const records of source.records(start)) {
      for (const record of records) scan.fold(state, record);
    }
    if (scan.isEnough(state)) return { state, partial: true, saved: null, continued: false };
  }
  const known = await stateToContinue(scan, reading);
  const state = known ?? (await scan.create({ ...reading, partial: false, signal: options.signal }));
  if (state === null) throw new Error("a whole session can always be scanned");
  const position = known === null ? undefined : options.continue?.position;
  const save = async (): Promise<SavedScan | null> =>
    options.save === true ? await saveScan(scan, state, reading) : null;
  let saved: SavedScan | null | undefined;
  for await (const records of source.records(present({ position, signal: options.signal }))) {
    let last: Rec | undefined;
    for (const record of records) {
      last = record;
      if (options.save && saved === undefined && source.growing?.isUnended(record)) saved = await save();
      scan.fold(state, record);
    }
    if (last !== undefined && scan.isFileDone?.(state)) source.skipFile?.(last);
  }
  return { state, partial: false, saved: saved ?? (await save()), continued: known !== null };
}

/** Returns `null` if nothing was saved, or if the saved state is not the beginning of this session. */
async function stateToContinue<State, Rec, Source extends ScanSource<Rec>, Node>(
  { version, plain }: Scan<State, Rec, Source, Node>,
  { found, source, options }: ScanInput<Source>,
): Promise<State | null> {
  const saved = options.continue;
  if (saved === undefined || saved.version !== version || saved.sessionId !== found.sessionId) return null;
  if (!(await source.growing?.continues(saved.position))) return null;
  const state = fromPlainJson(saved.state);
  return plain === undefined ? (state as State) : plain.from(state);
}

async function saveScan<State, Rec, Source extends ScanSource<Rec>, Node>(
  { version, plain }: Scan<State, Rec, Source, Node>,
  state: State,
  { found, source }: ScanInput<Source>,
): Promise<SavedScan | null> {
  if (source.growing === null) return null;
  const position = await source.growing.position();
  return { version, sessionId: found.sessionId, position, state: toPlainJson(plain?.to(state) ?? state) };
}

function toOpened<Node>(
  value: ScanValue<Node>,
  source: { close(): void },
  end: Pick<ScanEnd<unknown>, "partial" | "saved" | "continued">,
): OpenedSession {
  const { facts, tips, entriesBefore, filesBefore, toolsIn } = value;
  const active = tips.find((tip) => tip.active);
  const { toolCalls, ...messages } = active?.counts ?? NO_MESSAGES;
  const leaves = tips.map(({ id, active, updatedAt, counts, label }): Leaf => {
    return { id, active, updatedAt, messages: counts.total, label };
  });
  return {
    details: { ...facts, messages, toolCalls, branches: tips.length },
    leaves,
    problems: facts.problems,
    partial: end.partial,
    saved: end.saved,
    continued: end.continued,
    entries: (signal) => cancellableItems(signal, () => value.entries(signal)),
    ...present({
      entriesBefore:
        entriesBefore && ((signal?: AbortSignal) => cancellableItems(signal, () => entriesBefore(signal))),
      filesBefore,
      tools:
        toolsIn && ((signal?: AbortSignal) => cancellable(signal, () => toolsOf(value, toolsIn, signal))),
    }),
    history: (options = {}) => {
      assertKnownOptions("history", options, HISTORY_OPTIONS);
      return cancellableItems(options.signal, () => historyOf(value, options));
    },
    ...(value.steps === undefined ? {} : { steps: (leaf) => stepsTo(value, leaf) }),
    close: source.close,
    [Symbol.dispose]: source.close,
  };
}

/** A later definition of a name replaces the earlier one. */
async function toolsOf<Node>(
  { entriesBefore, entries }: ScanValue<Node>,
  toolsIn: (entry: Entry) => readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<readonly ToolDefinition[]> {
  const tools = new Map<string, ToolDefinition>();
  for (const records of [entriesBefore?.(signal) ?? [], entries(signal)]) {
    for await (const entry of records) {
      signal?.throwIfAborted();
      for (const tool of toolsIn(entry)) tools.set(tool.name, tool);
    }
  }
  return [...tools.values()];
}

const HISTORY_OPTIONS: KnownOptions<HistoryOptions> = { leaf: true, native: true, after: true, signal: true };
const NO_MESSAGES: MessageCounts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };

function historyOf<Node>(
  value: ScanValue<Node>,
  options: HistoryOptions,
): AsyncGenerator<Message, void, void> {
  const { leaf, after } = options;
  const tip = value.tips.find((each) => (leaf === undefined ? each.active : each.id === leaf));
  const node = tip?.node ?? (leaf === undefined ? null : value.nodeOf(leaf));
  if (node === null) return noHistory(leaf);
  const history = value.history(node, options);
  return after === undefined ? history : historyAfter(history, after);
}

/** Errors: `not_found` for a leaf that does not exist. */
async function* noHistory(leaf: string | undefined): AsyncGenerator<Message, void, void> {
  if (leaf !== undefined) throw noLeaf(leaf);
  yield* [];
}

function noLeaf(leaf: string): ContinuoError {
  return new ContinuoError("not_found", `no branch of this session ends at ${leaf}`);
}

/** Errors: `not_found` for a leaf that does not exist. */
function stepsTo<Node>({ tips, steps }: ScanValue<Node>, leaf: string): HistorySteps {
  const tip = tips.find(({ id }) => id === leaf);
  if (tip === undefined || steps === undefined) throw noLeaf(leaf);
  return steps(tip.node);
}

async function* historyAfter(
  history: AsyncIterable<Message>,
  position: ScanPosition,
): AsyncGenerator<Message, void, void> {
  for await (const message of history) if (isAfter(message, position)) yield message;
}

function isAfter({ metadata }: Message, position: ScanPosition): boolean {
  if (metadata.records === undefined) return true;
  return metadata.records.some(
    ({ line, file }) => line === undefined || (file === undefined && line > position.lines),
  );
}
