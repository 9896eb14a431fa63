/** Note writers that ask an agent or a model, embeddings of an endpoint, and the budget of a session. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Agent } from "@continuo/core/model";
import { agentWriter, anthropicWriter, cosineOf, openAiEmbedder, openAiWriter } from "@continuo/live";
import { expect, test, vi } from "vitest";
import { ModelAgent } from "../../packages/agents/src/model-agent/index.ts";
import { startModelServer, text } from "../model-servers/index.ts";
import { liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

/** An agent that answers with the next one of some texts, and records the requests. */
function scriptedAgent(...answers: readonly string[]): Agent & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    name: "scripted agent",
    prompts,
    execute: async ({ input, transcript }, { onEvent }) => {
      expect(transcript).toBeUndefined();
      const [block] = input;
      prompts.push(block?.type === "text" ? block.text : "");
      await onEvent({ type: "text", delta: "I look at it.", messageId: "a" });
      await onEvent({ type: "text", delta: answers[prompts.length - 1] ?? "nothing", messageId: "b" });
      return { stopReason: "end_turn", usage: { inputTokens: 100, outputTokens: 10 } };
    },
  };
}

const NOTE = {
  text: "The owner lit the lamp.",
  startMs: 1_000,
  endMs: 2_000,
  confidence: 0.9,
  evidence: ["e1"],
};

test("a model writes the notes through ModelAgent, and its tokens are counted", async () => {
  await using server = await startModelServer({
    turns: [
      {
        user: "the owner lights it",
        answers: [
          [text(`Here:\n\`\`\`json\n${JSON.stringify({ drafts: [NOTE], memory: "a lighthouse" })}\n\`\`\``)],
        ],
      },
    ],
  });
  const model = createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1");
  const writer = agentWriter({ agent: new ModelAgent({ model }), price: { inputUsd: 1, outputUsd: 2 } });
  await using live = await liveTest({ noteWriters: [writer] });
  const { sessionId } = await live.service.open("k", { videoId: "v", title: "A lighthouse" });
  await live.send("k", said("the owner lights it", 1_000, { endMs: 2_000, speaker: "narrator" }));
  await live.service.close("k");
  const notes = await live.service.notes("k");
  const evidence = (await allEvents(live.store, sessionId)).find(({ type }) => type === "transcript_added");
  expect(notes).toMatchObject([{ text: NOTE.text, startMs: 1_000, endMs: 2_000, evidence: [evidence?.id] }]);
  const { cost } = await live.service.session("k");
  expect(cost.modelCalls).toBe(1);
  expect(cost.inputTokens).toBeGreaterThan(0);
  expect(cost.costUsd).toBeCloseTo((cost.inputTokens + 2 * cost.outputTokens) / 1e6);
  const sent = JSON.stringify(server.conversation().at(-1)?.body);
  expect(sent).toContain("A lighthouse");
  expect(sent).toContain("narrator");
  // The agent's requests and answers are not in the log: drafts, decisions and notes are.
  expect(JSON.stringify(await allEvents(live.store, sessionId))).not.toContain("Answer with one JSON object");
});

test("an agent receives its memory, notes and evidence, may look at other times, and is asked again after an answer that is not JSON", async () => {
  const agent = scriptedAgent(
    JSON.stringify({ drafts: [NOTE], memory: "the owner is Ada" }),
    "I would rather not.",
    JSON.stringify({ drafts: [], lookAt: [1_000, -1, "x"] }),
    JSON.stringify({ drafts: [{ text: "As at the beginning.", evidence: ["e1", "e99"] }] }),
  );
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("the owner lights it", 1_000));
  await live.clock.advance(7_000);
  await live.send("k", said("as at the beginning", 600_000));
  await live.clock.advance(9_000);
  expect(agent.prompts).toHaveLength(4);
  const [, , asked = "", again = ""] = agent.prompts;
  expect(asked).toContain("the owner is Ada");
  expect(asked).toContain(NOTE.text);
  expect(asked).not.toContain("the owner lights it");
  // The request of a later segment contains the evidence of an earlier one.
  expect(again).toContain("the owner lights it");
  const notes = await live.service.notes("k");
  expect(notes.map((note) => note.text)).toEqual([NOTE.text]);
  expect((await live.service.session("k")).cost).toMatchObject({ modelCalls: 3, inputTokens: 300 });
  // Without a confidence of its own, a draft is not sure.
  const requested = (await allEvents(live.store, await live.service.sessionIdOf("k"))).filter(
    ({ type }) => type === "context_requested",
  );
  expect(requested[0]?.data).toMatchObject({
    text: "As at the beginning.",
    mediaTimeMs: 600_000,
    endMs: 600_000,
  });
});

