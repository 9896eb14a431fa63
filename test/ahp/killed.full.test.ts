/** A host that is killed in the middle of a turn: what a client saw accepted is there once after it starts again. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { ownSession } from "../machine/open-chat.ts";
import { AhpClient } from "./client.ts";
import { startViewer } from "./viewer-socket.ts";

/** From before the agent started to after its answer. */
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
  const accepted: string[] = [];
  let client = new AhpClient(`unix:${viewer.socket}`, "", "editor");
  try {
    await client.open();
    let chat = await client.look(uri);
    for (const [at, ms] of KILLED_AFTER_MS.entries()) {
      const text = `say ${at}`;
      await client.until(() => client.chat(chat).activeTurn === undefined);
      const { rejectionReason } = await client.echo(client.say(chat, text, `turn-${at}`));
      expect(rejectionReason).toBeUndefined();
      accepted.push(text);
      await sleep(ms);
      client.cut();
      await viewer.kill();
      if (at === KILLED_AFTER_MS.length - 1) writeFileSync(join(home.path, "go"), "");
      viewer = await startViewer(home.path, project);
      const { lastSeen } = client;
      client = new AhpClient(`unix:${viewer.socket}`, "", "editor");
      client.lastSeen = lastSeen;
      await client.open();
      chat = await client.look(uri);
      const asked = [
        ...client.chat(chat).turns,
        ...(client.chat(chat).activeTurn === undefined ? [] : [client.chat(chat).activeTurn]),
      ];
      expect(asked.map((turn) => turn?.message.text)).toEqual(accepted);
    }
    await client.until(() => client.chat(chat).activeTurn === undefined);
    expect((await client.echo(client.say(chat, "hello", "last"))).rejectionReason).toBeUndefined();
    await client.until(
      () =>
        client.chat(chat).turns.at(-1)?.state === "complete" && client.chat(chat).activeTurn === undefined,
    );
    expect(client.chat(chat).turns.at(-1)?.message.text).toBe("hello");
    expect(client.faults).toEqual([]);
  } finally {
    client.cut();
    await viewer.kill();
  }
}, 240_000);
