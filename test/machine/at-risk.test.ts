/** Sessions that agents hide or delete soon, over HTTP: the plan, the restoration, its undo, and who may do it. */

import { utimesSync } from "node:fs";
import { basename, join } from "node:path";
import type { BringBackAnswer, HiddenRow, SessionsAtRisk } from "@continuo/core/wire/machine";
import { changeGuardSettings, runGuard } from "@continuo/native/editing/guard";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, createHome, writeSessions } from "../cli/home.ts";
import { CLAUDE_RECIPES } from "../lost/claude-recipes.ts";
import { CODEX_RECIPES } from "../lost/codex-recipes.ts";
import {
  agedHead,
  DEFAULT_RETENTION,
  GEMINI_RECIPES,
  GEMINI_TALK,
  setRetention,
  writeGemini,
} from "../lost/gemini-recipes.ts";
import { OPENCODE_RECIPES } from "../lost/opencode-recipes.ts";
import { PI_RECIPES, PI_TALK, piFolder, piHeader, writePi } from "../lost/pi-recipes.ts";
import {
  contentOf,
  type LostHome,
  type LostRecipe,
  makeLostHome,
  placesOfHome,
  snapshotOf,
  writeText,
} from "../lost/recipe.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

const AT_RISK = "/v1/machine/at-risk";
const DAY_MS = 24 * 60 * 60 * 1000;

let machine: OpenMachine;
let lost: LostHome;
beforeEach(async () => {
  machine = await openMachine(createHome());
  lost = makeLostHome(machine.home.path);
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
});

const atRisk = async (): Promise<SessionsAtRisk> => await machine.json(AT_RISK);

function pathOf({ key }: Pick<HiddenRow, "key">): string {
  return `/v1/machine/sessions/${encodeURIComponent(key ?? "")}/bring-back`;
}

function recipe(recipes: readonly LostRecipe[], cause: string): LostRecipe {
  const found = recipes.find((one) => one.cause === cause && one.messages !== undefined);
  if (found === undefined) throw new Error(`there is no recipe for ${cause}`);
  return found;
}

/** Writes a session that its agent hides, and returns its row. */
async function hide(one: LostRecipe): Promise<HiddenRow> {
  one.write(lost);
  const { hidden } = await atRisk();
  expect(hidden).toHaveLength(1);
  return hidden[0] as HiddenRow;
}

test.each([
  ["claude", "other_folder", CLAUDE_RECIPES],
  ["claude", "long_first_prompt", CLAUDE_RECIPES],
  ["codex", "other_provider", CODEX_RECIPES],
  ["gemini", "no_project_hash", GEMINI_RECIPES],
  ["opencode", "other_path", OPENCODE_RECIPES],
  ["opencode", "parent_gone", OPENCODE_RECIPES],
  ["pi", "other_folder", PI_RECIPES],
] as const)(
  "%s, %s: a plan writes nothing, the session comes back, and the undo is exact to the byte",
  async (agent, cause, recipes) => {
    const row = await hide(recipe(recipes, cause));
    expect(row).toMatchObject({ agent, canBeDone: true, key: expect.any(String) });
    const [before, content] = [snapshotOf(lost), contentOf(lost)];
    const plan: BringBackAnswer = await machine.json(pathOf(row));
    expect(plan).toMatchObject({ trashId: null, key: null, changes: row.changes });
    expect(plan.steps).not.toEqual([]);
    expect(snapshotOf(lost)).toEqual(before);
    const response = await machine.post(pathOf(row));
    const done = (await response.json()) as BringBackAnswer;
    expect([response.status, done]).toEqual([
      200,
      { ...plan, trashId: expect.any(String), key: expect.any(String) },
    ]);
    expect(contentOf(lost)).not.toEqual(content);
    expect(await atRisk()).toMatchObject({ hidden: [], hiddenCount: 0 });
    expect((await machine.get(`/v1/machine/sessions/${encodeURIComponent(done.key ?? "")}`)).status).toBe(
      200,
    );
    expect((await machine.get(pathOf(done))).status).toBe(409);
    const undone = await machine.post(`/v1/machine/trash/${done.trashId}/restore`);
    expect([undone.status, await undone.json()]).toMatchObject([200, { key: row.key }]);
    expect(contentOf(lost)).toEqual(content);
    expect((await atRisk()).hidden).toEqual([row]);
  },
);

test("a token that may only read sees hidden sessions and plans, and changes nothing", async () => {
  const row = await hide(recipe(CLAUDE_RECIPES, "other_folder"));
  const before = snapshotOf(lost);
  const token = await machine.token(["machine:read"]);
  expect((await machine.get(AT_RISK, token)).status).toBe(200);
  expect((await machine.get(pathOf(row), token)).status).toBe(200);
  expect((await machine.post(pathOf(row), {}, token)).status).toBe(403);
  const answers = await machine.token(["machine:answer"]);
  expect((await machine.post(pathOf(row), {}, answers)).status).toBe(403);
  const other = await machine.token(["sessions:read"]);
  expect((await machine.get(AT_RISK, other)).status).toBe(403);
  expect((await machine.get(pathOf(row), other)).status).toBe(403);
  expect(snapshotOf(lost)).toEqual(before);
});

