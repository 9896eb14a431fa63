import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Places } from "@continuo/agents";
import { updateTexts } from "@continuo/agents/catalog";
import { parseQuery, search } from "@continuo/agents/search";
import { readNativeList } from "@continuo/native";
import { indexPathOf, openRows, useIndex } from "@continuo/native/index-file";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { numbersOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { copyEveryCase } from "./every-case.ts";
import { hasPhrase, readNaively } from "./naive.ts";

const KILLS = numbersOfRun(200);
/** The number of kills after which everything is compared. */
const KILLS_PER_LOOK = 4;
const WORDS = ["the", "file", "test", "one", "a", "hello", "error", "read"];

const scratch = scratchFolder("killed");
let places: Places;

beforeAll(() => {
  places = copyEveryCase(scratch);
});

interface Kill {
  readonly program: string;
  /** The number of sessions that are read before the kill. */
  readonly sessions: number;
  /** A further wait, so that the kill comes at any moment of the next session. */
  readonly moreMs: number;
  readonly batchChars: number;
}

/** Kills the fill, and resolves with true if it was still running. */
async function killFill({ program, sessions, moreMs, batchChars }: Kill): Promise<boolean> {
  const child = spawn(process.execPath, [program, JSON.stringify(places), String(batchChars)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    let said = "";
    const due = new Promise<void>((resolve) => {
      child.stdout.on("data", (text) => {
        said += text;
        if (said.length >= "begin ".length + sessions) resolve();
      });
    });
    await Promise.race([due, ended]);
    await Promise.race([sleep(moreMs), ended]);
    return !said.includes("done");
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Returns the turns with a word, from the index, for the sessions that it reports as ready. */
async function find(
  word: string,
  ready: Awaited<ReturnType<typeof updateTexts>>["ready"],
): Promise<string[]> {
  const query = parseQuery(`"${word}"`, { toTime: (time) => time });
  const used = await useIndex(indexPathOf(places), "read", (database) =>
    search(database, query, { sessions: ready, nowMs: 0 }),
  );
  if (used.state !== "ready") return [];
  return used.value.results
    .flatMap(({ session, turns }) => turns.map(({ number }) => `${session.location} ${number}`))
    .sort();
}

test(`a fill that is killed at ${KILLS.length} points never gives a wrong or a missing result afterwards`, async () => {
  const grown = readdirSync(join(scratch, "pi/sessions"), { recursive: true, withFileTypes: true }).find(
    (entry) => entry.name.endsWith(".jsonl"),
  );
  if (grown === undefined) throw new Error("no session of pi");
  const growing = join(grown.parentPath, grown.name);
  const program = await bundledProgram("test/search/fill-child.ts");
  let [interrupted, whole] = [0, 0];
  for (const [killed, kill] of KILLS.entries()) {
    if (killed % 9 === 0) rmSync(indexPathOf(places), { force: true });
    if (killed % 7 === 0) {
      const text = `{"type":"custom","customType":"note","data":${kill},"id":"k${kill}"}\n`;
      appendFileSync(growing, text);
    }
    const at = {
      sessions: (kill * 7) % 16,
      moreMs: (kill * 5) % 12,
      batchChars: killed % 3 === 0 ? 200 : 4_000,
    };
    if (await killFill({ program, ...at })) interrupted += 1;
    if (killed % KILLS_PER_LOOK !== 0) continue;
    const turns = await readNaively(places);
    const partly = await updateTexts({ places, timeMs: 0 });
    const isComplete = killed % 5 === 0;
    const texts = isComplete ? await updateTexts({ places }) : partly;
    if (isComplete) whole += 1;
    const ready = new Set([...texts.ready.values()].map((one) => one.key));
    if (isComplete) expect(ready).toEqual(new Set(turns.map(({ location }) => location)));
    for (const word of WORDS) {
      const expected = turns
        .filter((turn) => ready.has(turn.location) && hasPhrase(turn, [word]))
        .map(({ location, number }) => `${location} ${number}`)
        .sort();
      expect(await find(word, texts.ready)).toEqual(expected);
    }
    const memo = openRows(indexPathOf(places), Date.now());
    expect(await readNativeList({ places, memo })).toEqual(await readNativeList({ places }));
  }
  await updateTexts({ places });
  expect(statSync(indexPathOf(places)).mode & 0o777).toBe(0o600);
  expect(whole).toBeGreaterThan(0);
  // Otherwise the kills would come after the work, and prove nothing.
  expect(interrupted).toBeGreaterThan(KILLS.length / 4);
}, 1_800_000);
