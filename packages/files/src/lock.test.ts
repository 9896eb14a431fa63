/** The lock of a session, and the mark of a writer that is about to release it. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { lockSession } from "./lock.ts";

/** Takes the lock of one session, and waits long only for a writer that is about to release it. */
function lockerIn(home: string): () => ReturnType<typeof lockSession> {
  const places = { home, env: {} };
  return () =>
    lockSession(join(home, "a.jsonl"), "s", { places, waitMs: 0, leavingMs: 60_000, signal: undefined });
}

function marksIn(home: string): readonly string[] {
  const folder = join(home, ".continuo/locks");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".leaving")) : [];
}

test("the next writer removes the mark of the last one, so that nobody waits for that writer any more", async () => {
  const home = scratchFolder("lock");
  const lock = lockerIn(home);
  const first = await lock();
  first.leave();
  expect(marksIn(home)).toHaveLength(1);
  first.release();
  const second = await lock();
  expect(marksIn(home)).toEqual([]);
  await expect(lock()).rejects.toMatchObject({ code: "busy" });
  second.release();
});

test("a process waits longer for a writer that is about to release the lock", async () => {
  const lock = lockerIn(scratchFolder("lock"));
  const first = await lock();
  first.leave();
  const second = lock();
  setTimeout(() => first.release(), 100);
  (await second).release();
});
