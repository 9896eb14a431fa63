import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "@continuo/core/model";
import { claudeFormat } from "@continuo/native/claude";
import type { FoundSession } from "@continuo/native/kit";
import { lockNative } from "@continuo/native/writing";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { isWrittenTo, stampOf, watchTurn } from "./writer.ts";

const ID = "0b1f6f1e-7a55-4c1c-9c39-1d9f4d7a0b11";
let home = "";
let file = "";

beforeEach(() => {
  home = scratchFolder("writer");
  mkdirSync(join(home, ".claude/projects/-work"), { recursive: true });
  file = join(home, `.claude/projects/-work/${ID}.jsonl`);
  writeFileSync(file, record("u1", null, "2026-01-01T00:00:00.000Z"));
});

function record(uuid: string, parentUuid: string | null, timestamp: string, type = "user"): string {
  const message = { role: type, content: "words", ...(type === "user" ? {} : { model: "m", id: uuid }) };
  return `${JSON.stringify({ type, uuid, parentUuid, sessionId: ID, cwd: "/work", timestamp, message })}\n`;
}

const places = () => ({ home, env: {} });
const options = () => ({ places: places(), reader: claudeFormat });

async function found(): Promise<FoundSession> {
  const session = await claudeFormat.recognise(file, places());
  if (session === null) throw new Error("not recognised");
  return session;
}

const later = (): string => new Date(Date.now() + 1_000).toISOString();

test("a session in which somebody else sent a prompt since the last turn counts as changed by another program", async () => {
  const stamp = stampOf(await found());
  expect(await isWrittenTo(options(), stamp)).toBe(false);
  appendFileSync(file, record("u2", "u1", later()));
  expect(await isWrittenTo(options(), stamp)).toBe(true);
  expect(await isWrittenTo(options(), stampOf(await found()))).toBe(false);
});

test("records that an agent writes after its turn count as its own: an answer, a title", async () => {
  const stamp = stampOf(await found());
  appendFileSync(file, record("a1", "u1", later(), "assistant"));
  appendFileSync(file, `${JSON.stringify({ type: "ai-title", aiTitle: "words", sessionId: ID })}\n`);
  expect(await isWrittenTo(options(), stamp)).toBe(false);
});

describe("during a turn", () => {
  const own = [{ type: "text", text: "my own\n words" }] as const;
  const watch = async (said: readonly Block[] = own) => {
    const turn = { found: await found(), said, askedAtMs: Date.now(), onOther: () => undefined };
    return watchTurn(options(), turn);
  };
  const said = (uuid: string, parent: string, content: string): string =>
    record(uuid, parent, later()).replace('"words"', JSON.stringify(content));

  test("the turn's own prompt does not count as another writer's, whatever the agent adds around it", async () => {
    const turn = await watch();
    appendFileSync(file, said("u2", "u1", "[a note] my own words "));
    appendFileSync(file, record("a1", "u2", later(), "assistant"));
    expect(await turn.look()).toBe(false);
    turn.stop();
  });

  test("any other prompt counts as somebody else's, even on another branch", async () => {
    const turn = await watch();
    appendFileSync(file, said("x2", "u1", "somebody else's"));
    appendFileSync(file, said("u2", "u1", "my own words"));
    appendFileSync(file, record("a1", "u2", later(), "assistant"));
    expect(await turn.look()).toBe(true);
    turn.stop();
  });

  test("messages that a compaction records again do not count as another writer's", async () => {
    const turn = await watch();
    appendFileSync(file, said("u2", "u1", "my own words"));
    appendFileSync(file, record("u3", "u2", later()));
    expect(await turn.look()).toBe(false);
    turn.stop();
  });

  test("the agent's own commands, which it records in other words, are not searched for", async () => {
    const turn = await watch([{ type: "text", text: "/compact" }]);
    appendFileSync(file, said("u2", "u1", "<command-name>/compact</command-name>"));
    expect(await turn.look()).toBe(false);
    turn.stop();
  });
});

test("only one conversation can have a native session open; the next one waits for one that is about to close", async () => {
  const writing = { agent: "claude", sessionId: ID, places: places() };
  const first = await lockNative(writing);
  await expect(lockNative(writing)).rejects.toMatchObject({ code: "session_live" });
  (await lockNative({ ...writing, sessionId: "another" })).release();
  first.leave();
  let isHeld = true;
  const second = lockNative(writing).then((lock) => {
    expect(isHeld).toBe(false);
    return lock;
  });
  await new Promise((soon) => setImmediate(soon));
  isHeld = false;
  first.release();
  const lock = await second;
  // The stamp of the earlier conversation does not count for this one.
  await expect(lockNative(writing)).rejects.toMatchObject({ code: "session_live" });
  lock.release();
});
