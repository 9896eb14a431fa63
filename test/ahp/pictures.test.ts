/**
 * A picture that a person attaches in VS Code reaches an agent that accepts pictures; for other agents it is refused
 * with the reason.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chunk, DONE, hello1, type Json } from "../acp/script.ts";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

const DATA = "iVBORw0KGgo=";
const message = (text: string) => ({
  text,
  origin: { kind: "user" },
  attachments: [{ type: "embeddedResource", label: "screen.png", contentType: "image/png", data: DATA }],
});

async function open(promptCapabilities: Json) {
  const home = createTalkHome({
    hello: hello1({ resume: {} }, { loadSession: true, promptCapabilities }),
    answers: { "session/resume": [{ result: {} }] },
    prompts: { wait: [{ untilFile: "go" }, DONE], "*": [chunk("I see."), DONE] },
  });
  const uri = (await ownSession(home)).replace(":", ":/");
  const machine = await openMachine(home);
  const client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  const chat = await client.look(uri);
  const say = (turnId: string, text: string) =>
    client.dispatch(chat, {
      type: "chat/turnStarted",
      turnId,
      startedAt: new Date().toISOString(),
      message: message(text),
    });
  const ended = async (id: string) => {
    await client.until(() => client.chat(chat).turns.some((turn) => turn.id === id));
    return client.chat(chat).turns.find((turn) => turn.id === id);
  };
  return { home, client, chat, say, ended, machine };
}

test("an agent that takes pictures gets the picture, and the clients get its name", async () => {
  const { home, client, say, ended, machine } = await open({ image: true });
  await using _ = machine;
  const echo = await client.echo(say("turn-1", "look"));
  expect(JSON.stringify(echo)).not.toContain(DATA);
  const turn = await ended("turn-1");
  expect([turn?.state, textOfParts(turn ?? { responseParts: [] })]).toEqual(["complete", "I see."]);
  expect(JSON.stringify(home.sent("session/prompt"))).toContain(DATA);
  expect(turn?.message.attachments).toMatchObject([
    { type: "simple", label: "screen.png", modelRepresentation: "[picture, image/png]" },
  ]);
  expect(client.faults).toEqual([]);
  client.cut();
});

test("an agent that takes no pictures is not asked, and the turn ends with the reason", async () => {
  const { home, client, chat, say, ended, machine } = await open({});
  await using _ = machine;
  say("turn-1", "look");
  const turn = await ended("turn-1");
  expect(turn?.state).toBe("error");
  expect(JSON.stringify(turn?.responseParts)).toContain("does not take pictures in a prompt");
  expect(home.sent("session/prompt")).toEqual([]);
  client.say(chat, "hello", "turn-2");
  expect((await ended("turn-2"))?.state).toBe("complete");
  client.cut();
});

test("a message with a picture cannot wait for the end of a turn, and is refused with what to do", async () => {
  const { home, client, chat, ended, machine } = await open({ image: true });
  await using _ = machine;
  await client.echo(client.say(chat, "wait", "turn-1"));
  const queued = { type: "chat/pendingMessageSet", kind: "queued", id: "m", message: message("look") };
  const { rejectionReason } = await client.echo(client.dispatch(chat, queued));
  expect(rejectionReason).toBe("a message with a picture cannot wait: send it when the turn has ended");
  writeFileSync(join(home.path, "go"), "");
  await ended("turn-1");
  client.cut();
});
