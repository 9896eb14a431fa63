/**
 * A host is killed in the middle of a turn: a prompt that a client saw accepted is there once after the host starts
 * again.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { ownSession } from "../machine/open-chat.ts";
import { AhpClient, promptsIn } from "./client.ts";
import { startViewer } from "./viewer-socket.ts";

/** The times range from before the start of the agent until after its answer. */
const KILLED_AFTER_MS = [0, 20, 60, 120, 250, 500, 900, 1_500];

test("a client whose host is killed in mid-turn reconnects to a state with each accepted prompt once, and continues", async () => {
  const said = KILLED_AFTER_MS.map((_, at) => `say ${at}`);
  const answer = [chunk("one "), { untilFile: "go" }, chunk("two"), DONE];
  const home = createTalkHome({
    ...SCRIPT,
    prompts: { ...SCRIPT.prompts, ...Object.fromEntries(said.map((text) => [text, answer])) },
  });
  const uri = (await ownSession(home)).replace(":", ":/");
  const project = join(home.path, "project");
  let viewer = await startViewer(home.path, project);
  let client = new AhpClient(`unix:${viewer.socket}`, "", "editor");
  try {
    await client.open();
    let chat = await client.look(uri);
    for (const [at, ms] of KILLED_AFTER_MS.entries()) {
      const text = `say ${at}`;
      expect((await client.echo(client.say(chat, text, `turn-${at}`))).rejectionReason).toBeUndefined();
      await sleep(ms);
      client.cut();
      await viewer.kill();
      viewer = await startViewer(home.path, project);
      client = new AhpClient(`unix:${viewer.socket}`, "", "editor");
      await client.open();
      chat = await client.look(uri);
      expect(promptsIn(client.chat(chat)).filter((prompt) => prompt === text)).toEqual([text]);
      await client.until(() => client.chat(chat).activeTurn === undefined);
      expect((await client.echo(client.say(chat, "hello", `hello-${at}`))).rejectionReason).toBeUndefined();
      const isAnswered = (): boolean =>
        client.chat(chat).turns.some(({ id, state }) => id === `hello-${at}` && state === "complete");
      await client.until(isAnswered);
      expect(client.faults).toEqual([]);
    }
  } finally {
    client.cut();
    await viewer.kill();
  }
}, 240_000);
