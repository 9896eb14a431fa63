/** A client that reconnects with a cursor for each channel: each channel is recovered by itself. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

test("a client of version 1.0.0 recovers each channel from its own cursor, in the middle of a turn and after it", {
  timeout: 60_000,
}, async () => {
  const home = createTalkHome(WAITING_SCRIPT);
  const uri = (await ownSession(home)).replace(":", ":/");
  await using machine = await openMachine(home);
  const token = await machine.token(["machine:read,write"]);
  using a = new AhpClient(machine.url, token, "a");
  using b = new AhpClient(machine.url, token, "b");
  for (const one of [a, b]) expect((await one.open(["1.0.0", "0.9.0"])).protocolVersion).toBe("1.0.0");
  const chat = await a.look(uri);
  await b.look(uri);
  await a.echo(a.say(chat, "wait", "turn-1"));
  await b.until(() => textOfParts(b.chat(chat).activeTurn ?? { responseParts: [] }) === "one two ");
  b.cut();
  a.dispatch(uri, { type: "session/titleChanged", title: "Tea" });
  await a.until(() => a.session(uri).title === "Tea");
  expect(await b.recover()).toEqual([
    [uri, "replay"],
    [chat, "replay"],
  ]);
  expect(b.session(uri).title).toBe("Tea");
  b.cut();
  writeFileSync(join(home.path, "go"), "");
  await a.until(() => a.chat(chat).activeTurn === undefined);
  // The number of a fast channel is not taken for that of a slow one.
  expect(await b.recover()).toEqual([
    [uri, "replay"],
    [chat, "replay"],
  ]);
  expect(b.chat(chat)).toEqual(a.chat(chat));
  expect(b.session(uri)).toEqual(a.session(uri));
  expect(b.faults).toEqual([]);
});

test("a channel without a baseline gets a state, one that is gone is missing, and the others get their actions", async () => {
  const home = createTalkHome(WAITING_SCRIPT);
  const uri = (await ownSession(home)).replace(":", ":/");
  await using machine = await openMachine(home);
  const token = await machine.token(["machine:read,write"]);
  using a = new AhpClient(machine.url, token, "a");
  await a.open();
  const chat = await a.look(uri);
  a.cut();
  const known = a.states.get(chat);
  a.states.delete(chat);
  const more = [
    { channel: chat, lastSeenServerSeq: 0 },
    { channel: "claude:/nobody", lastSeenServerSeq: known?.seq ?? 0 },
  ];
  expect(await a.recover(more)).toEqual([
    [uri, "replay"],
    [chat, "snapshot"],
    ["claude:/nobody", "missing"],
  ]);
  expect(a.chat(chat)).toEqual(known?.state);
  expect((await a.echo(a.say(chat, "hello", "turn-1"))).rejectionReason).toBeUndefined();
  await a.until(() => a.chat(chat).turns.some(({ id }) => id === "turn-1"));
  expect(a.faults).toEqual([]);
});