test("a page of another origin brings no session back, with whatever token", async () => {
  const row = await hide(recipe(CLAUDE_RECIPES, "other_folder"));
  const before = snapshotOf(lost);
  const token = await machine.token(["machine:read,write"]);
  const headers = { authorization: `Bearer ${token}`, origin: "http://evil.example" };
  const response = await fetch(`${machine.url}${pathOf(row)}`, { method: "POST", headers });
  expect(response.status).toBe(403);
  expect(snapshotOf(lost)).toEqual(before);
});

test("a session that its agent lists, a missing session and a body with options are refused", async () => {
  writeSessions(machine.home);
  const listed = { key: `claude:${CLAUDE_ID}` };
  for (const method of ["get", "post"] as const) {
    expect((await machine[method](pathOf(listed))).status).toBe(409);
    expect((await machine[method](pathOf({ key: "claude:nobody" }))).status).toBe(404);
  }
  expect((await machine.post(pathOf(listed), { force: true })).status).toBe(400);
  expect((await machine.get(`${pathOf(listed)}?write=true`)).status).toBe(400);
  const deleted = await machine.post(`/v1/machine/sessions/claude:${CLAUDE_ID}/delete`);
  const { trashId } = (await deleted.json()) as { readonly trashId: string };
  expect((await machine.post(pathOf({ key: `trash:${trashId}` }))).status).toBe(501);
});

test("a cause that Continuo cannot mend is named, with no way back", async () => {
  CLAUDE_RECIPES.find(({ cause }) => cause === "linked_file")?.write(lost);
  const { hidden, hiddenCount } = await atRisk();
  expect([hiddenCount, hidden]).toMatchObject([1, [{ agent: "claude", canBeDone: false }]]);
  expect(hidden[0]?.bringsBack).toMatch(/\.$/u);
});

test("a hidden session that the list leaves out as well has the command that brings it back", async () => {
  const row = await hide(recipe(CLAUDE_RECIPES, "no_user_record"));
  expect(row).toMatchObject({ key: null, canBeDone: false });
  const id = basename(row.location, ".jsonl");
  expect(row.command).toBe(`continuo doctor sessions --fix claude:${id}`);
});

test("all hidden sessions are counted, although one answer names at most 200", async () => {
  for (let n = 0; n < 203; n++) {
    const id = `019f3a00-1b2c-7d3e-8f40-${String(n).padStart(12, "0")}`;
    const name = `2026-11-20T10-00-00-000Z_${id}.jsonl`;
    writePi(lost, [piHeader(lost, { id }), ...PI_TALK], piFolder(join(lost.root, "old-name")), name);
  }
  const { hidden, hiddenCount } = await atRisk();
  expect([hidden.length, hiddenCount]).toEqual([200, 203]);
});

test("sessions that their agent deletes within five days are counted by its rule", async () => {
  writeSessions(machine.home);
  const before = new Date(Date.now() - 28 * DAY_MS);
  utimesSync(join(machine.home.path, claudeFile(CLAUDE_ID)), before, before);
  const { due, isGuarded, notices } = await atRisk();
  expect([isGuarded, notices]).toEqual([false, []]);
  expect(due).toMatchObject({ days: 5, sessions: 1, withoutCopy: 1 });
  expect(due.rules).toEqual([
    { agent: "claude", rule: expect.any(String), sessions: 1, withoutCopy: 1, firstAt: expect.any(String) },
  ]);
  expect(Date.parse(due.rules[0]?.firstAt ?? "")).toBeLessThan(Date.now() + 3 * DAY_MS);
});

test("two rules of one agent are two lines, each with its own sessions, their copies and the first deletion", async () => {
  const write = (days: number, id: string): void => {
    const sessionId = `${id}-7425-40de-944b-e07fc1f90ae7`;
    const timestamp = new Date(Date.now() - days * DAY_MS).toISOString();
    const talk = GEMINI_TALK.map((record) => ({ ...record, timestamp }));
    const name = `session-2026-11-20T10-00-${id}.jsonl`;
    writeGemini(lost, [agedHead(lost, days, { sessionId }), ...talk], name);
  };
  write(27, "7c9e6601");
  write(28, "7c9e6602");
  setRetention(lost, { ...DEFAULT_RETENTION, maxCount: 2 });
  await runGuard({ places: placesOfHome(lost) });
  write(26, "7c9e6603");
  write(10, "7c9e6604");
  setRetention(lost, { ...DEFAULT_RETENTION, maxCount: 3 });
  const { due } = await atRisk();
  expect(due).toMatchObject({ sessions: 3, withoutCopy: 1 });
  expect(due.rules).toEqual([
    {
      agent: "gemini",
      rule: "general.sessionRetention.maxCount is 3",
      sessions: 1,
      withoutCopy: 0,
      firstAt: "1970-01-01T00:00:00.000Z",
    },
    {
      agent: "gemini",
      rule: "general.sessionRetention.maxAge is 30d",
      sessions: 2,
      withoutCopy: 1,
      firstAt: expect.any(String),
    },
  ]);
  const firstMs = Date.parse(due.rules[1]?.firstAt ?? "") - Date.now();
  expect(Math.round(firstMs / DAY_MS)).toBe(3);
});

test("the guard is shown as on if its settings say so, and as off if they cannot be read", async () => {
  expect((await atRisk()).isGuarded).toBe(false);
  changeGuardSettings(placesOfHome(lost), { on: true });
  expect((await atRisk()).isGuarded).toBe(true);
  writeText(join(lost.root, ".continuo/guard/settings.json"), "not a record");
  expect(await atRisk()).toMatchObject({ isGuarded: false, notices: [] });
});
