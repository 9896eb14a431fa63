/** A program that has a server and its agent is killed and started again: the agent answers within seconds. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { openStore } from "@continuo/store";
import { openChannel, post, readMessages } from "@continuo/store/channels";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openChannelServer } from "./open-channel.ts";

/** Returns when the server of the program listens, which is before its agent joins. */
async function startProgram(storeUrl: string): Promise<ChildProcess> {
  const file = `${import.meta.dirname}/echo-program.ts`;
  const program = spawn(process.execPath, [file, storeUrl], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void program.kill("SIGKILL"));
  await once(createInterface(program.stdout), "line");
  return program;
}

test("an agent whose program was killed answers within 3 s when it is started again, and a second one is refused while it lives", async () => {
  const storeUrl = `sqlite:${scratchFolder("killed-server")}/store.db`;
  const store = await openStore(storeUrl);
  await openChannel(store, "team");
  const ask = async (id: string): Promise<void> => {
    const author = { channel: "team", handle: "ann", type: "person", instance: "i" };
    const frame = { request: 0, type: "send", id, content: `@bot ${id}` } as const;
    await post(store, author, { frame, open: new Map() });
  };
  const answers = async (): Promise<readonly string[]> =>
    (await readMessages(store, "team", { limit: 100 })).messages
      .filter(({ handle }) => handle === "bot")
      .map(({ content }) => content);

  const first = await startProgram(storeUrl);
  await ask("one");
  await expect.poll(answers, { timeout: 30_000 }).toEqual(["You said: @bot one"]);

  const server = await openChannelServer(store);
  const rival = server.join("bot", { type: "agent", firstConnectionMs: 1_500 });
  await expect(rival).rejects.toMatchObject({ code: "handle_taken" });
  await server.stop();

  first.kill("SIGKILL");
  await once(first, "exit");
  await ask("two");
  await startProgram(storeUrl);
  await expect
    .poll(answers, { timeout: 3_000, interval: 20 })
    .toEqual(["You said: @bot one", "You said: @bot two"]);
  await store.close();
}, 60_000);
