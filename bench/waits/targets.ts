/** The speed targets: the value when the work on it began, and the target value. */

import type { MissingRow, Row } from "./rows.ts";

type Target = Pick<Row, "work" | "before" | "wanted" | "by">;

/**
 * The numbers of commands that a running server answers leave its work out. Those of both together are in
 * `docs/search.md`.
 */
export const OF_ASKING: Readonly<Record<"servedList" | "servedSearch", string>> = {
  servedList: ofAsking("4.3"),
  servedSearch: ofAsking("11.9 for a common word and 8.3 for one that is nowhere"),
};

/**
 * Shares of the processor time in profiles. Each text gives the date of its profile, and the number of sessions if the
 * shares depend on it; a text without them describes a profile of 2026-11-28, with 1,500 sessions if it reads sessions.
 */
const SPENT: readonly (readonly [names: readonly string[], spent: string])[] = [
  [
    ["indexSpeed"],
    "in a profile of 2026-11-28, with 1,500 sessions (159 MB), SQLite's FTS5 takes 35 % (16 % to add the rows, 19 % to end the transactions), collecting garbage 21 %, reading and compressing 7 %, parsing JSON 2 %; that profile did not divide the rest. In one of 2026-11-30, with 300 sessions (32 MB) on a busy machine, FTS5 takes 30 %, collecting garbage 19 %, reading and compressing 8 %, hashes 3 %, loading modules 2 %, parsing JSON 2 %; the rest is our own code, record by record and turn by turn, of which no function takes more than 2 %. Two trials with the sessions of Codex and pi, four runs each on a busy machine: a young generation that grows to 33 MB, where the command keeps it at its first size, took 0.91 of the processor time and 27 MB more memory; batches of twice the size made the index 7 % smaller, not faster, and took 43 MB more memory. In a process that only adds the words, FTS5 takes 4.2 s, 3.3 if it merges nothing, and 4.0 with one merge at the end. In a later trial on a busy machine, larger young and old generations of V8 took as much time as small ones, and up to 220 MB more memory. With the text of 4,876 real files of code and documentation in place of drawn words, 61 MB of sessions took 7.2 and 5.6 s, where as many sessions of drawn words took 8.7 and 8.3 (two alternating pairs).",
  ],
  [
    ["indexSize"],
    "of 105 MB for 1,500 sessions of 159 MB (2026-11-28), the words and their places are 56 MB, the compressed texts 38 MB, the rows of lists 6 MB. Words that are drawn one by one, although by the frequencies of a language, repeat less within a text than words of a person or a program: with the text of real files, the index has 0.43 of the size of the sessions, with drawn words 0.67 (500 sessions each, 61 and 66 MB). Without the places of words (`detail=column`), the words would take 28 MB instead of 56 and those of real files 3.6 instead of 8.6, but FTS5 could then neither find phrases nor count how often a turn has a word, which the rank needs: every turn with a common word would have to be decompressed. One column for all voices saves 11 MB, and the rank needs the voices; the parts of names in code take 6 MB. Compressing the texts at level 9 instead of 3 saves 2 MB and takes 2.6 times as long.",
  ],
  [
    ["list", "listPlain"],
    "in a profile of 2026-11-29, loading modules takes 33 %, finding the sessions and making twenty rows 28 %, reading the arguments 9 %, collecting garbage 5 %, the looks at 1,389 files 4 %; starting Node is most of the rest. Since lists know sessions by lines, and load no driver, one takes 111 ms of processor time where it took 129, and with 5,000 sessions 179 where it took 251 (medians of five and seven alternating pairs on a busy machine). There, the looks at 4,541 files take about 20 ms, which no list can do without. Since known sessions are numbers and not an object each, a list loads six files of code where it loaded fifteen, and it reads of opencode's sessions only nine columns, one with 5,000 sessions takes 137 ms where it took 156 (medians of nine alternating pairs on a busy machine; the least were 128 and 147). SQL would find the newest twenty of 4,500 lines, and count all of them, in 0.2 to 0.5 ms. But a session that has grown since is the newest, and no time of a folder shows that: every file has to be looked at before the first row is shown, and with it its path and four numbers are read. As rows of a sorted table, these take 5.0 to 6.5 ms to read; as the columns in one row that they are, 3.6 ms, and finding the newest twenty among them takes about 1 ms.",
  ],
  [
    ["listAll"],
    "in a profile of 2026-11-29, with 5,000 sessions and a profiler that makes collecting garbage about five times as slow, that takes 43 %, parsing and checking the stored answers 13 %, reading the index 4 %, writing the rows as JSON 4 %, the looks at files 3 %; the rest is loading modules and our own code, row by row. Since a list of all sessions knows them by their lines, looks for titles once a folder, and writes its rows part by part, one takes 0.38 s of processor time and 78 MB where it took 0.51 and 110 (medians of five alternating pairs on a busy machine; the least were 0.33 and 0.42). A list of twenty takes 0.15 of these 0.33. In the 3.6 MB that it writes, the look for hidden characters took 61 ms of processor time, and takes 10 since it looks at what is before a character only if the character may be hidden.",
  ],
  [
    ["search", "searchAndScan", "searchWorst"],
    "in a profile of 2026-11-29, finding the sessions takes 19 % and the looks at their files 6 %, loading modules and reading the arguments 19 %, collecting garbage 16 %, ten excerpts 12 %, comparing the sessions with the index 6 %, the query itself 4 %; the rest is starting Node, printing and ending. Since matches have no getters of their own, and no driver is loaded, a search takes 212 ms of processor time where it took 227 (medians of five alternating pairs on a busy machine). Since it reads from the index the facts of only the sessions that it shows, and compares known sessions without an object of each, one with 5,000 sessions takes 459 ms for a rare word where it took 526, and 435 for a word that is nowhere where it took 552 (medians of seven alternating pairs while others kept the machine ten times as busy as it can be, which makes all of them slower; the least were 375, 493, 391 and 476). Since known sessions have no object each, it takes 329 ms where it took 417 for a word that is nowhere, 348 where it took 423 for a rare one, 446 where it took 524 for a common one (medians of nine rounds on a busy machine). Since SQLite ranks the sessions that match, and returns the turns of only those that are shown, the query in a new process takes 147 to 215 ms of processor time for a word of every session where it took 225 to 268, and as long as before for a rare one (three alternating pairs on a busy machine). Two trials with 1,500 sessions brought nothing (medians of seven alternating pairs on a busy machine): a young generation that grows took 0.64 s of processor time where one that keeps its size took 0.56, and the index mapped into memory with a cache of 64 MB 0.53 where it took 0.51 without.",
  ],
  [
    ["servedList", "servedSearch"],
    "starting Node is two thirds. The rest is the launcher, the one file that asks over the private socket, and printing. The list took 1.43 on 2026-11-29 and 1.53 on 2026-11-30, on machines that differ by as much.",
  ],
  [
    ["coldList", "coldClaude"],
    "in four profiles of 2026-11-30, with 5,000 short sessions, collecting garbage takes 21 %, reading files 6 %, opening and closing them 6 %, SQLite's statements (opencode's sessions and the new rows of the index) 6 %, parsing JSON 5 %, the look for ends of lines and for titles 4 %, the looks at files 2 %, loading and compiling modules 2 %; the rest is our own code, file by file and record by record. Since opencode's database is opened once and not for each of its 500 sessions, and less code is loaded, a list of all without an index takes 1.84 s of processor time where it took 2.09 (medians of seven alternating pairs on a busy machine; the least were 1.75 and 1.84).",
  ],
  [
    ["reading", "readingGemini", "readingOpencode"],
    "in two profiles of opencode's sessions on 2026-11-30 (100 sessions, 12 MB), SQLite's statements take 10 to 13 %, loading modules 15 %, collecting garbage 10 %, parsing JSON 5 %; no other function takes more than 3 %: the rest is our own code, record by record. Of all agents, parsing JSON takes 11 %, collecting garbage 10 %, loading modules 7 %, reading 6 %, the look for numbers that JavaScript cannot hold 6 % (Claude Code's sessions), the looks at files 5 %; the rest is our own code, record by record. Nothing halved it: with 159 MB of sessions and three runs in turn on a busy machine, a program of 2026-11-23 had 0.25 of the speed of parsing by all threads and 0.31 by the main thread, today's 0.24 and 0.29 (medians of 3.83 and 4.01 s, of which the main thread used 2.77 and 2.96; parsing took 0.97 and 0.85). With the sessions of that day, of 50 words instead of 58,000, it was 0.26 and 0.30, and 0.21 and 0.25. So the first figure, 0.52 to 0.57, is of another measure, which neither program repeats, and reading became 4 to 21 % slower since then.",
  ],
  [
    ["library", "libraryStore"],
    "importing loads 32 files of 678 kB, or for the store 15 of 229 kB, all of them bundles of our own. In six profiles of 2026-11-29 on a busy machine, Node's loader takes 31 % to find and link the files of the first, compiling them takes 27 %, collecting garbage 7 %, our own code that runs at import 6 %, reading and the looks at files 5 %; the rest is starting Node.",
  ],
  [
    ["firstScreen"],
    "loading and compiling modules takes 48 %, collecting garbage 7 %, reading the file 2 %.",
  ],
  [
    ["handOver", "handOverMemory"],
    "in profiles of 2026-11-30 on a busy machine, of 50 MB from Codex to Gemini CLI and from pi to opencode, collecting garbage takes 29 %, parsing JSON 5 %, marks 7 to 9 %, the files or the rows of the new session 9 to 16 %, reading it back 6 to 10 %, the copy of the records 4 %; the rest is spread over our own code. A session that goes through a file takes 2.5 to 3.5 times the processor time of one in memory, and 70 MB less memory.",
  ],
  [
    ["handOverLong", "handOverLongMemory"],
    "at the peak of such a hand-over on 2026-11-30, on a busy machine and in 465 s, the process had 403 MB, of which the heap of V8 was 210 (150 in use) and buffers 11; the rest is Node itself and memory of its native parts. The peak varies with the threads that collect garbage, which had less time to fall behind there. A session above 64 MB goes through a file. Until 2026-11-30 each step of a hand-over read all texts from this file, about twenty times, and parsed them. Since a message without its long texts is in memory, and a text is read only where it is needed, a hand-over of 150 MB takes 21 s of processor time where it took 50, and one of 300 MB 50 s where it took 104 with a profiler (busy machine, one run each).",
  ],
  [
    ["handOverVerified"],
    "Continuo itself takes as long as if it reads the session back itself, which is the last number of the row. The rest is the agent, which starts and reads the new session: most of it is opencode's, least Codex's.",
  ],
  [
    ["reference"],
    "by the clock, beginning and committing transactions takes 63 %, nearly all of it waiting for the disk. By the processor, that takes 27 %, SQLite's other statements 13 %, hashing events and writing them as JSON 14 %, collecting garbage 3 %; the rest is spread over our own code, and over loading it. 20,000 events took 366 to 475 ms of processor time, and 244 to 307 in the file store, which neither hashes an event nor checks whether its id is known. So which one is faster depends on the disk: on 2026-11-30, while other programs kept it busy, ours took 2.6 to 3.6 s by the clock and the file store 3.9 to 4.8 (two alternating pairs of four rounds each), because it syncs a file and then writes to LMDB for each batch, and our store syncs one log. On a disk that is fast enough, the processor time decides: 1.2 would need half of what ours takes, and the hashes and statements are more than that.",
  ],
  [
    ["append1", "append10", "append100"],
    "of one event a batch, beginning and committing take 31 % (four pages, where bare SQLite writes three), SQLite's other four statements 14 %, the two looks at the folder of the database 6 %, collecting garbage 5 %, checking and hashing the event 9 %; the rest is spread over our own code. Keeping the heads of logs in memory, checked by `data_version`, was tried and brought nothing: 66.6 and 66.8 µs of an event, 19.4 and 20.5 of ten. In the loop of bare SQLite, our tables take 27 µs an event, 32 with the head of the log, 35 with its row, about 40 with the check of ids and the looks at the folder: with these rules, about 0.67 is the most. The two looks are one before each transaction and one after it, and both stay: without the one before, a write could be stored in files that have just disappeared, and be copied back from them although its caller receives an error. Nothing became slower since the first measurement: on one machine, by this measure, one event a batch has 0.33 of bare SQLite's speed at a commit of 2026-11-23 and 0.31 at one of 2026-11-29 (medians of three and five runs in turn, of at most 0.34 and 0.32), and five commits between them have 0.25 to 0.34. The threads of V8 that compile and collect garbage are a part of that: by the time of the main thread only, it is 0.35 and 0.39.",
  ],
  [
    ["runs"],
    "of one run, in µs: committing 199, rows of the log 40, lists of runs 34, rows of runs 28, beginning transactions 26, ids of events 22, the session 19, cursors 16; the rest is our own code. It was 2.88 and became 2.48 (medians of 10 pairs) when each statement with a limit was planned once. In a count of 2026-11-30, a run makes 40 calls of SQLite in four transactions, and six appends make 42 in six. The four are the lease of the session, the beginning, which is durable before the agent is called, the answer, and the end together with the release of the lease. Each reads what the one before it left, and none writes a row twice; only an answer that is kept back until the end would save one, and a crash would lose it. So the disk decides: where a commit took 4.2 ms, a run took 20.1 ms and six appends 16.0, 1.26 times as long. On a fast disk the other 36 calls decide, which took 0.79 ms there: reading logs, runs and events was 0.36 of it.",
  ],
  [
    ["olderNode"],
    "the older Node starts, reads the launcher and starts the newer one. On 2026-11-30, medians of 11 in turn on a machine so busy that `node -e 0` took 152 ms of processor time, `--version` took 177 ms with the newer Node and 413 when the older one started it. Of the 236 ms more, 175 are a start of the older Node (`-e 0`); the rest is loading `node:child_process` and waiting for the other process. So no launcher that Node runs can reach 20.",
  ],
  [
    ["chatClaude", "chatCodex"],
    "to the start of the agent's program, Continuo takes 92 ms of processor time (Codex) to 107 ms (Claude Code), of which starting Node takes a third; most of the rest is loading modules. It was 185 and 205 ms until the search for programs of dead processes stopped waiting for other code. In another run, of 2026-12-01, `node -e 0` took 100 ms by the clock. Compared with a client that only starts the same program in the same way and sends the prompt, ours was 414 ms (Claude Code) and 375 (Codex): the program started 274 and 254 ms later, and from there to its request took 139 and 123 ms more, because Continuo uses 230 to 260 ms of processor time in that time too. The store opens while the agent starts.",
  ],
  [
    ["liveWork"],
    "of the time that the process works, beginning and ending transactions takes 44 %, which includes waits for the disk, SQLite's other statements 5 %, collecting garbage 5 %, preparing and hashing events 2 %; the rest is spread over our own code. Those who follow a session receive from memory what this process stored. Since this profile, the writes of more than four sessions within 0.1 s wait up to 25 ms for each other, and become one transaction. In memory and six alternating pairs, a piece took 1.25, 0.99, 1.58, 1.59, 1.11 and 1.56 ms with that, and 1.63, 1.38, 1.48, 1.44, 2.07 and 1.49 without: while the machine had time, 2,562 commits became 608, and while other programs kept it busy, writes met in the store also without waiting (1,431 commits became 843), and nothing was saved. Then the threads of V8, which compile and collect garbage, take 22 %, and the kernel 15 %.",
  ],
  [
    ["liveAtOnce"],
    "the requests of one moment wait for each other: the last of 100 waits 100 times the 1.1 ms that the server works for one. The parts of this time are those of a piece of evidence above.",
  ],
  [
    ["editorHost"],
    "the median is far below what is wanted; the slowest of 20 lists wait for the collection of garbage, which takes 24 % of the work of the host's list in a profile of 2026-11-30. Adding the figures of each row takes 21 %, joining the summaries 8 %, and sending them 5 %.",
  ],
  [
    ["editorPage"],
    "these pages are asked for directly after the first list of a connection, while the gateway reads all 10,000 sessions at the same time. The lists after them have a p95 below 150 ms: two pages 74, a page of a folder 92, a page while a session grows 98 (2026-11-30). The gateway's pages were not profiled. In another run of the same day their p95 was 149 ms: the median varies less than the slowest lists.",
  ],
  [
    ["editorLoad"],
    "the first update is sent after the whole file was read once, because only its end says which branch is the conversation; what the index holds is not read again, and the first update then takes 0.3 to 0.9 of the time. Sessions of 1 MB take 38 to 83 ms, and those of 10 MB in the index 30 to 201. Of 10 MB that no index holds, opencode takes 29 ms, Gemini CLI 201, pi 282, Claude Code 286 and Codex 500: the time grows with the file. The time to the first update was not profiled; in a profile of a whole load of 50 MB on 2026-11-30, collecting garbage takes 24 %, the hashes of what was shown 13 %, decoding text 11 %, reading the file 8 %, writing to the pipe 7 %, parsing JSON 4 %.",
  ],
  [
    ["sends"],
    "ending transactions, which waits for the disk, takes 57 %, writing answers to the socket 13 %, collecting garbage 8 %, SQLite's other statements 4 %.",
  ],
];

