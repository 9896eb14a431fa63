/** Runs of the session manager with the real agents: continued natively, by replay, and by several agents in turn. */

import { openRunAgent } from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { type RunOnceOptions, type RunResult, runOnce } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { type ModelServer, type Script, startModelServer, text } from "../../model-servers/index.ts";
import type { AgentSetup } from "../drivers/contract.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { normaliseRequest } from "../requests.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const TALK: Readonly<Record<string, string>> = {
  "Remember the number forty-one.": "I keep forty-one in mind.",
  "Which number was it?": "It was forty-one.",
  "And the one after it?": "Forty-two comes next.",
  "Is that a prime?": "It is not.",
};
const [FIRST, SECOND, THIRD, FOURTH] = Object.keys(TALK) as [string, string, string, string];
const SCRIPT: Script = {
  turns: Object.entries(TALK).map(([user, answer]) => ({ user, answers: [[text(answer)]] })),
};
const KNOWN = Object.entries(TALK).flat();

interface Stage extends AsyncDisposable {
  readonly store: Store;
  readonly server: ModelServer;
  run(agent: AgentName, words: string, options?: RunOnceOptions): Promise<RunResult>;
  /**
   * Returns the role and text of each message in the newest request, without the agents' additions. A quoted text has
   * the role of the quoting message.
   */
  asked(): readonly (readonly [role: string, words: string])[];
}

async function stage(agents: readonly AgentName[]): Promise<Stage> {
  const sandbox = await makeSandbox();
  const server = await startModelServer(SCRIPT);
  const store = await openStore("memory:");
  const prepared = new Map<AgentName, AgentSetup>();
  for (const agent of agents) prepared.set(agent, await SUBJECTS[agent].prepare(sandbox, server.url));
  return {
    store,
    server,
    async run(name, words, options = {}) {
      const { cwd, agent } = await agentOf(name, prepared.get(name), sandbox);
      const result = await runOnce(store, agent, words, { session: { cwd }, ...options });
      // The newest words decide the scripted answer, and quoted words count: the last turns of two agents may
      // differ.
      expect(result.status).toBe("completed");
      return result;
    },
    asked() {
      const request = server.conversation().at(-1);
      expect(request?.violations).toEqual([]);
      return normaliseRequest(request as NonNullable<typeof request>).flatMap((item) => {
        if (item.kind !== "text") return [];
        const at = (words: string): number => item.text.indexOf(words);
        const said = KNOWN.filter((words) => at(words) >= 0).sort((a, b) => at(a) - at(b));
        return said.map((words) => [item.role, words] as const);
      });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** Opens the agent as another process would: it knows nothing of the turn before. */
async function agentOf(name: AgentName, prepared: AgentSetup | undefined, sandbox: Sandbox) {
  if (prepared === undefined) throw new Error(`${name} was not prepared`);
  const { cwd, environment, command } = prepared;
  const places = { home: sandbox.root, env: environment };
  return { cwd, agent: await openRunAgent(name, { cwd, places, command }) };
}

const said = (...words: readonly string[]) =>
  words.map((one, at) => [at % 2 === 0 ? "user" : "assistant", one] as const);
const answer = (words: string): string => TALK[words] ?? "";

test.each(AGENT_NAMES)("%s: natively and by replay, its model receives the same messages", async (agent) => {
  await using at = await stage([agent]);
  const first = await at.run(agent, FIRST);
  const { sessionId } = first;
  const reference = (await at.store.getSession(sessionId))?.metadata.providerSessionId;
  expect(reference).toEqual(expect.any(String));

  const native = await at.run(agent, SECOND, { sessionId, continuation: "native" });
  expect(native.resumption).toMatchObject({
    requested: "native",
    happened: "native",
    verifiedBy: "agent and disk",
  });
  expect(at.asked()).toEqual(said(FIRST, answer(FIRST), SECOND));
  expect((await at.store.getSession(sessionId))?.metadata.providerSessionId).toBe(reference);

  const replayed = await at.run(agent, THIRD, { sessionId, continuation: "replay" });
  expect(replayed.resumption).toMatchObject({ requested: "replay", happened: "replay" });
  // These are separate messages, as the model receives them from a native session.
  expect(at.asked()).toEqual(said(FIRST, answer(FIRST), SECOND, answer(SECOND), THIRD));
  expect((await at.store.getSession(sessionId))?.metadata.providerSessionId).not.toBe(reference);

  const again = await at.run(agent, FOURTH, { sessionId });
  expect(again.resumption).toMatchObject({ requested: "auto", happened: "native" });
  expect(at.asked()).toEqual(
    said(FIRST, answer(FIRST), SECOND, answer(SECOND), THIRD, answer(THIRD), FOURTH),
  );
});

test("two agents take turns: each receives, once, the messages since its own last turn", async () => {
  await using at = await stage(["claude", "codex"]);
  const { sessionId } = await at.run("claude", FIRST);
  const second = await at.run("codex", SECOND, { sessionId });
  expect(second.resumption).toMatchObject({ requested: "auto", happened: "replay" });
  expect(at.asked()).toEqual(said(FIRST, answer(FIRST), SECOND));
  const third = await at.run("claude", THIRD, { sessionId });
  expect(third.resumption).toMatchObject({ happened: "native" });
  const quoted = (...words: readonly string[]) => words.map((one) => ["user", one] as const);
  expect(at.asked()).toEqual([...said(FIRST, answer(FIRST)), ...quoted(SECOND, answer(SECOND), THIRD)]);
  const fourth = await at.run("codex", FOURTH, { sessionId });
  expect(fourth.resumption).toMatchObject({ happened: "native" });
  expect(at.asked()).toEqual([
    ...said(FIRST, answer(FIRST), SECOND, answer(SECOND)),
    ...quoted(THIRD, answer(THIRD), FOURTH),
  ]);
});
