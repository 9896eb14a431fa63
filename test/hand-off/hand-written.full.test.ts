/**
 * Hand-written sessions of all shapes that Claude Code, Gemini CLI and pi read, including older and damaged ones, come
 * back with their own records and the same content.
 */

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Home, openHome, withoutNames, wordsOf } from "./homes.ts";

const FORMATS = join(import.meta.dirname, "../formats");

let at: Home;
beforeAll(() => {
  at = openHome();
});
afterAll(() => at[Symbol.dispose]());

async function read(location: string, places: Places) {
  using session = await openNativeSession(location, { places });
  const all = await Array.fromAsync(session.entries());
  // A line that is not an object is not a record of any agent, so it is not handed over.
  const entries = all.filter(({ file, value }) => file === undefined && isJson(value));
  return { entries, history: await Array.fromAsync(session.history()) };
}

/** Copies every record in the same way as a return. */
async function expectToComeBack(agent: AgentName, location: string, places: Places): Promise<void> {
  const before = await read(location, places);
  const made = await at.go(location, agent, { places });
  expect(made.broughtBack).toMatchObject({ as: "records" });
  const after = await read(made.location ?? "", places);
  const records = after.entries.slice(0, before.entries.length);
  expect(withoutNames(agent, records)).toEqual(withoutNames(agent, before.entries));
  expect(wordsOf(after.history.slice(0, before.history.length))).toEqual(wordsOf(before.history));
}

interface Resumed {
  readonly name: string;
  readonly file: readonly unknown[];
}

const RESUMED: readonly Resumed[] = readFileSync(join(FORMATS, "claude/resumed/cases.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

test.each(RESUMED)("claude $name", async ({ name, file }) => {
  const path = join(at.home, `${name}.jsonl`);
  writeFileSync(path, file.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await expectToComeBack("claude", path, at.places);
});

const CASES = (["claude", "gemini", "pi"] as const).flatMap((agent) => {
  const folder = join(FORMATS, agent, agent === "claude" ? "cases" : "");
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "home")))
    .map((name) => ({ agent, name, from: join(folder, name, "home") }));
});

test.each(CASES)("$agent $name", async ({ agent, name, from }) => {
  const copy = join(at.home, agent, name);
  cpSync(from, copy, { recursive: true });
  const places = { ...at.places, env: { ...at.places.env, [HOME_VARIABLES[agent]]: copy } };
  for (const { location } of await listNativeSessions({ agents: [agent], places })) {
    const { history } = await read(location, places);
    // A message that no model reads is not handed over.
    if (wordsOf(history).length > 0) await expectToComeBack(agent, location, places);
  }
});
