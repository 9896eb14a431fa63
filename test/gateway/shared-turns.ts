/** Turns of one process of the gateway, as editors at other processes see them. */

import { join } from "node:path";
import { openOwn } from "@continuo/agents/catalog";
import { beforeEach, expect } from "vitest";
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

export function say(wire: Wire, sessionId: string, text: string): Promise<Json> {
  return wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** The texts of one kind of message, each message as one text. A message without an id ends with another update. */
export function texts(wire: Wire, sessionId: string, kind: "user" | "agent"): readonly string[] {
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

export const questionsOf = ({ asked }: Wire): readonly Message[] =>
  asked.filter(({ method }) => method === "session/request_permission");

export const withdrawnFrom = ({ messages }: Wire): readonly unknown[] =>
  messages.filter(({ method }) => method === "$/cancel_request").map(({ params }) => params?.requestId);

/** Answers the question of an editor. */
export const choose = (wire: Wire, optionId: string): void => {
  const result = { outcome: { outcome: "selected", optionId } };
  wire.write(`${JSON.stringify({ jsonrpc: "2.0", id: questionsOf(wire)[0]?.id, result })}\n`);
};

export interface SharedTurns {
  readonly home: TalkHome;
  /** An editor at a process of its own. */
  openGateway(): Promise<Wire>;
  /** Begins a session with one turn, and returns its id. */
  begun(wire: Wire): Promise<string>;
  load(wire: Wire, sessionId: string): Promise<void>;
  storedAnswers(sessionId: string): Promise<readonly unknown[]>;
  /** Two editors that are asked the question of a turn. */
  asked(): Promise<{ one: Wire; two: Wire; id: string; running: Promise<Json> }>;
}

/** Call it once in a file: each test gets a home of its own. */
export function sharedTurns(): SharedTurns {
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

  async function storedAnswers(sessionId: string): Promise<readonly unknown[]> {
    const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path), now: new Date() };
    await using own = await openOwn(places);
    const logId = sessionId.replace(/^continuo:/u, "");
    const { events = [] } = (await own?.store.read(logId, { types: ["approval_resolved"] })) ?? {};
    return events.map(({ data }) => data);
  }

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

  return {
    get home() {
      return home;
    },
    openGateway,
    begun,
    load,
    storedAnswers,
    asked,
  };
}
