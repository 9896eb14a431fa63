/**
 * Claude Code and Codex through their adapters, which speak version 2 of ACP. The messages are read from the connection,
 * so that an adapter that answers with version 1 is a failure. They run only with `--all-versions`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, Block, Conversation } from "@continuo/core/model";
import { expect, test } from "vitest";
import { openAgent } from "../../../packages/agents/src/drivers/open-agent.ts";
import { startModelServer, text } from "../../model-servers/index.ts";
import { isWanted, PINNED } from "../install.ts";
import { makeSandbox } from "../sandbox.ts";
import { claudeByAcp, codexByAcp } from "./subjects/adapters.ts";

const FIRST = "Remember the number forty-one.";
const WRITE = "Write it down, please.";
const LAST = "Which number was it?";

/** Starts the command, and copies what it receives and what it sends into two files. */
const COPIED = 'tee -a "$0.in" | "$@" | tee -a "$0.out"';

interface Message {
  readonly method?: string;
  readonly params?: { readonly update?: { readonly sessionUpdate?: string; readonly state?: string } };
  readonly result?: { readonly protocolVersion?: number };
}

const messagesIn = (file: string): readonly Message[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Message);

const turn = async (conversation: Conversation, words: string): Promise<readonly AgentEvent[]> => {
  const said: readonly Block[] = [{ type: "text", text: words }];
  return await Array.fromAsync(conversation.prompt(said));
};

const spoken = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.delta : "")).join("");

const SUBJECTS = [
  ...(isWanted(PINNED.claudeAcp) ? [claudeByAcp(2)] : []),
  ...(isWanted(PINNED.codexAcp) ? [codexByAcp(2)] : []),
];

test.each(SUBJECTS)(
  "$title: a turn, a granted question and a resumed session are messages of version 2",
  async ({ agent, prepare, writes }) => {
    await using sandbox = await makeSandbox();
    const file = join(sandbox.project, "written.txt");
    if (writes === null) throw new Error("the agent does not ask");
    await using server = await startModelServer({
      turns: [
        { user: LAST, answers: [[text("It was forty-one.")]] },
        { user: WRITE, answers: [[writes(file, "forty-one")], [text("It is written.")]] },
        { user: FIRST, answers: [[text("I keep it in mind.")]] },
      ],
    });
    const { command, cwd, environment } = await prepare(sandbox, server.url);
    const log = join(sandbox.root, "messages");
    const driver = await openAgent(agent, {
      places: { home: sandbox.root, env: environment },
      command: ["sh", "-c", COPIED, log, ...command],
      transport: "acp",
      protocol: 2,
      // The adapter of Codex does not read the sandbox settings of Codex.
      ...(agent === "codex" ? { env: { INITIAL_AGENT_MODE: "read-only" } } : {}),
    });
    const asked: string[] = [];
    const first = await driver.open({
      cwd,
      permissions: "ask",
      onPermission: async ({ toolName = "" }) => {
        asked.push(toolName);
        return { outcome: "granted", by: "person" };
      },
    });
    expect(spoken(await turn(first, FIRST))).toBe("I keep it in mind.");
    expect(spoken(await turn(first, WRITE))).toBe("It is written.");
    expect(asked).toHaveLength(1);
    expect(readFileSync(file, "utf8").trim()).toBe("forty-one");
    await first.close();
    await using again = await driver.open({ cwd, permissions: "ask", resumeSessionId: first.sessionId });
    expect(again.sessionId).toBe(first.sessionId);
    expect(spoken(await turn(again, LAST))).toBe("It was forty-one.");
    // The model received the earlier turns from the agent's own session.
    expect(JSON.stringify(server.conversation().at(-1)?.body)).toContain("I keep it in mind.");

    const received = messagesIn(`${log}.out`);
    const versions = received.flatMap(({ result }) => result?.protocolVersion ?? []);
    expect(versions.length).toBeGreaterThanOrEqual(2);
    expect(new Set(versions)).toEqual(new Set([2]));
    expect(received.filter(({ method }) => method === "session/request_permission")).toHaveLength(1);
    // Only version 2 reports the beginning and the end of a turn as states.
    const states = received.flatMap(({ params }) =>
      params?.update?.sessionUpdate === "state_update" ? [String(params.update.state)] : [],
    );
    expect(states.filter((state) => state === "running").length).toBeGreaterThanOrEqual(3);
    expect(states.at(-1)).toBe("idle");
    const sent = messagesIn(`${log}.in`).map(({ method }) => method);
    expect(sent.filter((method) => method === "session/prompt")).toHaveLength(3);
    expect(sent).toContain("session/resume");
    expect(sent).not.toContain("session/load");
  },
);