test("a sure draft is kept if the agent, asked again about another draft, writes one that replaces neither", async () => {
  const sure = { ...NOTE, text: "The owner lit the lamp." };
  const unsure = { ...NOTE, text: "He did it.", confidence: 0.3 };
  const agent = scriptedAgent(
    JSON.stringify({ drafts: [] }),
    JSON.stringify({ drafts: [sure, unsure] }),
    JSON.stringify({ drafts: [{ ...NOTE, text: "A ship came into the harbour at night." }] }),
  );
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })], rules: { confidence: 0.7 } });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("a minute before", 20_000));
  await live.clock.advance(7_000);
  await live.send("k", said("the owner lights it", 60_000));
  await live.clock.advance(9_000);
  expect(agent.prompts).toHaveLength(3);
  expect(agent.prompts[1]).toContain("Below 0.7 the person is asked");
  const texts = (await live.service.notes("k")).map(({ text }) => text);
  expect(texts).toContain("The owner lit the lamp.");
  expect(texts).toContain("A ship came into the harbour at night.");
});

test("a budget warns at 80 %; after it is spent, no model is called, and evidence is still accepted and gets extractive notes", async () => {
  const answers = ["one", "two", "three", "four"].map((words, n) =>
    JSON.stringify({ drafts: [{ ...NOTE, text: words, startMs: n * 60_000, endMs: n * 60_000 }] }),
  );
  const agent = scriptedAgent(...answers);
  const embedded: string[] = [];
  const embedder = {
    name: "counting",
    threshold: 0.8,
    embed: async (texts: readonly string[]) => {
      embedded.push(...texts);
      return texts.map(() => [1, 0]);
    },
  };
  await using live = await liveTest({
    noteWriters: [agentWriter({ agent })],
    embedder,
    budget: { maxTokens: 275 },
  });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const say = async (n: number): Promise<void> => {
    await live.send("k", said(`Sentence ${n} speaks of boats and harbours`, n * 60_000));
    await live.clock.advance(13_000);
  };
  const budget = async (): Promise<string> => (await live.service.session("k")).budget;
  await say(0);
  expect(await budget()).toBe("normal");
  await say(1);
  expect(await budget()).toBe("warning");
  await say(2);
  expect(await budget()).toBe("spent");
  expect(agent.prompts).toHaveLength(3);
  const before = embedded.length;
  for (let n = 3; n < 6; n++) await say(n);
  await say(5);
  expect(agent.prompts).toHaveLength(3);
  expect(embedded).toHaveLength(before);
  // The last thought is open until the session ends; repeated words give no second note.
  await live.service.close("k");
  const { depth, noteIds, cost } = await live.service.session("k");
  expect([depth, noteIds.length, cost.modelCalls]).toEqual([0, 6, 3]);
  const events = await allEvents(live.store, sessionId);
  const states = events.flatMap(({ data }) => (data as { readonly budget?: string }).budget ?? []);
  expect(states).toEqual(["warning", "spent"]);
  const writers = events.flatMap(({ data }) => (data as { readonly writer?: string }).writer ?? []);
  expect(new Set(writers.slice(3))).toEqual(new Set(["extractive"]));
});

test("after five failures in a row a lane pauses until its next attempt, and then processes the pending evidence", async () => {
  let isAway = false;
  const embed = async (texts: readonly string[]): Promise<readonly number[][]> => {
    if (isAway) throw new Error("the embedder is away");
    return texts.map(() => [1, 0]);
  };
  await using live = await liveTest({ embedder: { name: "away", threshold: 0.8, embed } });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("The harbour opens at dawn"));
  await live.clock.advance(20_000);
  isAway = true;
  await live.send("k", said("The harbour opens at dawn, and boats leave"));
  const after = vi.spyOn(live.clock, "after");
  await live.clock.advance(120_000);
  expect((await live.service.session("k")).depth).toBe(1);
  expect(after.mock.calls.length).toBeLessThan(200);
  isAway = false;
  await live.clock.advance(60_000);
  expect((await live.service.session("k")).depth).toBe(0);
});

