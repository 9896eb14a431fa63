/** The background process that a command starts to fill the index. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { indexPathOf } from "@continuo/native/index-file";
import { expect, test } from "vitest";
import { createHome, type Home, run } from "./home.ts";
import { writeWombats } from "./wombats.ts";

const SESSIONS = 3_000;
/** On a busy machine a process of the lowest priority waits long for its turn. */
const WAIT_MS = 400_000;
/** The text of a session that changed a shorter time ago counts as indexed only in the process that read it. */
const SETTLED_MS = 3_000;
const AGAIN_AFTER_MS = 60_000;

async function until<T>(look: () => Promise<T> | T, isDone: (value: T) => boolean): Promise<T> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const value = await look();
    if (isDone(value)) return value;
    if (performance.now() > end) throw new Error(`not within the time: ${JSON.stringify(value)}`);
    await sleep(20);
  }
}

/** Processes that index the home. */
function indexing(home: Home): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes("--background"))
    .filter((pid) => textOf(`/proc/${pid}/environ`).includes(`HOME=${home.path}\0`))
    .map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended, or belongs to another user.
    return "";
  }
}

async function status(home: Home): Promise<{ readonly indexed: number; readonly background: string }> {
  return JSON.parse((await run(home, ["index", "status", "--json"])).stdout);
}

/** Counts complete sessions in the index. It starts no process, which would take time from the process of low priority. */
function countIndexed(home: Home): number {
  try {
    const index = new DatabaseSync(indexPathOf({ home: home.path, env: {} }), { readOnly: true });
    using _closed = { [Symbol.dispose]: () => index.close() };
    return Number(index.prepare("select count(*) as count from sessions where writer is null").get()?.count);
  } catch {
    // The index does not exist yet.
    return 0;
  }
}

test("the process does not hold its command's streams open, can be killed without damage, and the next one continues its work", async () => {
  using home = createHome();
  writeWombats(home, SESSIONS);
  await sleep(SETTLED_MS);
  const begunMs = performance.now();
  // `run` resolves when both pipes are closed: a process that kept one would be waited for.
  const lists = await Promise.all([run(home, ["list", "--all"]), run(home, ["list", "--json"])]);
  expect(lists.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const [pid = 0] = await until(
    () => indexing(home),
    (pids) => pids.length === 1,
  );
  await until(
    () => countIndexed(home),
    (count) => count > 0,
  );
  const seen = {
    priority: getPriority(pid),
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    streams: [0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
  };
  process.kill(pid, "SIGKILL");
  expect(seen).toMatchObject({ priority: 19, cwd: "/", streams: ["/dev/null", "/dev/null", "/dev/null"] });
  await until(
    () => indexing(home),
    (pids) => pids.length === 0,
  );
  const after = await status(home);
  expect(after).toMatchObject({ background: "idle" });
  expect(after.indexed).toBeGreaterThan(0);
  expect(after.indexed).toBeLessThan(SESSIONS);
  expect(JSON.parse((await run(home, ["search", "wombat77", "--json"])).stdout)).toMatchObject({ total: 1 });
  // A search within a minute of the list starts no second process; a busy machine may need longer than that to come here.
  if (performance.now() - begunMs < AGAIN_AFTER_MS) expect(indexing(home)).toEqual([]);
  expect((await run(home, ["index", "update", "--background"])).code).toBe(0);
  expect(await status(home)).toMatchObject({ indexed: SESSIONS, background: "idle" });
}, 1_200_000);
