/** A support desk is killed in the middle of an answer, and later its model receives this answer. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { toModelMessages } from "@continuo/agents/model-agent";
import { toOpenAIMessages } from "@continuo/core/transcript";
import { openContinuo } from "@continuo/server/runtime";
import { afterEach, expect, test } from "vitest";
import { startModelServer, text } from "../model-servers/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(
  args: readonly string[],
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const port = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => {
      const found = /^port (\d+)$/u.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

const headers = { "x-user": "ann", "content-type": "application/json" };

function ask(url: string, id: string, words: string): Promise<Response> {
  return fetch(`${url}/chat`, { method: "POST", headers, body: JSON.stringify({ id, text: words }) });
}

const WHOLE = "one two three four five six seven eight nine ten";

test("after three kills in one answer, the model later receives its question and the whole answer", {
  timeout: 180_000,
}, async () => {
  await using models = await startModelServer({
    turns: [
      { user: "count", answers: [[{ type: "slow", delayMs: 150 }, text(WHOLE)]] },
      { user: "thank", answers: [[text("You are welcome.")]] },
    ],
  });
  const folder = scratchFolder("half-answers");
  const url = `sqlite:${join(folder, "store.db")}`;
  const program = await bundledProgram("test/runtime/processes/desk.ts");
  const args = [program, url, `${models.url}/v1`, join(folder, "refunds")];
  await using reader = await openContinuo(url, { work: false });
  const session = reader.session("customer-ann", { create: true });
  const halves = async (): Promise<number> =>
    (await session.messages()).filter(({ stopReason }) => stopReason === "interrupted").length;
  const streamed = async (): Promise<boolean> => {
    const { events } = await reader.store.read("customer-ann", { order: "newest", limit: 1 });
    return events[0]?.type === "message_streamed";
  };
  for (let kill = 0; kill < 3; kill++) {
    const { url: desk, child } = await start(args);
    const reading = ask(desk, "m1", "Please count").then((response) => response.text());
    reading.catch(() => undefined);
    await expect.poll(streamed, { timeout: 60_000, interval: 20 }).toBe(true);
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }
  const { url: desk } = await start(args);
  await (await ask(desk, "m1", "Please count")).text();
  expect(await session.run("m1").result()).toMatchObject({ status: "completed", text: WHOLE });
  const conversation = ["user", "assistant"];
  const messages = await session.messages();
  expect(toOpenAIMessages(messages).messages.map(({ role }) => role)).toEqual(conversation);
  expect(toModelMessages(messages).messages.map(({ role }) => role)).toEqual(conversation);
  expect(await halves()).toBeGreaterThan(0);
  await (await ask(desk, "m2", "I thank you")).text();
  const { body } = models.conversation().at(-1) ?? {};
  const given = (body as { readonly messages: readonly { role: string; content: unknown }[] }).messages;
  expect(given.filter(({ role }) => role !== "system").map(({ content }) => JSON.stringify(content))).toEqual(
    [
      expect.stringContaining("Please count"),
      expect.stringContaining(WHOLE),
      expect.stringContaining("I thank you"),
    ],
  );
});
