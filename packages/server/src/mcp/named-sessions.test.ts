/** These tests cover the sessions that the tools open by a name, and the turns that `read` shows. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examplePlaces } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { findNativeSessions } from "@continuo/native";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { readTool } from "./read-tool.ts";
import type { ToolContext } from "./tool-context.ts";

const ID = "abcdefab-1111-4111-8111-111111111111";
let home: string;
beforeEach(() => {
  home = scratchFolder("mcp");
});

function write(path: string, turns: number, cwd = "/app"): string {
  const about = { sessionId: ID, cwd, version: "2.1.0", isSidechain: false, userType: "external" };
  const lines = Array.from({ length: turns }, (_, at) => {
    const timestamp = `2025-01-06T08:0${at}:00.000Z`;
    const message = { role: "user", content: `asked ${at + 1}` };
    const parentUuid = at === 0 ? null : `u${at}`;
    return JSON.stringify({ type: "user", uuid: `u${at + 1}`, parentUuid, timestamp, ...about, message });
  });
  const file = join(home, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function read(
  args: object,
  exclude: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const context: ToolContext = {
    places: { home, cwd: home, env: {} },
    exclude: async () => exclude,
    onUnindexed: () => undefined,
    toTime: (text) => text,
    mask: (text) => text.replaceAll("asked", "***"),
    nowMs: Date.now,
    ownSessions: "hidden",
    regexMs: 1_000,
    callerPid: null,
    asking: null,
  };
  const given = readTool.input.parse(args);
  try {
    return (await readTool.call(given, context, new AbortController().signal)).data;
  } catch (error) {
    if (!(error instanceof ContinuoError)) throw error;
    return { code: error.code, hint: error.hint };
  }
}

const numbersOf = ({ turns }: Readonly<Record<string, unknown>>): readonly number[] =>
  (turns as readonly { readonly turn: number }[]).map(({ turn }) => turn);

test("the last turns are shown by default, and all turns are counted wherever the window begins", async () => {
  write(`.claude/projects/-app/${ID}.jsonl`, 5);
  const last = await read({ session: `claude:${ID}`, turns: 2 });
  expect([numbersOf(last), last.ofTurns, last.next]).toEqual([[4, 5], 5, null]);
  const first = await read({ session: ID.slice(0, 8), turn: 1, turns: 2 });
  expect([numbersOf(first), first.ofTurns, first.next]).toEqual([[1, 2], 5, { turn: 3, entry: 1 }]);
  expect(await read({ session: ID, turn: 6 })).toMatchObject({ code: "not_found" });
});

test("no secret is shown, neither in a title nor in a text", async () => {
  write(`.claude/projects/-app/${ID}.jsonl`, 1);
  expect(JSON.stringify(await read({ session: ID }))).not.toContain("asked");
});

test("a session that is excluded by its folder or by its place is treated as if it did not exist", async () => {
  const file = write(`.claude/projects/-app/${ID}.jsonl`, 1, "/secret/app");
  expect(await read({ session: ID })).toMatchObject({ ofTurns: 1 });
  for (const pattern of ["/secret", file, "-app"]) {
    expect([pattern, await read({ session: ID }, [pattern])]).toMatchObject([pattern, { code: "not_found" }]);
  }
});

test("no file is opened because a caller gave its name or its path as that of a session", async () => {
  const listed = write(`.claude/projects/-app/${ID}.jsonl`, 1);
  const other = write("notes.jsonl", 1);
  expect(await read({ session: listed })).toMatchObject({ session: listed, ofTurns: 1 });
  for (const session of ["notes.jsonl", other, "./notes.jsonl"]) {
    expect([session, await read({ session })]).toMatchObject([session, { code: "not_found" }]);
  }
});

test("an id that two sessions share is ambiguous, and the answer names the file of each", async () => {
  const files = ["-app", "-other"].map((folder) => write(`.claude/projects/${folder}/${ID}.jsonl`, 1));
  const { code, hint } = await read({ session: ID });
  expect(code).toBe("ambiguous");
  for (const file of files) expect(hint).toContain(JSON.stringify(file));
});

test("neither the beginning of a session's path nor an example that ships with Continuo is a session", async () => {
  const listed = write(`.claude/projects/-app/${ID}.jsonl`, 1);
  expect(await read({ session: listed.slice(0, -3) })).toMatchObject({ code: "not_found" });
  const places = examplePlaces();
  if (places === null) throw new Error("there are no examples");
  const [example] = await Array.fromAsync(findNativeSessions({ places }));
  home = scratchFolder("mcp");
  expect(await read({ session: example?.sessionId ?? "" })).toMatchObject({ code: "not_found" });
});

test("Continuo's own sessions are found by no name if the caller may not see them", async () => {
  mkdirSync(join(home, ".continuo"));
  {
    await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
    await store.createSession({ sessionId: "own-1" });
    await store.append("own-1", [{ type: "message_sent", data: { content: "asked" } }]);
  }
  for (const session of ["own-1", "continuo:own-1"])
    expect([session, await read({ session })]).toMatchObject([session, { code: "not_found" }]);
});
