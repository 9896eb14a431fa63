/**
 * The memory after a long conversation. The heap is measured after a collection, without the compiler's own
 * growth.
 */

import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv, MAIN } from "./home.ts";
import { talkLong } from "./long-talk.ts";
import { createTalkHome } from "./talk.ts";

/** The words of each turn; the agent repeats them. */
const WORDS = "word ".repeat(400);

test("the repl keeps nothing of finished turns in memory", { timeout: 300_000 }, async () => {
  using home = createTalkHome();
  const [before, after] = await talkLong({
    main: MAIN,
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    flags: ["--no-opt", "--no-maglev", "--no-sparkplug"],
    // The memory that the first turns need is not freed.
    looks: [40, 160],
    words: WORDS,
  });
  const grown = (after?.heapBytes ?? Number.NaN) - (before?.heapBytes ?? Number.NaN);
  expect(grown / 120).toBeLessThan(WORDS.length / 2);
});
