import { trashKey } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { trashNativeSession } from "@continuo/native/editing";
import { expect, test, vi } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  type Home,
  writeSessions,
} from "../../../../test/cli/home.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import { createKept, createRowSource, keptForMs, type Rows } from "./rows.ts";

test("a list is kept for ten times as long as it took, within limits; the first one is kept only for a moment", () => {
  const { listMs, mostFirstListMs, mostListMs } = MACHINE_LIMITS;
  const kept = [0, 200, 2_000, 60_000].map((tookMs) => [keptForMs(tookMs, true), keptForMs(tookMs, false)]);
  expect(kept).toEqual([
    [listMs, listMs],
    [2_000, 2_000],
    [mostFirstListMs, 20_000],
    [mostFirstListMs, mostListMs],
  ]);
});

function placesOf(home: Home): PlacesAt {
  return { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
}

const ARCHIVED_ID = "01999999-2222-7222-8333-000000000002";

function archivedText(): string {
  const at = "2025-01-07T08:00:00.000Z";
  const content = [{ type: "input_text", text: "An archived question" }];
  return [
    {
      type: "session_meta",
      payload: { id: ARCHIVED_ID, timestamp: at, cwd: "/home/ann/tool", originator: "codex_exec" },
    },
    { type: "response_item", payload: { type: "message", role: "user", content } },
  ]
    .map((record) => `${JSON.stringify({ timestamp: at, ...record })}\n`)
    .join("");
}

test("the rows include all sessions with a message, also archived ones", async () => {
  using home = createHome();
  writeSessions(home);
  home.write(`.codex/archived_sessions/rollout-2025-01-07T08-00-00-${ARCHIVED_ID}.jsonl`, archivedText());
  const empty = "4bf3eeee-0000-4000-8000-00000000000e";
  home.write(claudeFile(empty), claudeText(empty, []));
  const { byKey, notices } = await createRowSource(placesOf(home)).rows();
  const keys = [...byKey.keys()];
  expect(keys).toEqual(
    expect.arrayContaining([`claude:${CLAUDE_ID}`, `codex:${CODEX_ID}`, `codex:${ARCHIVED_ID}`]),
  );
  expect(byKey.get(`codex:${ARCHIVED_ID}`)?.shown.archived).toBe(true);
  expect(keys).not.toContain(`claude:${empty}`);
  expect(notices).toEqual([]);
});

test("a store that cannot be read is reported together with the rows of the other sources", async () => {
  using home = createHome();
  writeSessions(home);
  home.write(".continuo/continuo.db", "no database at all, but a text that is long enough for a header");
  const { byKey, notices } = await createRowSource(placesOf(home)).rows();
  expect(byKey.has(`claude:${CLAUDE_ID}`)).toBe(true);
  expect(notices).toEqual([expect.stringMatching(/^Continuo's own sessions are missing: ./u)]);
});

test("after a change, every list includes it: the whole list, that of the next page, and the newest sessions", async () => {
  using home = createHome();
  writeSessions(home);
  const source = createRowSource(placesOf(home));
  const added = "4bf3ffff-0000-4000-8000-00000000000a";
  const line = { uuid: "n1", parent: null, role: "user", content: "A new one", time: "11:00:00" } as const;
  const lists = async (): Promise<readonly Rows[]> => [
    (await source.soon()).rows,
    await source.rows(),
    await source.same(),
  ];
  const has = ({ byKey }: Rows): boolean => byKey.has(`claude:${added}`);
  const newest = (await source.soon()).rows;
  home.write(claudeFile(added), claudeText(added, [line]));
  // No change was reported, so the newest rows are those of a moment ago.
  expect([has(newest), has((await source.soon()).rows)]).toEqual([false, false]);
  source.forget();
  expect((await lists()).map(has)).toEqual([true, true, true]);
});

test("a value is made again after it was forgotten, or after it could not be made", async () => {
  const made: string[] = [];
  let isBroken = true;
  const kept = createKept(
    async () => {
      if (isBroken) throw new Error("the disk is away");
      made.push("list");
      return made.length;
    },
    () => 3_600_000,
  );
  await expect(kept.get()).rejects.toThrow("the disk is away");
  expect(kept.isMade()).toBe(false);
  isBroken = false;
  expect([await kept.get(), await kept.get(), await kept.getOld(), kept.isMade()]).toEqual([1, 1, 1, true]);
  kept.forget();
  expect([await kept.getOld(), await kept.get()]).toEqual([2, 2]);
});

test("an answer from the last list does not wait for a new one, which is made after it, unless the last is too old", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  try {
    let next = Promise.withResolvers<string>();
    const kept = createKept(
      () => next.promise,
      () => 1_000,
    );
    next.resolve("first");
    expect(await kept.getKnown()).toEqual({ value: "first", isDue: false });
    next = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await kept.getKnown()).toEqual({ value: "first", isDue: true });
    await vi.advanceTimersByTimeAsync(MACHINE_LIMITS.renewPauseMs);
    // The new list is under way, and nobody waits for it.
    expect(await kept.getKnown()).toEqual({ value: "first", isDue: true });
    next.resolve("second");
    await vi.advanceTimersByTimeAsync(0);
    expect(await kept.getKnown()).toEqual({ value: "second", isDue: false });
    next = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(2_000 + MACHINE_LIMITS.mostListMs);
    next.resolve("third");
    expect(await kept.getKnown()).toEqual({ value: "third", isDue: false });
  } finally {
    vi.useRealTimers();
  }
});

test("a value that was forgotten while it was made is not the old value of a later reader", async () => {
  const made = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let count = 0;
  const kept = createKept(
    () => made[count++]?.promise ?? Promise.reject(new Error("made too often")),
    () => 3_600_000,
  );
  const first = kept.get();
  kept.forget();
  made[0]?.resolve("before the change");
  expect(await first).toBe("before the change");
  const next = kept.getOld();
  made[1]?.resolve("after the change");
  expect(await next).toBe("after the change");
  expect(await kept.getKnown()).toEqual({ value: "after the change", isDue: false });
});

test("the rows of deleted sessions have keys of the trash, and no row of the list", async () => {
  using home = createHome();
  writeSessions(home);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const found = (await createRowSource(placesOf(home)).rows()).byKey.get(`claude:${CLAUDE_ID}`)?.row;
  const location = found?.location ?? "";
  const now = new Date();
  const ref = { agent: "claude", sessionId: CLAUDE_ID, location, cwd: null } as const;
  const { trashId } = await trashNativeSession(ref, { places, now });
  const { byKey, trashed } = await createRowSource(placesOf(home)).rows();
  expect(byKey.has(`claude:${CLAUDE_ID}`)).toBe(false);
  expect(trashed).toMatchObject([
    { key: trashKey(trashId), trashId, sessionId: CLAUDE_ID, title: found?.title },
  ]);
});

test("other caches are forgotten together with the rows, and the newest rows are not taken for all of them", async () => {
  using home = createHome();
  writeSessions(home);
  let times = 0;
  const source = createRowSource(placesOf(home), () => void times++);
  expect([(await source.soon()).isWhole, (await source.soon()).isWhole]).toEqual([false, false]);
  await source.rows();
  expect((await source.soon()).isWhole).toBe(true);
  source.forget();
  expect(times).toBe(1);
});
