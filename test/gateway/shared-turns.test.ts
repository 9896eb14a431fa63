/** A turn of one process of the gateway, as editors at other processes see it while it runs. */

import { join } from "node:path";
import { openOwn } from "@continuo/agents/catalog";
import { beforeEach, describe, expect, test } from "vitest";
import { type Json, type Message, Wire } from "../acp/conformance/wire.ts";
import { chunk, DONE, hello1, type Script } from "../acp/script.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";

const CALL = { toolCallId: "t1", title: "Bash", kind: "execute", rawInput: { command: "make" } };

/** Its answer stops in the middle until the test makes a file. */
const SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }] },
  prompts: {
    slowly: [chunk("One "), { untilFile: "on" }, chunk("two "), { untilFile: "more" }, chunk("three."), DONE],
    build: [
      chunk("I build it."),
      { update: { sessionUpdate: "tool_call", ...CALL } },
      {
        ask: {
          toolCall: CALL,
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
      },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" } },
      chunk("Built."),
      DONE,
    ],
  },
};

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome(SCRIPT);
});

async function openGateway(): Promise<Wire> {
  const wire = new Wire({
    command: [process.execPath, MAIN, "acp"],
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
  });
  await wire.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return wire;
}

async function begun(wire: Wire): Promise<string> {
  const cwd = join(home.path, "project");
  const { sessionId } = await wire.get("session/new", { cwd, mcpServers: [] });
  await say(wire, String(sessionId), "hello");
  return String(sessionId);
}

async function load(wire: Wire, sessionId: string): Promise<void> {
  await wire.get("session/load", { sessionId, cwd: join(home.path, "project"), mcpServers: [] });
}

function say(wire: Wire, sessionId: string, text: string): Promise<Json> {
  return wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** The texts of one kind of message, each message as one text. A message without an id ends with another update. */
function texts(wire: Wire, sessionId: string, kind: "user" | "agent"): readonly string[] {
  const found: { readonly id: unknown; text: string }[] = [];
  let isOpen = false;
  for (const { sessionUpdate, content, messageId: id } of wire.updatesOf(sessionId)) {
    const isWanted = sessionUpdate === `${kind}_message_chunk`;
    const last = found.at(-1);
    const text = isWanted ? String((content as Json).text) : "";
    if (isWanted && isOpen && last !== undefined && last.id === id) last.text += text;
    else if (isWanted) found.push({ id, text });
    isOpen = isWanted;
  }
  return found.map(({ text }) => text);
}

const questionsOf = ({ asked }: Wire): readonly Message[] =>
  asked.filter(({ method }) => method === "session/request_permission");

const withdrawnFrom = ({ messages }: Wire): readonly unknown[] =>
  messages.filter(({ method }) => method === "$/cancel_request").map(({ params }) => params?.requestId);

async function storedAnswers(sessionId: string): Promise<readonly unknown[]> {
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() };
  await using own = await openOwn(places);
  const logId = sessionId.replace(/^continuo:/u, "");
  const { events = [] } = (await own?.store.read(logId, { types: ["approval_resolved"] })) ?? {};
  return events.map(({ data }) => data);
}

describe("a turn of another process", () => {
  test("is shown once to an editor that loads the session in the middle of it", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    const running = say(one, id, "slowly");
    await expect.poll(() => texts(one, id, "agent").at(-1)).toBe("One ");
    await using two = await openGateway();
    await load(two, id);
    home.write("on", "");
    await expect.poll(() => texts(two, id, "agent").at(-1)).toBe("One two ");
    // It loads the session again: all of it comes again, from the beginning of the turn, before the load is answered.
    const before = two.messages.length;
    await load(two, id);
    expect(JSON.stringify(two.messages.slice(before))).toMatch(/"slowly".*"One (two )?".*"id":\d+,"result"/u);
    home.write("more", "");
    expect(await running).toEqual({ stopReason: "end_turn" });
    await expect
      .poll(() => two.messages.some((message) => JSON.stringify(message).includes("three.")))
      .toBe(true);
    const again = two.messages
      .slice(before)
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => params?.update as Json);
    const said = again.filter(({ sessionUpdate }) => /_message_chunk$/u.test(String(sessionUpdate)));
    expect(said.map(({ content }) => (content as Json).text).join("")).toBe(
      "helloYou said: helloslowlyOne two three.",
    );
  });

  test("is not shown to an editor that closed the session while its own turn ran", async () => {
    await using one = await openGateway();
    const id = await begun(one);
    const running = say(one, id, "slowly");
    await expect.poll(() => texts(one, id, "agent").at(-1)).toBe("One ");
    await one.get("session/close", { sessionId: id });
    expect(await running).toEqual({ stopReason: "cancelled" });
    const before = one.updatesOf(id).length;
    await using two = await openGateway();
    await load(two, id);
    expect(await say(two, id, "and now?")).toEqual({ stopReason: "end_turn" });
    expect(one.updatesOf(id).slice(before)).toEqual([]);
  });
});

describe("a question of a turn of another process", () => {
  async function asked(): Promise<{ one: Wire; two: Wire; id: string; running: Promise<Json> }> {
    const [one, two] = [await openGateway(), await openGateway()];
    const id = await begun(one);
    await load(two, id);
    one.choose = null;
    two.choose = null;
    const running = say(one, id, "build");
    await expect.poll(() => [one, two].map((wire) => questionsOf(wire).length)).toEqual([1, 1]);
    return { one, two, id, running };
  }

  const choose = (wire: Wire, optionId: string): void => {
    const result = { outcome: { outcome: "selected", optionId } };
    wire.write(`${JSON.stringify({ jsonrpc: "2.0", id: questionsOf(wire)[0]?.id, result })}\n`);
  };

  test("is answered by the editor that did not prompt, and withdrawn from the other one", async () => {
    const { one, two, id, running } = await asked();
    await using _one = one;
    await using _two = two;
    const [question] = questionsOf(two);
    expect(question?.params).toMatchObject({ sessionId: id, toolCall: { rawInput: { command: "make" } } });
    choose(two, "no");
    expect(await running).toEqual({ stopReason: "end_turn" });
    expect(home.answers().at(-1)).toMatchObject({ result: { outcome: { optionId: "no" } } });
    expect(withdrawnFrom(one)).toEqual([questionsOf(one)[0]?.id]);
    expect(await storedAnswers(id)).toEqual([
      expect.objectContaining({ outcome: "denied", by: "person", optionId: "no" }),
    ]);
    expect([one.violations, two.violations]).toEqual([[], []]);
  });
});
