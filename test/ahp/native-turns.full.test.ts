/** A native session in the agent host, while the agent's own program has it open, and while it adds turns. */

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions } from "@continuo/native";
import { expect, test } from "vitest";
import { DONE, hello1, type Script } from "../acp/script.ts";
import { SCRIPTED_AGENT } from "../acp/scripted-program.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { addAnswer, addTurn, begin } from "../gateway/native-writer.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

const AGENT = "gemini";
const SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }], "session/load": [{ result: {} }] },
  prompts: {
    ask: [
      { touch: "asked" },
      { untilFile: "answered" },
      { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "All." } } },
      DONE,
    ],
  },
};

test("a turn that the agent's own program adds after a turn of a client comes to every client, once", async () => {
  using home = createTalkHome(SCRIPT);
  const agent = { command: process.execPath, args: [SCRIPTED_AGENT, join(home.path, "script.json")] };
  home.write(".continuo/continuo.yaml", JSON.stringify({ agents: { [AGENT]: agent } }));
  await begin(home, AGENT);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const [found] = await Array.fromAsync(findNativeSessions({ places, agents: [AGENT] }));
  const path = found?.location ?? "";
  // Gemini CLI waits if it resumes a session in the minute that the name of its file contains.
  renameSync(path, path.replace(/session-\d{4}-\d\d-\d\dT/u, "session-2026-01-01T"));
  await using machine = await openMachine(home);
  using client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  const uri = `${AGENT}:/${found?.sessionId}`;
  const chat = await client.look(uri);
  const turns = () =>
    client.chat(chat).turns.map((turn) => [turn.message.text, textOfParts(turn), turn.state]);
  client.say(chat, "ask", "turn-1");
  await expect.poll(() => existsSync(join(home.path, "asked")), { timeout: 60_000 }).toBe(true);
  await addAnswer(home, AGENT, { prompt: "ask", answer: "All." });
  home.write("answered", "");
  await client.until(() => client.chat(chat).activeTurn === undefined && turns().length === 2);
  await addTurn(home, AGENT, "one");
  await addTurn(home, AGENT, "two");
  await client.until(() => turns().length >= 4);
  expect(
    turns()
      .slice(1)
      .map(([text, , state]) => [text, state]),
  ).toEqual([
    ["ask", "complete"],
    ["Run the tests one", "complete"],
    ["Run the tests two", "complete"],
  ]);
  expect(turns().at(-1)?.[1]).toContain("They pass.");
  // A client that connects later receives the same turns.
  using later = new AhpClient(machine.url, await machine.token(["machine:read"]), "b");
  await later.open();
  await later.look(uri);
  const texts = (one: AhpClient) => one.chat(chat).turns.map(({ message }) => message.text);
  expect(texts(later)).toEqual(texts(client));
  expect([client.faults, later.faults]).toEqual([[], []]);
});
