/** The replay of promises when its time is over. */

import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../house/imports.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { replayPromises } from "./replay.ts";

const one = { promise: "It ends.", file: "code.ts", text: "a", mistake: "b" };

test("after its time, a replay plants no mistake and reports no promise as tried", async () => {
  const replay = { folders: ["missing"], promises: [one], testsOf: () => ["missing.test.ts"] };
  const ended = await replayPromises({ ...replay, tell: () => undefined, endsAtMs: 0, havePassed: true });
  expect(ended).toEqual({ tried: 0, survivors: [] });
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
  expect({ ended, said }).toEqual({ ended: { tried: 0, survivors: [] }, said: [] });
  expect(readFileSync(join(folder, "code.ts"), "utf8")).toBe("a");
});
