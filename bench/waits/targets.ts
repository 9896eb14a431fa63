/** The targets of speed: the number when the work on it began, and the one that is wanted. */

import type { MissingRow, Row } from "./rows.ts";

type Target = Pick<Row, "work" | "before" | "wanted" | "by">;

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
  return { ...targetOf(name), now, from };
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
