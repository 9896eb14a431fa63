import { findNativeSessions } from "@continuo/native";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  CLAUDE_ID,
  CONVERSATION,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
} from "../../../../test/cli/home.ts";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { listCatalog } from "./list.ts";
import { shippedPrices } from "./prices.ts";
import { openRowIndex, readRowFigures } from "./row-index.ts";
import { usageOfAll } from "./stats.ts";

// An hour later: nothing is kept of files that were written a moment ago.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 }));
afterEach(() => void vi.useRealTimers());

test("each session of one database has its own facts and tokens, also when they come from the index", async () => {
  const { places } = await copyHome(scratchFolder("row-index"), ["opencode", "fork"]);
  const found = await Array.fromAsync(findNativeSessions({ agents: ["opencode"], places }));
  expect(found.length).toBeGreaterThan(1);
  const first = openRowIndex(places);
  const read = [];
  for (const one of found) read.push(await first.read(one));
  await first.save();
  expect(new Set(read.map((one) => JSON.stringify(one))).size).toBe(found.length);
  const second = openRowIndex(places);
  await second.expect(found);
  expect(await Promise.all(found.map((one) => second.known(one)))).toEqual(read);
});

test("figures of rows claim nothing about sessions that were not read, and use what the statistics counted", async () => {
  const home = createHome();
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const prices = { own: { "model-a": { input: 1, output: 2 } }, list: shippedPrices() };
  const figures = async () => {
    const { sessions } = await listCatalog({}, { places });
    return (await readRowFigures(sessions, { places, prices }))[0];
  };
  expect(await figures()).toEqual({});
  await usageOfAll({ places });
  const counted = await figures();
  expect(counted).toEqual({ costUsd: expect.any(Number) });
  const index = openRowIndex(places);
  for await (const found of findNativeSessions({ places })) await index.read(found);
  await index.save();
  expect(await figures()).toEqual({ ...counted, problems: [] });
});

test("the usage that a row stores has the folder of its session, for the statistics by project", async () => {
  const home = createHome();
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const index = openRowIndex(places);
  for await (const found of findNativeSessions({ places })) await index.read(found);
  await index.save();
  expect((await usageOfAll({ places })).sessions.map(({ cwd }) => cwd)).toEqual(["/home/ann/app"]);
});