test("embeddings come from an endpoint with OpenAI's API, once for each text, and nothing is lost if the endpoint fails", async () => {
  const asked: { readonly input: readonly string[]; readonly model: string }[] = [];
  let failures = 1;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      expect(request.url).toBe("/v1/embeddings");
      expect(request.headers.authorization).toBe("Bearer secret");
      if (failures-- > 0) {
        response.writeHead(503).end("{}");
        return;
      }
      const { input, model } = JSON.parse(body) as { input: string[]; model: string };
      asked.push({ input, model });
      // The answer has another order: the index tells which embedding belongs to which text.
      const data = input.map((words, index) => ({
        index,
        embedding: words.includes("lamp") ? [1, 0] : [0, 1],
      }));
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ data: data.toReversed() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    const embedder = openAiEmbedder({ url, model: "small", apiKey: "secret" });
    expect(embedder.threshold).toBe(0.8);
    await using live = await liveTest({ embedder });
    await live.service.open("k", { videoId: "v" });
    for (const [n, words] of ["the lamp is lit", "a light in the lamp", "boats"].entries()) {
      await live.send("k", said(words, 1_000));
      await live.clock.advance(9_000);
      if (n === 1) expect((await live.service.session("k")).depth).toBe(0);
    }
    expect((await live.service.notes("k")).map((note) => note.text)).toEqual([
      "a light in the lamp",
      "boats",
    ]);
    expect(asked.map(({ input }) => input)).toEqual([["a light in the lamp", "the lamp is lit"], ["boats"]]);
    const [a = [], b = []] = await embedder.embed(["lamp", "boats"], {});
    expect(cosineOf(a, b)).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

interface ModelCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[] };
}

/** The endpoint of a model that answers each call with the same words, in the form of the given API. */
async function modelEndpoint(
  toAnswer: (text: string) => object,
): Promise<AsyncDisposable & { readonly url: string; readonly calls: ModelCall[] }> {
  const calls: ModelCall[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      calls.push({
        path: request.url ?? "",
        headers: request.headers,
        body: JSON.parse(body) as ModelCall["body"],
      });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(toAnswer(JSON.stringify({ drafts: [NOTE] }))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test.each([
  [
    "an endpoint with OpenAI's API",
    openAiWriter,
    (content: string) => ({
      choices: [{ message: { content } }],
      usage: { prompt_tokens: 100, completion_tokens: 20 },
    }),
    { path: "/v1/chat/completions", headers: { authorization: "Bearer secret" } },
  ],
  [
    "Anthropic",
    anthropicWriter,
    (words: string) => ({
      content: [{ type: "text", text: words }],
      usage: { input_tokens: 100, output_tokens: 20 },
    }),
    { path: "/v1/messages", headers: { "x-api-key": "secret", "anthropic-version": "2023-06-01" } },
  ],
] as const)(
  "a model of %s writes the notes, and its tokens and costs are counted",
  async (_name, writerOf, toAnswer, call) => {
    await using endpoint = await modelEndpoint(toAnswer);
    const price = { inputUsd: 1, outputUsd: 2 };
    const writer = writerOf({ url: endpoint.url, model: "small", apiKey: "secret", price });
    await using live = await liveTest({ noteWriters: [writer] });
    await live.service.open("k", { videoId: "v" });
    await live.send("k", said("the owner lights it", 1_000, { endMs: 2_000 }));
    await live.service.close("k");
    expect(await live.service.notes("k")).toMatchObject([{ text: NOTE.text }]);
    expect((await live.service.session("k")).cost).toMatchObject({
      modelCalls: 1,
      inputTokens: 100,
      outputTokens: 20,
      costUsd: 0.00014,
    });
    expect(endpoint.calls).toMatchObject([{ ...call, body: { model: "small" } }]);
    expect(endpoint.calls[0]?.body.messages[0]?.content).toContain("the owner lights it");
  },
);

test("a client can give its session a smaller budget; from 80 % of it on, the windows of batches are longer", async () => {
  const usage = { inputTokens: 85, outputTokens: 0 };
  const base = scriptedAgent(...Array.from({ length: 9 }, () => JSON.stringify({ drafts: [] })));
  const agent: Agent = {
    name: "priced",
    execute: async (request, options) => ({ ...(await base.execute(request, options)), usage }),
  };
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })], budget: { maxTokens: 10_000 } });
  const { service, clock } = live;
  await service.open("k", { videoId: "v", budget: { maxTokens: 100, maxCostUsd: 1 } });
  await live.send("k", said("one", 1_000));
  await clock.advance(5_000);
  expect(base.prompts).toHaveLength(1);
  expect((await service.session("k")).budget).toBe("warning");
  await live.send("k", said("two", 1_900));
  await clock.advance(5_000);
  expect(base.prompts).toHaveLength(1);
  await clock.advance(4_000);
  expect(base.prompts).toHaveLength(2);
  const session = await service.session("k");
  expect(session.budget).toBe("spent");
  expect(session.health.standIn).toContain("budget");
});
