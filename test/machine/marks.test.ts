/** Marks of sessions over HTTP: who may set them, and what the list shows of them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineSession, SessionsPage } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, createHome, writeSessions } from "../cli/home.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let machine: OpenMachine;
beforeEach(async () => {
  const home = createHome();
  writeSessions(home);
  await using store = {
    open: await openStore(`sqlite:${join(home.path, ".continuo", "continuo.db")}`),
    [Symbol.asyncDispose]: () => store.open.close(),
  };
  await store.open.createSession({ title: "A plain one" });
  await store.open.createSession({ title: "ann in tea", metadata: { channel: "tea", handle: "ann" } });
  const { sessionId } = await store.open.createSession({
    title: "A video",
    metadata: { live: { key: "v" } },
  });
  await store.open.createSession({ title: "questions of it", parentId: sessionId });
  machine = await openMachine(home);
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
});

const LIST = "/v1/machine/sessions";
const MARKS = `${LIST}/claude:${CLAUDE_ID}/marks`;

async function listed(query = ""): Promise<SessionsPage> {
  return await machine.json(`${LIST}${query}`);
}

test("a marked session is first, is counted by its tags, and its file stays as it is", async () => {
  const before = readFileSync(join(machine.home.path, claudeFile(CLAUDE_ID)), "utf8");
  const answer = await machine.post(MARKS, { pinned: true, addTags: ["tea", "later"] });
  const marks = { pinned: true, tags: ["later", "tea"] };
  expect((await answer.json()) as MachineSession).toMatchObject({ sessionId: CLAUDE_ID, marks });
  const { sessions, tags } = await listed();
  expect(sessions[0]).toMatchObject({ sessionId: CLAUDE_ID, marks });
  expect(tags).toEqual([
    { tag: "later", sessions: 1 },
    { tag: "tea", sessions: 1 },
  ]);
  for (const query of ["?pinned=only", "?tag=tea&tag=Later"]) {
    expect((await listed(query)).sessions.map(({ sessionId }) => sessionId)).toEqual([CLAUDE_ID]);
  }
  expect((await listed("?tag=tea&tag=other")).total).toBe(0);
  await machine.post(MARKS, { pinned: false, removeTags: ["tea", "later"] });
  expect((await listed("?pinned=only")).total).toBe(0);
  expect(readFileSync(join(machine.home.path, claudeFile(CLAUDE_ID)), "utf8")).toBe(before);
});

test("a token that only reads marks nothing, and what is not a tag is refused", async () => {
  const reader = await machine.token(["machine:read"]);
  expect((await machine.post(MARKS, { pinned: true }, reader)).status).toBe(403);
  for (const body of [{ addTags: ["a b"] }, { pinned: "yes" }, { other: 1 }]) {
    expect((await machine.post(MARKS, body)).status).toBe(400);
  }
  expect((await listed("?pinned=only")).total).toBe(0);
});

test("sessions in channels and of continuous sessions are parts of their own", async () => {
  const titles = async (part: string): Promise<readonly (string | null)[]> =>
    (await listed(`?part=${part}`)).sessions.map(({ title }) => title).sort();
  expect(await titles("channels")).toEqual(["ann in tea"]);
  expect(await titles("live")).toEqual(["A video", "questions of it"]);
  const others = await titles("conversations");
  expect(others).toContain("A plain one");
  expect(others).toContain("Fix the build");
  expect(others).not.toContain("ann in tea");
  const { sessions } = await listed("?part=live");
  expect(sessions.map(({ place }) => place)).toEqual([
    { of: "live", name: "v" },
    { of: "live", name: "v" },
  ]);
});
