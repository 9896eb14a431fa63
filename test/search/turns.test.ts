/** Turns that are read from a session have the numbers that a search gives them. */

import type { Places } from "@continuo/agents";
import { lookUp, openCatalogSession, sessionTurns, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, type SearchResults, search, searchSessions } from "@continuo/agents/search";
import { indexPathOf, turnsByIds, useIndex } from "@continuo/native/index-file";
import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { copyEveryCase } from "./every-case.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});

const toTime = (text: string): string => text;
const nowMs = Date.parse("2025-01-07T00:00:00Z");

test("the turns of a session have the numbers that a search gives them, also a turn that the index cuts", async () => {
  const scratch = scratchFolder("turns");
  const places = { ...copyEveryCase(scratch, 6), cwd: scratch };
  await expectSameTurns(places);
  const long = Array.from({ length: 5 }, (_, at) => ({
    uuid: `a${at}`,
    parent: at === 0 ? "u1" : `a${at - 1}`,
    role: "assistant" as const,
    content: [{ type: "text", text: "word ".repeat(180_000) }],
    time: `10:00:0${at + 1}`,
  }));
  const lines = [
    { uuid: "u1", parent: null, role: "user" as const, content: "Write much", time: "10:00:00" },
    ...long,
    { uuid: "u2", parent: "a4", role: "user" as const, content: "Enough", time: "10:01:00" },
  ];
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines));
  const numbered = await expectSameTurns({ home: home.path, env: {}, cwd: home.path });
  expect(numbered).toEqual([["u1", "a3", "u2"]]);
});

async function expectSameTurns(places: Places & { readonly cwd: string }): Promise<string[][]> {
  const { ready } = await updateTexts({ places });
  expect(ready.size).toBeGreaterThan(0);
  const used = await useIndex(indexPathOf(places), "read", (database) => {
    const ids = database.prepare("select id from turns").all();
    return turnsByIds(
      database,
      ids.map(({ id }) => Number(id)),
    );
  });
  if (used.state !== "ready") throw new Error(used.state);
  const all: string[][] = [];
  for (const [id, one] of ready) {
    const { key: location } = one;
    const indexed = used.value
      .filter(({ session }) => session === id)
      .sort((a, b) => a.number - b.number)
      .map(({ number, messageId, at, tools, files, errors }) => ({
        number,
        messageId,
        at,
        tools,
        files,
        errors,
      }));
    using session = await openCatalogSession(await lookUp(location, { places }), places);
    const turns = await Array.fromAsync(sessionTurns(session));
    expect(turns.map(({ messages: _, ...turn }) => turn)).toEqual(indexed);
    for (const { messages, messageId } of turns) expect(messages[0]?.id).toBe(messageId);
    const total = (await Array.fromAsync(sessionTurns(session))).flatMap(({ messages }) => messages);
    expect(new Set(total.map(({ id: one }) => one)).size).toBe(total.length);
    all.push(indexed.map(({ messageId }) => messageId));
  }
  return all;
}

test("a text is masked before an excerpt is cut from it, also where the match itself is masked", async () => {
  writeSessions(home);
  const places = { home: home.path, env: {} };
  const { ready: sessions } = await updateTexts({ places });
  const options = { sessions, nowMs, mask: (text: string) => text.replaceAll("Codex", "[masked]") };
  const find = async (query: string, regex?: RegExp): Promise<SearchResults> => {
    const used = await useIndex(indexPathOf(places), "read", (database) =>
      search(database, parseQuery(query, { toTime }), {
        ...options,
        ...(regex === undefined ? {} : { regex }),
      }),
    );
    if (used.state !== "ready") throw new Error(used.state);
    return used.value;
  };
  const words = await find("hello codex");
  expect(words.results.map(({ excerpt }) => excerpt?.pieces.map(({ text }) => text).join(""))).toEqual([
    "Hello [masked]",
  ]);
  for (const [regex, pieces] of [
    [/Cod.x/u, [{ text: "Hello [masked]", match: false }]],
    [
      /Hel+o/u,
      [
        { text: "Hello", match: true },
        { text: " [masked]", match: false },
      ],
    ],
  ] as const) {
    const found = await find("agent:codex", regex);
    expect(found.results.flatMap(({ turns }) => turns.map(({ excerpt }) => excerpt?.pieces))).toEqual([
      pieces,
    ]);
  }
});

test("a regular expression that takes forever ends with an error, and leaves the index usable", async () => {
  home.write(
    claudeFile(CLAUDE_ID),
    claudeText(CLAUDE_ID, [
      { uuid: "u1", parent: null, role: "user", content: `${"a".repeat(60)}!`, time: "10:00:00" },
    ]),
  );
  const places = { home: home.path, env: {} };
  const query = parseQuery("", { toTime, isEmptyAllowed: true });
  const wanted = {
    places: { ...places, cwd: home.path },
    exclude: [],
    nowMs,
    regex: /^(a+)+$/u,
    regexMs: 50,
  };
  const searched = searchSessions(query, wanted);
  await expect(searched).rejects.toMatchObject({ code: "too_large" });
  home.write(claudeFile("4bf3c2a1-0000-4000-8000-00000000000a"), claudeText("x", []));
  expect((await updateTexts({ places })).left).toBe(0);
});