const INDEX = "index from nothing, 58,000 different words";
/** `bench editors` measures the works that begin in this way. */
export const EDITORS = "editors, ";
const LIVE = "live, 100 sessions that each post every second";
const BARE = "bare SQLite with the same hashes";

const TARGETS: Readonly<Record<string, Target>> = {
  indexSpeed: target(`${INDEX}, MB/s`, "15", above(25), "processor"),
  indexSize: target(`${INDEX}, size`, "0.36", below(0.25), "size"),
  indexMemory: target(`${INDEX}, memory in MB`, "", below(300), "size"),
  list: target("`continuo list` (20), warm", "9.9", below(3), "processor"),
  listPlain: target("`continuo list`, as a person types it, warm", "", below(3), "processor"),
  listAll: target("`continuo list`, all as JSON", "15", below(4), "processor"),
  search: target("`search`, 95 % of 40 queries, ms", "474 to 735", below(120), "clock"),
  searchAndScan: target("`search`, 95 % of 40 queries / a scan", "4 to 5", below(1), "clock"),
  searchWorst: target("`search`, the worst of 40 queries / a scan for the same word", "", below(1), "clock"),
  servedList: target("`continuo list` (20), while a server runs", "", below(1.5), "processor"),
  servedSearch: target("`search`, while a server runs", "", below(1.5), "processor"),
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
  handOverMemory: target("hand-over, most memory in MB of one process", "", below(500), "size"),
  handOverVerified: target("hand-over verified by its target", "", below(4), "clock"),
  handOverLong: target("long hand-over", "36 to 74 s", below(4), "processor"),
  handOverLongMemory: target("long hand-over, memory in MB", "", below(500), "size"),
  chatClaude: target("chat to the first request, claude", "1.32", below(1.1), "clock"),
  chatCodex: target("chat to the first request, codex", "1.66", below(1.2), "clock"),
  append1: target(`append, 1 a batch / ${BARE}`, "0.51", above(0.8), "processor"),
  append10: target(`append, 10 a batch / ${BARE}`, "0.60", above(0.8), "processor"),
  append100: target(`append, 100 a batch / ${BARE}`, "0.63", above(0.8), "processor"),
  reference: target("append, 100 a batch / Durable Streams' file store", "0.62", above(1.2), "clock"),
  postgres: target("Postgres, 32 callers / 1", "1.0", above(6), "clock"),
  runs: target("executeRun / six appends", "2.8", below(1.5), "clock"),
  liveWork: target(`${LIVE}: ms of a piece of evidence with notes`, "1.45", below(0.5), "processor"),
  liveAtOnce: target(
    "live, 100 sessions that post at once over HTTP: p99 in ms",
    "110 to 456",
    below(50),
    "clock",
  ),
  liveWait: target(`${LIVE}, spread over the second: p99 in ms`, "110 to 456", below(50), "clock"),
  editorHost: target(
    `${EDITORS}the agent host's list of 10,000 sessions: p95 in ms`,
    "",
    below(150),
    "clock",
  ),
  editorPage: target(`${EDITORS}a page of the gateway's list of 10,000: p95 in ms`, "", below(150), "clock"),
  editorLoad: target(`${EDITORS}first update of a load in ms`, "", below(200), "clock"),
  sends: target(
    "channel sends of one connection, 16 in flight / a durable echo",
    "0.33",
    above(0.8),
    "clock",
  ),
};

function ofAsking(together: string): string {
  return `time of the asking process only: together with the server, it was ${together} on 2026-11-27 ([search.md](search.md#the-index))`;
}

/** @param from the two numbers of a ratio, or the way in which a number was measured */
export function measured(name: string, now: number, from: string): Row {
  return { ...targetOf(name), now, from };
}

/** The result of a profile of this work; the work of a row may say more after the work of its target. */
export function profileOf(work: string): string | undefined {
  const [name] = Object.entries(TARGETS)
    .filter(([, one]) => work.startsWith(one.work))
    .toSorted(([, one], [, other]) => other.work.length - one.work.length)
    .map(([found]) => found);
  return SPENT.find(([names]) => name !== undefined && names.includes(name))?.[1];
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
