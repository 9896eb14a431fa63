/** A conversation that comes back to its original agent: how it is recognized, and what it contains then. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { openStore } from "@continuo/store";
import { beforeEach, describe, expect, test } from "vitest";
import { type Home, openHome, saidOf, type WrittenHandOff, withoutNames, wordsOf } from "./homes.ts";

let home: Home;
let id: string;
beforeEach(() => {
  home = openHome();
  id = home.use("claude", "parallel-tools");
});

const words = async (id: string): Promise<string[]> => wordsOf((await home.read("claude", id)).history);
const forget = (): void => rmSync(join(home.home, "continuo"), { recursive: true });
const back = (from: "pi" | "codex", { sessionId }: WrittenHandOff, options = {}): Promise<WrittenHandOff> =>
  home.go(`${from}:${sessionId}`, "claude", options);

test("it has its own records, and after them the messages of two other agents", async () => {
  const before = await home.read("claude", id);
  const one = await home.go(`claude:${id}`, "pi");
  expect(one.broughtBack).toBe(null);
  await home.say("pi", one, "one");
  const two = await home.go(`pi:${one.sessionId}`, "codex");
  await home.say("codex", two, "two");
  const returned = await back("codex", two);
  const after = await home.read("claude", returned.sessionId);
  expect(wordsOf(after.history)).toEqual([...wordsOf(before.history), ...saidOf("one"), ...saidOf("two")]);
  const own = withoutNames("claude", before.entries);
  expect(withoutNames("claude", after.entries).slice(0, own.length)).toEqual(own);
  const messages = returned.broughtBack?.messages ?? 0;
  expect(returned.broughtBack).toEqual({ agent: "claude", sessionId: id, messages, as: "records" });
  expect(messages).toBe(before.view.length);
  expect(returned.title).toMatch(/^from codex: (?!from )/u);
  expect(returned.receipt).toMatchObject({ rewritten: 0, dropped: 0 });
  const files = new Set(returned.receipt.records.map(({ place }) => place.replace(/:?\d+$/u, "")));
  expect([...files].sort()).toEqual([...[one.location ?? "", (await lookUp()).location].sort(), "line "]);
});

async function lookUp(): Promise<{ readonly location: string }> {
  const { openNativeSession } = await import("@continuo/agents");
  using session = await openNativeSession(`claude:${id}`, { places: home.places });
  return session.details;
}

/** Replaces the store by one with the same provenance of the session, whose copy has these of the copied records. */
async function changeCopy(
  { sessionId }: WrittenHandOff,
  change: (lines: readonly string[]) => readonly string[],
): Promise<void> {
  const [path, logId] = [`sqlite:${join(home.home, "continuo/continuo.db")}`, `handoff/pi/${sessionId}`];
  const readKept = async (): Promise<{ readonly data: HandedOver; readonly lines: readonly string[] }> => {
    await using store = await openStore(path);
    const data = (await store.read(logId)).events[0]?.data as HandedOver;
    const bytes = await Array.fromAsync((await store.openBlob(data.from.copy)).bytes);
    const text = zstdDecompressSync(Buffer.concat(bytes)).toString("utf8");
    return { data, lines: text.trimEnd().split("\n") };
  };
  const { data, lines } = await readKept();
  forget();
  await using store = await openStore(path);
  const { hash } = await store.putBlob(zstdCompressSync(`${change(lines).join("\n")}\n`), {
    mediaType: "application/x-continuo-records+zstd",
  });
  const changed = { ...data, from: { ...data.from, copy: hash } };
  await store.createLog({
    logId,
    events: [{ type: "session_handed_over", data: changed, blobs: [hash] }],
  });
}

interface HandedOver {
  readonly from: { readonly copy: string };
}

describe("it is recognized", () => {
  test("by the copy of its records if it has grown", async () => {
    const before = await words(id);
    const there = await home.go(`claude:${id}`, "pi");
    await home.say("claude", { ...there, sessionId: id, ...(await lookUp()) }, "later");
    const returned = await back("pi", there);
    expect(returned.broughtBack).toMatchObject({ sessionId: id, as: "records" });
    expect(await words(returned.sessionId)).toEqual(before);
  });

  test("by the note in the file if the store is missing", async () => {
    const before = await words(id);
    const there = await home.go(`claude:${id}`, "pi");
    forget();
    const returned = await back("pi", there);
    expect(returned.broughtBack).toMatchObject({ sessionId: id, as: "records" });
    expect(await words(returned.sessionId)).toEqual(before);
  });

  test("by the newest note if the file has two, because the session came back before", async () => {
    const first = await home.go(`codex:${home.use("codex", "steered")}`, "claude");
    const there = await home.go(`claude:${first.sessionId}`, "pi");
    await home.say("pi", there, "one");
    const returned = await back("pi", there);
    expect(returned.broughtBack).toMatchObject({ sessionId: first.sessionId, as: "records" });
    forget();
    const again = await home.go(`claude:${returned.sessionId}`, "pi");
    expect(again.broughtBack).toMatchObject({ agent: "pi", sessionId: there.sessionId });
  });

  test("by its messages if one of them was changed", async () => {
    const there = await home.go(`claude:${id}`, "pi");
    const file = there.location ?? "";
    writeFileSync(file, readFileSync(file, "utf8").replace('"text":"', '"text":"changed '));
    const returned = await back("pi", there);
    const [first, ...others] = await words(id);
    expect(returned.broughtBack).toMatchObject({ sessionId: id, as: "messages" });
    expect(await words(returned.sessionId)).toEqual([first?.replace("user: ", "user: changed "), ...others]);
  });

  test("by its messages if only a part was handed over", async () => {
    const there = await home.go(`claude:${id}`, "pi", { maxMessages: 1 });
    const returned = await back("pi", there);
    expect(returned.broughtBack).toMatchObject({ sessionId: id, as: "messages" });
    expect((await words(returned.sessionId)).slice(1)).toEqual((await words(id)).slice(-1));
  });
});

describe("it is not recognized", () => {
  test("if both the session and the copy are missing", async () => {
    const there = await home.go(`claude:${id}`, "pi");
    forget();
    rmSync(join(home.home, "source"), { recursive: true });
    expect((await back("pi", there)).broughtBack).toBe(null);
  });

  test("if the store is missing and the session has grown", async () => {
    const there = await home.go(`claude:${id}`, "pi");
    await home.say("claude", { ...there, sessionId: id, ...(await lookUp()) }, "later");
    forget();
    expect((await back("pi", there)).broughtBack).toBe(null);
  });

  test("if the session has grown and the copy has lost a record", async () => {
    const there = await home.go(`claude:${id}`, "pi");
    await home.say("claude", { ...there, sessionId: id, ...(await lookUp()) }, "later");
    await changeCopy(there, (lines) => lines);
    expect((await back("pi", there)).broughtBack).toMatchObject({ sessionId: id, as: "records" });
    await changeCopy(there, (lines) => lines.slice(0, -1));
    expect((await back("pi", there)).broughtBack).toBe(null);
  });
});

test("a requested receipt lists what would come back, and nothing is written", async () => {
  const there = await home.go(`claude:${id}`, "pi");
  const { handOff } = await import("@continuo/agents");
  const asked = await handOff(`pi:${there.sessionId}`, {
    to: "claude",
    cwd: home.cwd,
    places: home.places,
    until: "receipt",
  });
  expect(asked).toMatchObject({
    agent: "claude",
    sessionId: null,
    location: null,
    resumeCommand: null,
    verification: null,
    broughtBack: { agent: "claude", sessionId: id, as: "records" },
    madeDatabase: null,
  });
});
