/**
 * Kills lists and searches while they write to the index, at a call of SQLite that writes, syncs or deletes, and then
 * compares the results with an index and without one. During every other kill, a second process lists and searches.
 */

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Places } from "@continuo/agents";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import { expect, vi } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { createRandom, type Random } from "../store/harness/random.ts";
import { isKilledUnderStrace } from "../strace.ts";
import { copyEveryCase } from "./every-case.ts";
import { editFile, filesOf, setTimes } from "./file-edits.ts";
import { contentOfHome, contentWithoutIndex, type HomeContent } from "./mended-home.ts";

export interface MendKills {
  /** The number of kills during a write to the index. */
  readonly killed: number;
  /** The number of runs that ended before the kill. */
  readonly over: number;
}

const DAY_MS = 86_400_000;
/** A list stores its rows in few calls, a search its texts in many. */
const CALLS = [
  { call: "pwrite64", most: { newest: 8, list: 12, search: 40 } },
  { call: "fdatasync", most: { newest: 3, list: 3, search: 6 } },
  { call: "unlink", most: { newest: 1, list: 1, search: 2 } },
] as const;
const PARTS = ["newest", "list", "search"] as const;
/** Changes of one file that leave it readable; sessions of opencode have their own tests. */
const EDITS = [
  "append a title",
  "replace in place, same size, time stamps set back",
  "delete",
  "rename",
  "replace by another session",
  "replace by a file of another inode, time stamps set back",
  "begin or end a session, time stamps of the folder set back",
];

interface KilledHome {
  readonly scratch: string;
  readonly places: Places;
  readonly program: string;
  readonly random: Random;
}

/** Makes kills until `count` of them met a process that wrote. @param seed decides the changes and the kills */
export async function killMends(count: number, seed: number): Promise<MendKills> {
  const scratch = scratchFolder("killed-mends");
  const random = createRandom(seed);
  const program = await bundledProgram("test/search/mend-child.ts");
  let places = copyEveryCase(scratch, 2);
  let [killed, over] = [0, 0];
  while (killed < count && over <= 3 * count) {
    // Deleted sessions would make the home smaller and smaller.
    if ((killed + over) % 10 === 0) {
      rmSync(scratch, { recursive: true });
      mkdirSync(scratch);
      places = copyEveryCase(scratch, 2);
      setTimes(scratch);
      run(program, places, PARTS.join(" "));
    }
    const home = { scratch, places, program, random };
    for (let edits = 1 + random.below(3); edits > 0; edits--) changeFile(home);
    if (await killMend(home, killed % 2 === 1)) killed += 1;
    else over += 1;
  }
  return { killed, over };
}

function changeFile({ scratch, places, random }: KilledHome): void {
  const files = filesOf(scratch);
  const lines = files.filter((path) => path.endsWith(".jsonl"));
  const path = random.pick(lines);
  const what = random.pick(EDITS);
  if (random.chance(0.5)) appendFileSync(path, `{"type":"wombat","text":"wombat ${random.below(1_000)}"}\n`);
  else
    editFile(
      { what, file: files.indexOf(path), text: "wombat".slice(0, random.below(6)) },
      { scratch, places },
    );
}

/** Returns false if the process was over before the kill. */
async function killMend({ scratch, places, program, random }: KilledHome, isRead: boolean): Promise<boolean> {
  const part = random.pick(PARTS);
  const { call, most } = random.pick(CALLS);
  const when = 1 + random.below(most[part]);
  const reader = isRead ? startReader(program, places) : null;
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${when}`];
  const isKilled = isKilledUnderStrace(
    ["-qq", "-o", "/dev/null", ...inject, process.execPath, program, JSON.stringify(places), part],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
  try {
    const where = `after a kill of ${part} at ${call} ${when}`;
    const expected = await contentWithoutIndex(await withoutIndex(scratch, places));
    if (reader !== null) expect(JSON.parse(await reader), `a reader ${where}`).toEqual(expected);
    // The comparison uses a copy, so that the next process finds the index as the kill left it.
    expect(await contentOfHome(withCopiedIndex(scratch, places)), where).toEqual(expected);
  } finally {
    vi.useRealTimers();
  }
  return isKilled;
}

function startReader(program: string, places: Places): Promise<string> {
  const args = [program, JSON.stringify(places), PARTS.toReversed().join(" ")];
  const { stdout } = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return textOf(stdout);
}

function run(program: string, places: Places, parts: string): Partial<HomeContent> {
  const { stdout } = spawnSync(process.execPath, [program, JSON.stringify(places), parts], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  return JSON.parse(stdout);
}

function withFolder(places: Places, folder: string): Places {
  return { ...places, env: { ...places.env, CONTINUO_HOME: folder } };
}

/** Places with the index of the killed process, and the journal that it left. */
function withCopiedIndex(scratch: string, places: Places): Places {
  const copy = withFolder(places, join(scratch, "continuo-copy"));
  rmSync(join(scratch, "continuo-copy"), { recursive: true, force: true });
  cpSync(join(scratch, "continuo"), join(scratch, "continuo-copy"), { recursive: true });
  return copy;
}

/** Places whose index is of a newer version, so that lists and searches read the files. */
async function withoutIndex(scratch: string, places: Places): Promise<Places> {
  const none = withFolder(places, join(scratch, "continuo-none"));
  await useIndex(indexPathOf(none), "write", (database) => database.exec("pragma user_version = 999"));
  return none;
}
