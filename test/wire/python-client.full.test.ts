/** The client in Python, which was written from `PROTOCOL.md`, in a real channel of a real `continuo serve`. */

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgenticClient, connect } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { afterAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const started = new Set<ChildProcess>();

const folder = scratchFolder("python");

afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
});

interface Program {
  readonly text: () => string;
  end(signal: NodeJS.Signals): Promise<void>;
}

function start(file: string, args: readonly string[]): Program {
  const env = { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn(file, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    text: () => text,
    end: async (signal) => {
      child.kill(signal);
      await ended;
      started.delete(child);
    },
  };
}

async function serve(port: number): Promise<{ readonly server: Program; readonly url: string }> {
  const args = ["serve", "--store", "sqlite:./chat.db", "--listen", `127.0.0.1:${port}`];
  const server = start(process.execPath, [join(ROOT, "bin/continuo.js"), ...args]);
  await expect.poll(server.text).toContain("listens on http:");
  return { server, url: /http:[^\s,]+/u.exec(server.text())?.[0] ?? "" };
}

function python(url: string): Program {
  const file = join(ROOT, "examples/channel_client.py");
  return start("python3", [file, url, "team", "--as", "echo", "--token-file", join(folder, "echo.token")]);
}

async function nextAnswer(client: AgenticClient): Promise<string> {
  for await (const event of client.events()) {
    if (event.type === "message" && event.from === "echo") return event.content;
  }
  throw new Error("the channel ended");
}

async function processedBy(handle: string): Promise<number> {
  await using store = await openStore(`sqlite:${join(folder, "chat.db")}`);
  return (await store.getCursor({ logId: "channels/team", name: `processed/${handle}` }))?.sequence ?? 0;
}

test("it answers, after a crash of its own and a new start of the server too, and each message once", async () => {
  const first = await serve(0);
  const token = async (handle: string): Promise<string> => {
    await using store = await openStore(`sqlite:${join(folder, "chat.db")}`);
    return (await store.createToken({ scopes: ["channel:team:read,write"], handle })).secret;
  };
  writeFileSync(join(folder, "echo.token"), await token("echo"));
  const ann = await connect({
    serverUrl: first.url,
    channel: "team",
    handle: "ann",
    token: await token("ann"),
    firstConnectionMs: 120_000,
    onWarning: () => undefined,
  });
  const echo = python(first.url);
  await expect.poll(echo.text).toContain("joined");
  await ann.send("@echo grüß dich 😀");
  expect(await nextAnswer(ann)).toBe("You said: @echo grüß dich 😀");
  // The answer and the commit of the client are two frames. A crash between them would make the client answer again.
  await expect.poll(() => processedBy("echo")).toBeGreaterThan(0);

  await echo.end("SIGKILL");
  await ann.send("@echo are you there");
  const again = python(first.url);
  expect(await nextAnswer(ann)).toBe("You said: @echo are you there");

  await first.server.end("SIGTERM");
  const second = await serve(Number(new URL(first.url).port));
  await ann.send("@echo and now");
  expect(await nextAnswer(ann)).toBe("You said: @echo and now");
  await again.end("SIGINT");
  expect(again.text()).not.toContain("Traceback");
  await second.server.end("SIGTERM");
  await using store = await openStore(`sqlite:${join(folder, "chat.db")}`);
  const { events } = await store.read("channels/team", { limit: 1_000 });
  const ended = events.filter(({ type, actor }) => type === "message_completed" && actor.id === "echo");
  expect(ended).toHaveLength(3);
  await ann.close();
}, 400_000);
