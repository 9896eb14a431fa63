/** The promises of rooms, as data that `npm run test:mutants -- --promises` replays. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROMISES } from "../mutants/promises/index.ts";
import { withMistake } from "../mutants/replay.ts";
import { pathOf, ROOT } from "./imports.ts";

const ALL = Object.entries(PROMISES).flatMap(([room, promises]) =>
  promises.map((promise) => ({ room, ...promise })),
);

test("the text of each planted mistake occurs exactly once in its file, which belongs to the room", () => {
  const odd = ALL.flatMap(({ room, file, text, mistake }) => {
    if (!pathOf(file).startsWith(`${room}/`)) return [`${file} is not in ${room}`];
    try {
      const source = readFileSync(join(ROOT, file), "utf8");
      return withMistake(source, text, mistake) === source ? [`${file}: nothing changes: ${text}`] : [];
    } catch (error) {
      return [`${file}: ${(error as Error).message}`];
    }
  });
  expect(odd).toEqual([]);
});

test("each mistake names a quick test that exists", () => {
  const odd = ALL.filter(
    ({ test }) => !existsSync(join(ROOT, test)) || !/^[^.]+(?:\.unit)?\.test\.ts$/u.test(test),
  ).map(({ test }) => test);
  expect(odd).toEqual([]);
});

test("each room has at least ten promises, and each promise is a unique sentence", () => {
  for (const [room, promises] of Object.entries(PROMISES)) {
    expect([room, promises.length >= 10]).toEqual([room, true]);
  }
  const sentences = ALL.map(({ promise }) => promise);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences.filter((sentence) => !/^[A-Z].*\.$/u.test(sentence))).toEqual([]);
});
