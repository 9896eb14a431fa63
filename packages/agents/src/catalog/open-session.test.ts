import type { Message } from "@continuo/core/model";
import type { Transcript } from "@continuo/core/transcript";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "./limits.ts";
import type { LookUpHit } from "./look-up.ts";
import {
  type CatalogSession,
  cutOffBy,
  modelViewOf,
  openCatalogSession,
  toCatalogSession,
} from "./open-session.ts";
import type { OwnRow } from "./rows.ts";
import { listOwn, type OpenOwn, readOwn } from "./store.ts";

function message(id: string, origin?: Message["origin"]): Message {
  return {
    id,
    role: "user",
    content: [],
    metadata: {},
    ...(origin === undefined ? {} : { origin }),
  } as Message;
}

/** A native session whose model is sent the messages with these ids. */
function opened(messages: readonly Message[], sent: readonly string[]): readonly [LookUpHit, CatalogSession] {
  const modelView = (all: readonly Message[]): readonly Message[] =>
    all.filter(({ id }) => sent.includes(id));
  const hit = { kind: "native", native: { reader: { modelView } } } as unknown as LookUpHit;
  async function* history(): AsyncGenerator<Message, void, void> {
    yield* messages;
  }
  return [hit, { history } as unknown as CatalogSession];
}

test("only messages before the last summary that are no longer sent are cut off", async () => {
  const messages = [
    message("a"),
    message("first", "summary"),
    message("b"),
    message("kept"),
    message("last", "summary"),
    message("hint"),
    message("c"),
  ];
  // Agents also leave out some of their own notes after a summary; the summary did not replace those notes.
  expect(await cutOffBy(...opened(messages, ["kept", "last", "c"]))).toEqual(new Set(["a", "b"]));
  expect(await cutOffBy(...opened([message("a")], []))).toEqual(new Set());
});

/** One of Continuo's own sessions whose row and whose last event have these times. */
function own(updatedAt: string | null, lastTimestamp: string | null, messages: readonly Message[] = []) {
  const transcript = { messages, lastTimestamp, metadata: { events: 7 } } as unknown as Transcript;
  return toCatalogSession({ sessionId: "own", title: null, updatedAt } as OwnRow, transcript, "parent");
}

test("an own session changed at the later one of the times of its row and of its last event", () => {
  const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];
  const changed = (row: string | null, event: string | null) => own(row, event).details.updatedAt;
  expect([changed(early, late), changed(late, early)]).toEqual([late, late]);
  expect([changed(early, null), changed(null, late), changed(null, null)]).toEqual([early, late, null]);
});

test("the details of an own session count its messages by role, its calls, and each model once", async () => {
  const said = (id: string, role: Message["role"], more: object): Message => ({
    ...message(id),
    role,
    ...more,
  });
  const call = { type: "tool_call", id: "c", name: "Bash", args: {} };
  const messages = [
    said("1", "assistant", { content: [{ type: "text", text: "Hello" }], model: "a" }),
    said("2", "user", { content: [{ type: "text", text: "Fix it" }] }),
    said("3", "assistant", { content: [call, call], model: "a" }),
    said("4", "tool", { content: [] }),
    said("5", "user", { content: [{ type: "text", text: "And test it" }] }),
    said("6", "assistant", { content: [], model: "b" }),
  ];
  const session = own(null, null, messages);
  expect(session.details).toMatchObject({
    title: "Fix it",
    messages: { total: 6, user: 2, assistant: 3, tool: 1, system: 0 },
    toolCalls: 2,
    records: 7,
    models: ["a", "b"],
    usage: null,
    branches: 1,
    forkedFrom: "parent",
  });
  expect(session.leaves).toEqual([
    { id: "6", active: true, updatedAt: null, messages: 6, label: "And test it" },
  ]);
  await expect(session.history({ leaf: "5" }).next()).rejects.toMatchObject({ code: "not_found" });
  expect((await Array.fromAsync(session.history({ leaf: "6" }))).length).toBe(6);
  expect([own(null, null).leaves, own(null, null).details.branches]).toEqual([[], 0]);
});

test("the model view is that of the branch that is asked for", async () => {
  const asked: unknown[] = [];
  const [hit, session] = opened([message("a")], ["a"]);
  const branched = {
    ...session,
    history(options: unknown) {
      asked.push(options);
      return session.history();
    },
  } as CatalogSession;
  await modelViewOf(hit, branched, { leaf: "old" });
  expect(asked).toEqual([{ leaf: "old" }]);
});

test("a session that was opened from a copy is read in the home of the copy", async () => {
  const read: unknown[] = [];
  const reader = { open: async (_: unknown, places: unknown) => void read.push(places) };
  const copy = { home: "/copies", env: {} };
  const hit = { kind: "native", native: { reader, found: {}, places: copy } } as unknown as LookUpHit;
  await openCatalogSession(hit, { home: "/home/ann", cwd: "/", env: {} });
  expect(read).toEqual([copy]);
});

test("of a long own session only the newest events are read for its end, and the caller's store stays open", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const said = { type: "message_sent", data: { content: "again" } };
  await store.append(
    sessionId,
    Array.from({ length: CATALOG_LIMITS.newestEvents + 50 }, () => said),
  );
  const ends: string[] = [];
  const own = { ...readOwn(store), [Symbol.asyncDispose]: async () => void ends.push("closed") } as OpenOwn;
  const [row] = await listOwn(own);
  if (row === undefined) throw new Error("there is no session");
  const places = { home: "/nowhere", cwd: "/", env: {} };
  const open = async (more: object) =>
    await openCatalogSession({ kind: "own", row }, places, { own, ...more });
  using end = await open({ newestBytes: 1_000 });
  using whole = await open({});
  expect([end.partial, whole.partial, ends]).toEqual([true, false, []]);
  expect(end.details.messages.total).toBeLessThan(whole.details.messages.total);
});
