/** The records of a session one after another, and the rows around them, all of one moment. */

import type { Problem, ProblemCode } from "@continuo/core/model";
import { keptBytes } from "@continuo/files/records";
import type { FoundSession, OpenOptions } from "../kit/index.ts";
import type { ScanSource } from "../scanning/index.ts";
import { ROW_BYTES } from "./limits.ts";
import { openSource } from "./read-source.ts";
import type { NativeRecord } from "./records.ts";
import { type ChildSession, readAll, readOr, readParts, type SessionSource } from "./source.ts";

/** A message together with its parts. */
export interface MessageWithParts {
  readonly record: NativeRecord;
  readonly parts: readonly NativeRecord[];
}

export type StreamRecord =
  /** `damage`: why its parts could not be read. */
  | ({ readonly type: "message"; readonly damage: Problem | null } & MessageWithParts)
  /** A record that belongs to no message. */
  | { readonly type: "stray"; readonly record: NativeRecord }
  | { readonly type: "problem"; readonly of: "messages" | "strays"; readonly problem: Problem };

/** The context that the records do not have. */
export interface Surroundings {
  readonly record: NativeRecord | null;
  readonly gitBranch: string | null;
  readonly sizeBytes: number;
  readonly children: readonly ChildSession[];
  readonly problems: readonly Problem[];
}

export interface RecordStream extends ScanSource<StreamRecord> {
  readonly source: SessionSource;
  /** Returns the context at the moment of the last records. */
  surroundings(): Surroundings;
  /** The keys are numbers of messages; others are read again. */
  readonly kept: ReadonlyMap<number, MessageWithParts>;
}

/** Errors: `not_found`, `unreadable`. */
export async function openStream(found: FoundSession, { keep }: OpenOptions): Promise<RecordStream> {
  const source = await openSource(found);
  const kept = createKept(source.inMemory, keep);
  let surroundings: Surroundings | null = null;
  let size = 0;
  return {
    source,
    kept: kept.all,
    surroundings: () => (surroundings ??= readSurroundings(source)),
    windowBytes() {
      size = readOr(
        () => source.sizeBytes(),
        0,
        () => undefined,
      );
      return size;
    },
    async *records({ from, signal }) {
      kept.clear();
      yield* [streamOf(from, signal)];
    },
    // A row can be edited at any position.
    growing: null,
    problems: () => [],
    close: () => source.close(),
  };

  function* streamOf(
    from: number | undefined,
    signal: AbortSignal | undefined,
  ): Generator<StreamRecord, void, void> {
    const end = source.begin();
    try {
      let count = 0;
      for (const each of from === undefined ? allMessages(source) : newestMessages(source, size - from)) {
        signal?.throwIfAborted();
        if (each.type === "message") kept.add(count++, each);
        yield each;
      }
      if (from === undefined) yield* restOf(source);
      surroundings = readSurroundings(source);
    } finally {
      end();
    }
  }
}

function* allMessages(source: SessionSource): Generator<StreamRecord, void, void> {
  const damage: StreamRecord[] = [];
  for (const record of readAll(
    () => source.messages("oldest"),
    (said, code) => void damage.push(toProblem("messages", said, code)),
  )) {
    yield toWhole(source, record);
  }
  yield* damage;
}

/** The newest messages, about this many bytes, starting at a user message; none if that would be all of them. */
function newestMessages(source: SessionSource, newestBytes: number): readonly StreamRecord[] {
  const damage: StreamRecord[] = [];
  const onDamage = (said: string, code: ProblemCode): void =>
    void damage.push(toProblem("messages", said, code));
  const newest: NativeRecord[] = [];
  let bytes = 0;
  for (const record of readAll(() => source.messages("newest"), onDamage)) {
    if (bytes > newestBytes && newest.at(-1)?.data?.role === "user") {
      return [...damage, ...newest.reverse().map((each) => toWhole(source, each))];
    }
    newest.push(record);
    bytes += readOr(() => source.sizeOf(record), record.sizeBytes, onDamage);
  }
  return [];
}

function toWhole(source: SessionSource, record: NativeRecord): StreamRecord {
  let damage: Problem | null = null;
  const parts = readParts(source, record, (message, code) => {
    damage = { code, line: null, message };
  });
  return { type: "message", record, parts, damage };
}

/** Yields the records that no message leads to, and the problems of the source. */
function* restOf(source: SessionSource): Generator<StreamRecord, void, void> {
  const damage: StreamRecord[] = [];
  const strays = readAll(
    () => source.strays(),
    (said, code) => void damage.push(toProblem("strays", said, code)),
  );
  for (const record of strays) yield { type: "stray", record };
  const problems = readOr(
    () => source.problems(),
    [],
    (said, code) => void damage.push(toProblem("messages", said, code)),
  );
  yield* damage;
  for (const { code, message } of problems) {
    yield { type: "problem", of: "messages", problem: { code, line: null, message } };
  }
}

function readSurroundings(source: SessionSource): Surroundings {
  const problems: Problem[] = [];
  const note = (said: string, code: ProblemCode): void =>
    void problems.push({ code, line: null, message: said });
  const record = readOr(() => source.session(), null, note);
  if (record === null && problems.length === 0) {
    problems.push({ code: "missing_header", line: null, message: "the session's own record is missing" });
  }
  return {
    record,
    gitBranch: readOr(() => source.gitBranch(), null, note),
    sizeBytes: readOr(() => source.sizeBytes(), 0, note),
    children: readOr(() => source.children(), [], note),
    problems,
  };
}

function toProblem(of: "messages" | "strays", message: string, code: ProblemCode): StreamRecord {
  return { type: "problem", of, problem: { code, line: null, message } };
}

interface KeptRecords {
  readonly all: ReadonlyMap<number, MessageWithParts>;
  add(at: number, whole: MessageWithParts): void;
  clear(): void;
}

/** Keeps the records of a small session in memory. Above the limit, it forgets all records that can be read again. */
function createKept(inMemory: boolean, keep: "all" | undefined): KeptRecords {
  const maxBytes = keptBytes(keep);
  const all = new Map<number, MessageWithParts>();
  let bytes = 0;
  return {
    all,
    add(at, whole) {
      const isKept = inMemory || whole.record.id === null;
      if (!isKept && bytes > maxBytes) return;
      all.set(at, whole);
      if (isKept) return;
      for (const { sizeBytes } of [whole.record, ...whole.parts]) bytes += sizeBytes + ROW_BYTES;
      if (bytes <= maxBytes) return;
      for (const [place, { record }] of all) if (record.id !== null) all.delete(place);
    },
    clear() {
      all.clear();
      bytes = 0;
    },
  };
}
