/**
 * The model of a real agent refuses a request, or its stream breaks in the middle, while an editor waits at the gateway or
 * at the agent host: the editor sees the rest or the error, the turn ends, and the next request has nothing twice.
 */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { AhpClient, textOfParts } from "../../ahp/client.ts";
import { type Step, text } from "../../model-servers/index.ts";
import { type Stage, stage } from "../chat/stage.ts";
import { openEditor, spokenIn } from "./editor.ts";

const FIRST = "Remember the number forty-one.";
const WRONG = "Name a colour, please.";
const LAST = "Which number was it?";
const [KEPT, REST, ANSWER] = ["I keep it in mind.", "Green it shall be.", "It was forty-one."];
const TIMEOUT_MS = 280_000;

const AGENTS: readonly AgentName[] = ["claude", "codex", "pi"];
const FAULTS: Readonly<Record<string, readonly Step[]>> = {
  "a refusal with 429": [{ type: "error", status: 429, message: "a scripted refusal" }],
  "a stream that is cut": [text("Half of it"), { type: "cut" }],
};

interface Client extends AsyncDisposable {
  /** Resolves with what the client was shown of the answer, and how its turn ended. */
  say(words: string): Promise<{ readonly shown: string; readonly end: string }>;
  /** Ends the turn that runs. */
  cancel(): Promise<unknown>;
  /** The conversation as a client that opens the session now receives it. */
  history(): Promise<{ readonly user: readonly string[]; readonly agent: string }>;
}

