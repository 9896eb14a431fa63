/** A question in a fork: the fork and the question are one step, which can be repeated after a kill. */

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { startRun, startSession } from "@continuo/store/sessions";
import { afterEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../scratch-folder.ts";

const PROGRAM = join(import.meta.dirname, "processes/fork-asker.ts");

let c: Continuo;
afterEach(() => c.close({ graceMs: 0 }));

const textsOf = async (sessionId: string): Promise<readonly unknown[]> => {
  const { messages } = await c.session(sessionId).chat();
  return messages.map(({ parts }) => parts.find(({ type }) => type === "text")?.text);
};

test("a question in a fork is asked once, although its process was killed after the fork and after the question", async () => {
  const folder = scratchFolder("forks");
  mkdirSync(folder, { recursive: true });
  const url = `sqlite:${join(folder, "archive.db")}`;
  c = await openContinuo(url, { agents: [new EchoAgent()], pollMs: 10 });
  await c.session("work", { create: true }).send("Mend the build.", { id: "1" }).result();
  await c.close();
  const ran = ["forked", "sent", ""].map((step) => spawnSync(process.execPath, [PROGRAM, url, step]));
  expect(ran.map(({ signal, stdout }) => signal ?? String(stdout).trim())).toEqual([
    "SIGKILL",
    "SIGKILL",
    "completed",
  ]);
  c = await openContinuo(url, { work: false });
  const before = ["Mend the build.", "Mend the build."];
  expect(await textsOf("ask-1")).toEqual([...before, "What was done?", "What was done?"]);
  expect(await textsOf("work")).toEqual(before);
}, 120_000);

test("a fork under the id of a session of another origin is a conflict, and of the same origin the same session", async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 10 });
  for (const name of ["work", "other"])
    await c.session(name, { create: true }).send(name, { id: "1" }).result();
  const forked = (logId: string, sequence?: number) =>
    c.session("ask-1", {
      create: true,
      forkedFrom: { logId, ...(sequence === undefined ? {} : { sequence }) },
    });
  const all = await Promise.all([1, 2, 3].map(() => forked("work").messages()));
  expect(all.map((messages) => messages.length)).toEqual([2, 2, 2]);
  const at = (await c.store.getSession("ask-1"))?.forkedFrom?.sequence ?? 0;
  await c.session("work").send("later", { id: "2" }).result();
  expect(await forked("work").messages()).toHaveLength(2);
  expect(await forked("work", at).messages()).toHaveLength(2);
  for (const handle of [forked("other"), forked("work", at - 1)]) {
    await expect(handle.send("What was done?")).rejects.toMatchObject({ code: "conflict" });
  }
  const plain = c.session("other", { create: true, forkedFrom: { logId: "work" } });
  await expect(plain.messages()).rejects.toMatchObject({ code: "conflict" });
  const missing = c.session("ask-2", { create: true, forkedFrom: { logId: "nothing" } });
  await expect(missing.messages()).rejects.toMatchObject({ code: "not_found" });
  expect(await c.session("ask-1", { create: true }).messages()).toHaveLength(2);
});

test("a session that does not exist is called a session by all who were asked for one", async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 10 });
  const none = { code: "not_found", message: 'there is no session "nothing"', hint: expect.any(String) };
  const asked: readonly (() => Promise<unknown>)[] = [
    () => TranscriptBuilder.fromStore(c.store, "nothing"),
    () => TranscriptBuilder.fromStore(c.store, "nothing", { limit: 3 }),
    () => c.replay("nothing", { agent: new EchoAgent() }),
    () => c.session("new", { create: true, forkedFrom: { logId: "nothing" } }).messages(),
    () => startSession(c.store, { forkedFrom: { logId: "nothing", sequence: 1 } }),
    () => startRun(c.store, "nothing", "hello"),
    () => c.session("nothing").toHtml(),
  ];
  for (const ask of asked) await expect(ask()).rejects.toMatchObject(none);
  await c.session("work", { create: true }).send("x", { id: "1" }).result();
  const transcript = await TranscriptBuilder.fromStore(c.store, "work");
  await c.store.deleteSession("work");
  await expect(TranscriptBuilder.updateFromStore(c.store, transcript)).rejects.toMatchObject({
    message: 'there is no session "work"',
  });
  // The store knows logs.
  await expect(c.store.read("nothing")).rejects.toMatchObject({ message: "there is no log nothing" });
});
