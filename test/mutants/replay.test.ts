/** The replay of promises when its time is over. */

import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../house/imports.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { replayPromises, verdictOf } from "./replay.ts";

const one = { promise: "It ends.", file: "code.ts", text: "a", mistake: "b" };

test("after its time, a replay plants no mistake and reports no promise as tried", async () => {
  const replay = { folders: ["missing"], promises: [one], testsOf: () => ["missing.test.ts"] };
  const ended = await replayPromises({ ...replay, tell: () => undefined, endsAtMs: 0, havePassed: true });
  expect(ended).toEqual({ tried: 0, isTimeOver: true, survivors: [] });
  const running = { ...replay, tell: () => undefined, endsAtMs: Number.POSITIVE_INFINITY, havePassed: true };
  await expect(replayPromises(running)).rejects.toThrow("ENOENT");
});

test("a test that runs when the time of a replay is over is ended, and its mistake was not tried", async () => {
  const folder = scratchFolder("replay");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "code.ts"), "a");
  writeFileSync(
    join(folder, "vitest.config.ts"),
    'export default { test: { projects: [{ test: { name: "quick" } }] } };\n',
  );
  writeFileSync(
    join(folder, "long.test.ts"),
    'import { test } from "vitest";\ntest("waits", () => new Promise((end) => setTimeout(end, 60_000)), 90_000);\n',
  );
  const replay = {
    folders: [folder],
    promises: [one, one],
    testsOf: () => ["long.test.ts"],
    havePassed: true,
  };
  const said: string[] = [];
  const ended = await replayPromises({
    ...replay,
    tell: (line) => said.push(line),
    endsAtMs: Date.now() + 500,
  });
  expect({ ended, said }).toEqual({ ended: { tried: 0, isTimeOver: true, survivors: [] }, said: [] });
  expect(readFileSync(join(folder, "code.ts"), "utf8")).toBe("a");
});

test("a replay that tried no mistake fails and says so, unless its time was over", async () => {
  const nothing = { folders: ["missing"], promises: [], testsOf: () => [], tell: () => undefined };
  const empty = await replayPromises({ ...nothing, endsAtMs: Number.POSITIVE_INFINITY, havePassed: true });
  expect(verdictOf(empty, 0)).toEqual({
    exitCode: 1,
    lines: [expect.stringMatching(/^no mistake was tried,/u)],
  });
  expect(verdictOf({ tried: 0, isTimeOver: false, survivors: [] }, 10).exitCode).toBe(1);
  expect(verdictOf({ tried: 0, isTimeOver: true, survivors: [] }, 10)).toEqual({
    exitCode: 0,
    lines: [
      "no time was left for 10 of 10 mistakes",
      expect.stringMatching(/^no mistake was tried: the time/u),
    ],
  });
});

test("a replay fails with each survivor, and passes if every mistake that was tried was found", () => {
  expect(verdictOf({ tried: 9, isTimeOver: true, survivors: [] }, 10)).toEqual({
    exitCode: 0,
    lines: ["no time was left for 1 of 10 mistakes", "9 of 9 mistakes found"],
  });
  expect(verdictOf({ tried: 10, isTimeOver: false, survivors: [one] }, 10)).toEqual({
    exitCode: 1,
    lines: ["9 of 10 mistakes found"],
  });
});