async function openGateway(on: Stage): Promise<Client> {
  const cwd = on.sandbox.project;
  const editor = await openEditor(on);
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  return {
    async say(words) {
      editor.updates.length = 0;
      const prompt = [{ type: "text" as const, text: words }];
      let end: string;
      try {
        const answer = await editor.agent.request("session/prompt", { sessionId, prompt });
        end = (answer as { readonly stopReason: string }).stopReason;
      } catch (error) {
        end = `error: ${(error as Error).message}`;
      }
      return { shown: spokenIn(editor.updates), end };
    },
    cancel: () => editor.agent.notify("session/cancel", { sessionId }),
    async history() {
      await using other = await openEditor(on);
      await other.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
      const user = other.updates.flatMap((one) =>
        one.sessionUpdate === "user_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
      );
      return { user, agent: spokenIn(other.updates) };
    },
    [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
  };
}

async function openHost(on: Stage, agent: AgentName): Promise<Client> {
  const viewer = on.start(["view", "--no-open", "--port", "0"]);
  const socket = join(on.sandbox.root, ".continuo/viewer/vscode");
  await expect.poll(() => existsSync(socket), { timeout: 60_000 }).toBe(true);
  const client = new AhpClient(`unix:${socket}`, "", "editor");
  await client.open();
  const uri = `${agent}:/${randomUUID()}`;
  const workingDirectories = [`file://${on.sandbox.project}`];
  await client.ask("createSession", { channel: uri, provider: agent, workingDirectories });
  const chat = await client.look(uri);
  return {
    async say(words) {
      const turnId = randomUUID();
      const { rejectionReason } = await client.echo(client.say(chat, words, turnId));
      expect(rejectionReason).toBeUndefined();
      const find = () => client.chat(chat).turns.find(({ id }) => id === turnId);
      await expect.poll(find, { timeout: TIMEOUT_MS }).toBeDefined();
      const turn = find();
      const error = turn?.responseParts.flatMap((part) => (part.kind === "error" ? part.error.message : []));
      const end = turn?.state === "error" ? `error: ${error?.join()}` : (turn?.state ?? "");
      return { shown: textOfParts(turn ?? { responseParts: [] }), end };
    },
    async cancel() {
      const turnId = client.chat(chat).activeTurn?.id;
      client.dispatch(chat, { type: "chat/turnCancelled", turnId, duration: 0 });
    },
    async history() {
      using other = new AhpClient(`unix:${socket}`, "", "other");
      await other.open();
      await other.look(uri);
      const { turns } = other.chat(chat);
      const user = turns.flatMap(({ message }) => (message.origin.kind === "user" ? [message.text] : []));
      return { user, agent: turns.map(textOfParts).join("") };
    },
    async [Symbol.asyncDispose]() {
      expect(client.faults).toEqual([]);
      client.cut();
      viewer.kill();
      await viewer.end();
    },
  };
}

const count = (whole: string, part: string): number => whole.split(part).length - 1;

async function withFault(
  agent: AgentName,
  { fault, times }: { readonly fault: readonly Step[]; readonly times: number },
) {
  let left = times;
  const on = await stage([agent], {
    turns: [
      { user: FIRST, answers: [[text(KEPT)]] },
      { user: LAST, answers: [[text(ANSWER)]] },
      { user: WRONG, answers: [() => (left-- > 0 ? fault : [text(REST)])] },
    ],
  });
  return on;
}

/** The newest request has each of the words so often. */
function inRequest(on: Stage): (words: string) => number {
  const body = JSON.stringify(on.server.conversation().at(-1)?.body);
  return (words) => count(body, words);
}

const CLIENTS = { gateway: openGateway, host: openHost } as const;

const CASES = AGENTS.flatMap((agent) =>
  Object.entries(FAULTS).flatMap(([name, fault]) =>
    (["gateway", "host"] as const).map((at) => [name, agent, at, fault] as const),
  ),
);

test.each(CASES)(
  "%s in a turn of %s, seen at the %s: the rest follows, the turn ends, and nothing is doubled",
  async (_, agent, at, fault) => {
    await using on = await withFault(agent, { fault, times: 1 });
    await using client = await CLIENTS[at](on, agent);
    expect((await client.say(FIRST)).shown).toBe(KEPT);
    const { shown, end } = await client.say(WRONG);
    expect([shown.endsWith(REST) || end.startsWith("error: "), shown, end]).toEqual([true, shown, end]);
    expect(count(shown, REST)).toBeLessThanOrEqual(1);
    const last = await client.say(LAST);
    expect(last.shown).toBe(ANSWER);
    const times = inRequest(on);
    expect([times(FIRST), times(KEPT), times(LAST)]).toEqual([1, 1, 1]);
    expect(times(WRONG)).toBeLessThanOrEqual(1);
    expect(times(REST)).toBe(count(shown, REST));
    const { user, agent: said } = await client.history();
    expect(user).toEqual([FIRST, WRONG, LAST]);
    expect([KEPT, REST, ANSWER].map((words) => count(said, words))).toEqual([1, count(shown, REST), 1]);
  },
  TIMEOUT_MS,
);

test.each(AGENTS.flatMap((agent) => (["gateway", "host"] as const).map((at) => [agent, at] as const)))(
  "a model of %s that refuses with 429 for ever, seen at the %s: a person can end the turn, and continues",
  async (agent, at) => {
    await using on = await withFault(agent, {
      fault: FAULTS["a refusal with 429"] ?? [],
      times: Number.POSITIVE_INFINITY,
    });
    await using client = await CLIENTS[at](on, agent);
    expect((await client.say(FIRST)).shown).toBe(KEPT);
    const turn = client.say(WRONG);
    let isOver = false;
    turn.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    const asked = (): number =>
      on.server.conversation().filter((one) => JSON.stringify(one.body).includes(WRONG)).length;
    await expect.poll(() => isOver || asked() >= 2, { timeout: TIMEOUT_MS }).toBe(true);
    if (!isOver) await client.cancel();
    const { end } = await turn;
    expect(end).toMatch(/^(?:cancelled|error: )/u);
    expect((await client.say(LAST)).shown).toBe(ANSWER);
    const times = inRequest(on);
    expect([times(FIRST), times(KEPT), times(LAST)]).toEqual([1, 1, 1]);
    expect(times(WRONG)).toBeLessThanOrEqual(1);
    expect((await client.history()).user).toEqual([FIRST, WRONG, LAST]);
  },
  TIMEOUT_MS,
);
