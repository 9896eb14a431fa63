import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Store, TailOptions } from "@continuo/core/model";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openStore } from "./open-store.ts";

function next(store: Store, logId: string, options: TailOptions = {}): Promise<unknown> {
  return store.tail(logId, options)[Symbol.asyncIterator]().next();
}

test.each([
  ["", ""],
  ["store.db", "store.db"],
  ["memory", "memory"],
  [":memory:", ":memory:"],
  ["memory:x", "memory:x"],
  ["mysql://ada:secret@host/db", "mysql://…@host/db"],
  ["mysql://ada@host/db", "mysql://…@host/db"],
  [7, "7"],
])("%j is not the URL of a store, and no password is shown", async (url, shown) => {
  await expect(openStore(url as string)).rejects.toMatchObject({
    code: "invalid",
    message: `${JSON.stringify(shown)} is not the URL of a store`,
    hint: "Use memory:, sqlite:PATH or postgres://USER@HOST/DATABASE.",
    details: { url: shown },
  });
});

test("a store is opened by a scheme in any case, by a path and by the URL of a file", async () => {
  const folder = scratchFolder("open");
  const path = join(folder, "a store.db");
  for (const url of [
    "Memory:",
    `SQLite:${path}`,
    `sqlite:${pathToFileURL(path).href.slice("file:".length)}`,
  ]) {
    await using store = await openStore(url, { cacheBytes: 1_048_576 });
    const { logs, location } = await store.info();
    expect([store.workspaceId, logs]).toEqual(["default", url.startsWith("sqlite:") ? 1 : 0]);
    if (url !== "Memory:") expect(location).toContain("a store.db");
    await store.createLog();
  }
});

test.each(["postgres", "postgresql"])("a store on %s uses the clock of its database", async (scheme) => {
  await expect(openStore(`${scheme}://127.0.0.1:1/none`, { now: Date.now })).rejects.toMatchObject({
    code: "unsupported",
    message: "a store on Postgres uses the clock of its database",
    hint: "Leave out `now`.",
  });
});

test.each([
  [{ workspaceId: "" }, "the workspaceId must be a text that is not empty", {}],
  [{ retention: { "": "critical" } }, "the type of an event must be a text that is not empty", {}],
  [
    { retention: { message_sent: "critical" } },
    "cannot set the retention of message_sent: the type is Continuo's own",
    { type: "message_sent" },
  ],
  [
    { retention: { mine: "some" } },
    "the retention of mine must be critical or supplementary",
    { type: "mine" },
  ],
])("the options %j are refused", async (options, message, details) => {
  await expect(openStore("memory:", options as object)).rejects.toMatchObject({
    code: "invalid",
    message,
    details,
  });
});

test("a store whose signal is aborted is not opened", async () => {
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(openStore("memory:", { signal })).rejects.toMatchObject({ code: "cancelled" });
});

test("the error of a closed store says that it is closed, and its views are closed with it", async () => {
  const store = await openStore("memory:");
  const view = store.forWorkspace("view");
  expect([view.workspaceId, store.workspaceId]).toEqual(["view", "default"]);
  expect(() => store.forWorkspace("")).toThrow("the workspaceId must be a text that is not empty");
  const waiting = next(view, (await view.createLog()).logId);
  const closed = {
    code: "unavailable",
    message: "the store is closed",
    hint: "Open it again with openStore.",
    details: { permanent: true },
  };
  const refused = expect(waiting).rejects.toMatchObject(closed);
  await store[Symbol.asyncDispose]();
  await refused;
  for (const one of [store, view]) {
    await expect(one.info()).rejects.toMatchObject(closed);
    await expect(next(one, "log")).rejects.toMatchObject(closed);
    expect(() => one.forWorkspace("other")).toThrow(expect.objectContaining(closed));
    await one.close();
  }
});

test.each([
  [{ types: [""] }, "the type must be a text that is not empty"],
  [{ after: -1 }, "the after must be a sequence (a whole number of at least 0)"],
  [{}, "there is no log none"],
])(
  "a tail with the options %j of a log that is not there is refused",
  async (options: TailOptions, message) => {
    await using store = await openStore("memory:");
    await expect(next(store, "none", options)).rejects.toMatchObject({ message });
    const signal = AbortSignal.abort();
    expect(await next(store, "none", { ...options, signal })).toEqual({ value: undefined, done: true });
  },
);

test("a store and a view of it that are closed twice wait both times for the calls that are running", async () => {
  const store = await openStore("memory:");
  for (const one of [store.forWorkspace("other"), store]) {
    let isDone = false;
    const created = one.createLog().finally(() => {
      isDone = true;
    });
    const first = one.close();
    await one.close();
    expect(isDone).toBe(true);
    await Promise.all([first, created]);
  }
});

test("a view that is closed after its store began to close waits for the calls of the view that are running", async () => {
  const store = await openStore("memory:");
  const view = store.forWorkspace("other");
  let isDone = false;
  const created = view.createLog().finally(() => {
    isDone = true;
  });
  const closing = store.close();
  await view.close();
  expect(isDone).toBe(true);
  await Promise.all([closing, created]);
});
