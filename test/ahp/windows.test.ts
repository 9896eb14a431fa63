/** The windows of a long chat, its growth by another program, and its end. */

import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, type Home } from "../cli/home.ts";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { type LostHome, makeLostHome, toLines, writeText } from "../lost/recipe.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

const TURNS = 250;

interface Long {
  readonly home: Home;
  readonly lost: LostHome;
  readonly uri: string;
}

/** A session of Claude Code with more turns than one window. */
function longSession(): Long {
  const home = createHome();
  const lost = makeLostHome(home.path);
  const said = Array.from({ length: TURNS }, (_, at) => [
    { role: "user" as const, content: `question ${at}` },
    { role: "assistant" as const, content: `answer ${at}` },
  ]).flat();
  const path = sessionPath(lost);
  writeText(path, toLines(talk(lost, said)));
  return { home, lost, uri: `claude:/${/([^/]+)\.jsonl$/u.exec(path)?.[1]}` };
}

test("a client gets as many of the newest turns as it wants, and all earlier ones by the cursor, each before the answer", async () => {
  const { home, uri } = longSession();
  await using machine = await openMachine(home);
  const token = await machine.token(["machine:read"]);
  using whole = new AhpClient(machine.url, token, "whole");
  using few = new AhpClient(machine.url, token, "few");
  await whole.open();
  await few.open();
  const chat = await whole.look(uri);
  await few.subscribe(uri);
  await few.subscribe(chat, { turns: 3 });
  const questions = (client: AhpClient): readonly string[] =>
    client.chat(chat).turns.map(({ message }) => message.text);
  const all = Array.from({ length: TURNS }, (_, at) => `question ${at}`);
  expect(questions(few)).toEqual(all.slice(-3));
  const sizes = [];
  while (few.chat(chat).turnsNextCursor !== undefined) {
    const { length } = questions(few);
    await few.ask("fetchTurns", { channel: chat, cursor: few.chat(chat).turnsNextCursor });
    expect(questions(few).length).toBeGreaterThan(length);
    sizes.push(questions(few).length);
  }
  expect(sizes.length).toBeGreaterThan(2);
  expect(questions(few)).toEqual(all);
  expect(questions(whole)).toEqual(all);
  expect(few.chat(chat).turns).toEqual(whole.chat(chat).turns);
  expect([...few.faults, ...whole.faults]).toEqual([]);
});

test("a turn that another program writes into the session's file comes to every client", async () => {
  const { home, lost, uri } = longSession();
  await using machine = await openMachine(home);
  using client = new AhpClient(machine.url, await machine.token(["machine:read"]), "a");
  await client.open();
  const chat = await client.look(uri);
  const lines = toLines(
    talk(lost, [
      ...Array.from({ length: TURNS }, () => [
        { role: "user" as const, content: "old" },
        { role: "assistant" as const, content: "old" },
      ]).flat(),
      { role: "user", content: "and now?" },
      { role: "assistant", content: "Now it grows." },
    ]),
  );
  appendFileSync(sessionPath(lost), `${lines.split("\n").slice(-3).join("\n")}`);
  await client.until(() => client.chat(chat).turns.at(-1)?.message.text === "and now?");
  await client.until(
    () => textOfParts(client.chat(chat).turns.at(-1) ?? { responseParts: [] }) === "Now it grows.",
  );
  expect(client.faults).toEqual([]);
});

test("a session that is open in its own agent is read-only: a prompt comes back with the reason, until it is closed", async () => {
  const { home, uri } = longSession();
  const open = `.claude/sessions/${process.pid}.json`;
  home.write(open, JSON.stringify({ pid: process.pid, sessionId: uri.split("/")[1] }));
  await using machine = await openMachine(home);
  using client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  const chat = await client.look(uri);
  await client.until(() => client.session(uri).chats[0]?.interactivity === "read-only");
  const { turns } = client.chat(chat);
  const answer = await client.echo(client.say(chat, "go on", "turn-1"));
  expect(answer.rejectionReason).toMatch(/^session .+ is open in claude/u);
  expect(client.chat(chat).turns).toEqual(turns);
  expect(client.chat(chat).activeTurn).toBeUndefined();
  rmSync(join(home.path, open));
  await client.until(() => client.session(uri).chats[0]?.interactivity === "full");
  expect(client.faults).toEqual([]);
});

test("a session that a client disposes of goes to the trash with every byte, and from every list", async () => {
  const { home, lost, uri } = longSession();
  const bytes = readFileSync(sessionPath(lost));
  await using machine = await openMachine(home);
  using client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  using reader = new AhpClient(machine.url, await machine.token(["machine:read"]), "reader");
  await client.open();
  await reader.open();
  await expect(reader.ask("disposeSession", { channel: uri })).rejects.toMatchObject({
    code: expect.any(Number),
  });
  expect(existsSync(sessionPath(lost))).toBe(true);
  expect(await client.ask("disposeSession", { channel: uri })).toBeNull();
  await reader.until(() =>
    reader.told.some(({ method, params }) => method === "root/sessionRemoved" && params.session === uri),
  );
  const { items } = await reader.ask<{ items: readonly { resource: string }[] }>("listSessions", {
    channel: "ahp-root://",
  });
  expect(items).toEqual([]);
  await expect(reader.subscribe(uri)).rejects.toMatchObject({ code: -32001 });
  expect(existsSync(sessionPath(lost))).toBe(false);
  const { sessions } = await machine.json("/v1/machine/sessions?deleted=only");
  expect(sessions).toHaveLength(1);
  const restored = await machine.post(`/v1/machine/trash/${encodeURIComponent(sessions[0].trashId)}/restore`);
  expect(restored.status).toBe(200);
  expect(readFileSync(sessionPath(lost)).equals(bytes)).toBe(true);
});
