/** The targets of speed: the number when the work on it began, and the one that is wanted. */

import type { MissingRow, Row } from "./rows.ts";

type Target = Pick<Row, "work" | "before" | "wanted" | "by">;

/** Profiles of the targets that are missed showed this on 2026-11-28; shares are of the processor time. */
const SPENT: readonly (readonly [names: readonly string[], spent: string])[] = [
  [
    ["indexSpeed"],
    "writing the words to SQLite's FTS5 takes 35 % (16 % the rows, 19 % the merging at the end of a transaction), collecting garbage 21 %, reading and compressing 7 %, parsing JSON 3 %. Without a small heap the garbage is a tenth less, for 60 MB more.",
  ],
  [
    ["indexSize"],
    "of 105 MB for 159 MB of sessions, the words and their places are 55 MB, the compressed texts 36 MB, the rows of lists 6 MB. The words of the corpus are drawn at random from 58,000, which compresses far worse than a talk.",
  ],
  [
    ["list", "listAll"],
    "collecting garbage takes 22 %, loading Node's and our modules about as much, and to look at each session's file 15 %.",
  ],
  [
    ["search", "searchAndScan"],
    "the command starts and loads its modules (a third), lists what has changed as a list does, and collects garbage (15 %); the query itself is a tenth.",
  ],
  [
    ["coldList", "coldClaude"],
    "each session is parsed as a whole for its title, its figures and its damage; the others read the head and the end, or the usage alone.",
  ],
  [
    ["reading", "readingGemini", "readingOpencode"],
    "parsing JSON is a quarter; 6 % is the look for numbers that JavaScript cannot hold, 11 % collecting garbage, 4 % the looks at each file, and for 1,500 short sessions a fifth is loading the library.",
  ],
  [
    ["firstScreen"],
    "loading and compiling modules takes half, reading the ends of the file 8 %, parsing Markdown and laying out lines 10 %.",
  ],
  [
    ["handOver"],
    "the source is parsed and hashed record by record, what is carried is written, its source kept beside it (compressed), and the made session is read back and compared: parsing JSON 20 %, writing 15 %, hashes and marks of origin 15 %, compressing 8 %, collecting garbage 7 %. No stage is more than a fifth.",
  ],
  [
    ["append1", "append10", "append100", "reference"],
    "beginning and committing take 24 %, collecting garbage 9 %, the two looks at the database's file 5 %; the rest are checks of each event, its canonical JSON and its hashes.",
  ],
  [
    ["runs"],
    "38 % are SQLite's statements: a run reads its session, its line of runs and its lease before and after each of its six appends. Ids take 4 %, looks at the file 5 %.",
  ],
];

const INDEX = "index from nothing, real words";
const LIVE = "live, 100 sessions that each post every second";
const BARE = "bare SQLite with the same hashes";

const TARGETS: Readonly<Record<string, Target>> = {
  indexSpeed: target(`${INDEX}, MB/s`, "15", above(25), "processor"),
  indexSize: target(`${INDEX}, size`, "0.36", below(0.25), "size"),
  indexMemory: target(`${INDEX}, memory in MB`, "", below(300), "size"),
  list: target("`continuo list` (20), warm", "9.9", below(3), "processor"),
  listAll: target("`continuo list`, all as JSON", "15", below(4), "processor"),
  search: target("`search`, 95 % of 40 queries, ms", "474 to 735", below(120), "processor"),
  searchAndScan: target("`search`, 95 % of 40 queries / a scan", "4 to 5", below(1), "processor"),
  coldList: target("list without an index / ccusage's first run", "2.1", below(0.9), "clock"),
  coldClaude: target("Claude's part without an index / the SDK's list", "0.60", below(0.3), "clock"),
  reading: target("reading / `JSON.parse`, all agents", "0.52 to 0.57", above(0.65), "processor"),
  readingGemini: target("reading / `JSON.parse`, Gemini", "0.23", above(0.5), "processor"),
  readingOpencode: target("reading / `JSON.parse`, opencode", "0.20", above(0.5), "processor"),
  library: target('`import "continuo"`', "7.4", below(2.5), "processor"),
  libraryStore: target('`import "continuo/store"`', "", below(1.8), "processor"),
  firstScreen: target("first screen of 100 MB / Node", "6.1", below(4), "processor"),
  olderNode: target("started by an older system Node, ms more", "45 to 65", below(20), "clock"),
  handOver: target("hand-over", "14 to 29", below(4), "processor"),
  chatClaude: target("chat to the first request, claude", "1.32", below(1.1), "clock"),
  chatCodex: target("chat to the first request, codex", "1.66", below(1.2), "clock"),
  append1: target(`append, 1 a batch / ${BARE}`, "0.51", above(0.8), "processor"),
  append10: target(`append, 10 a batch / ${BARE}`, "0.60", above(0.8), "processor"),
  append100: target(`append, 100 a batch / ${BARE}`, "0.63", above(0.8), "processor"),
  reference: target("append, 100 a batch / Durable Streams' file store", "0.62", above(1.2), "clock"),
  postgres: target("Postgres, 32 callers / 1", "1.0", above(6), "clock"),
  runs: target("executeRun / six appends", "2.8", below(1.5), "clock"),
  liveWork: target(`${LIVE}: ms of a piece of evidence with notes`, "1.45", below(0.5), "processor"),
  liveWait: target(`${LIVE}: p99 in ms`, "110 to 456", below(50), "clock"),
  sends: target(
    "channel sends of one connection, 16 in flight / a durable echo",
    "0.33",
    above(0.8),
    "clock",
  ),
};

/** @param from the two numbers of a ratio, or how a number was taken */
export function measured(name: string, now: number, from: string): Row {
  const [, spent] = SPENT.find(([names]) => names.includes(name)) ?? [];
  return { ...targetOf(name), now, from, ...(spent !== undefined && { spent }) };
}

export function notMeasured(name: string, why: string): MissingRow {
  return { work: targetOf(name).work, missing: why };
}

function targetOf(name: string): Target {
  const found = TARGETS[name];
  if (found === undefined) throw new Error(`there is no target ${name}`);
  return found;
}

function target(work: string, before: string, wanted: Row["wanted"], by: Row["by"]): Target {
  return { work, before, wanted, by };
}

function below(than: number): Row["wanted"] {
  return { side: "below", than };
}

function above(than: number): Row["wanted"] {
  return { side: "above", than };
}
