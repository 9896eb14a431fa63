/**
 * The page that a model writes: the input of the model, the things that the model cannot change, its limits, and the
 * outline that replaces its page when it fails.
 */

import type { Agent } from "@continuo/core/model";
import { agentWriter, type LiveOptions } from "@continuo/live";
import { expect, test } from "vitest";
import { talksIn } from "./captions/draw.ts";
import { type LiveTest, liveTest } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const BEES = talksIn("tune").find(({ name }) => name === "bees");
const PAUSE_MS = 150_000;

interface PageAgent extends Agent {
  readonly prompts: string[];
  page: (material: Material) => object | string;
}

interface Material {
  readonly page: readonly { readonly kind: string; readonly title: string | null; readonly by: string }[];
  readonly outline: readonly object[];
  readonly notes: readonly { readonly name: string; readonly text: string }[];
  readonly evidence: readonly { readonly name: string; readonly text: string; readonly startMs: number }[];
}

/** Creates an agent that writes one note for each batch, and the pages that the test chooses. */
function pageAgent(page: PageAgent["page"]): PageAgent {
  const agent: PageAgent = {
    name: "editor",
    prompts: [],
    page,
    execute: async ({ input }, { onEvent }) => {
      const [block] = input;
      const prompt = block?.type === "text" ? block.text : "";
      const isPage = prompt.startsWith("You write the page");
      const material = JSON.parse(prompt.slice(prompt.indexOf("\n\n{") + 2)) as Material;
      if (isPage) agent.prompts.push(prompt);
      const [first] = material.evidence;
      const note = { text: `Bees at ${first?.startMs}.`, confidence: 0.9, evidence: [first?.name] };
      const answer = isPage ? agent.page(material) : { drafts: [note] };
      await onEvent({ type: "text", delta: typeof answer === "string" ? answer : JSON.stringify(answer) });
      return { usage: { inputTokens: 1_000, outputTokens: 100 } };
    },
  };
  return agent;
}

const QUEEN = { title: "The queen", text: "She lays the eggs.", startMs: 11_000, evidence: ["e3"] };

async function play(
  agent: Agent,
  { toMs = 66_000, ...options }: Partial<LiveOptions> & { readonly toMs?: number } = {},
): Promise<LiveTest & { readonly sessionId: string }> {
  const live = await liveTest({ noteWriters: [agentWriter({ agent })], ...options });
  const { sessionId } = await live.service.open("k", { videoId: "bees" });
  await say(live, 0, toMs);
  return { ...live, sessionId };
}

async function say(live: LiveTest, fromMs: number, toMs: number): Promise<void> {
  const pieces = (BEES?.pieces ?? []).filter((one) => one.mediaTimeMs >= fromMs && one.mediaTimeMs < toMs);
  const evidence = pieces.map(({ text, mediaTimeMs, endMs }) => {
    return { type: "transcript_added", text, mediaTimeMs, endMs, lang: "en" } as const;
  });
  await live.send("k", ...evidence);
  await live.clock.advance(40_000);
}

test("at a pause, a model writes the page from all transcripts in at most two passes, and an item that cites no existing evidence is left out", async () => {
  const agent = pageAgent(() => ({
    summary: [
      { text: "Bees have a queen.", evidence: ["e3"] },
      { text: "Invented.", evidence: ["e999"] },
    ],
    chapters: [QUEEN, { title: "Twice", text: "At the same time.", startMs: 11_000, evidence: ["e3"] }],
    decisions: "none",
  }));
  await using live = await play(agent);
  await live.clock.advance(PAUSE_MS);
  const page = await live.service.page("k");
  expect(page).toMatchObject({ pass: 1, writer: "editor", standIn: null, reason: "pause" });
  expect(page?.items.map(({ kind, title, text }) => [kind, title, text])).toEqual([
    ["summary", null, "Bees have a queen."],
    ["chapter", "The queen", "She lays the eggs."],
  ]);
  // The second pass changed nothing, so there is no third.
  expect(agent.prompts).toHaveLength(2);
  expect(agent.prompts[0]).toContain("lays about fifteen hundred eggs");
  expect(agent.prompts[1]).toContain('"title":"The queen"');
  const events = await allEvents(live.store, live.sessionId);
  const passes = events.filter(
    ({ type, data }) => type === "decision_made" && "pass" in (data as Record<string, unknown>),
  );
  expect(passes.map(({ data }) => data)).toMatchObject([{ pass: { number: 1 } }, { pass: { number: 2 } }]);
  const before = (await live.service.session("k")).cost;
  expect(before.inputTokens).toBeGreaterThanOrEqual(3_000);
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  await live.clock.advance(5 * PAUSE_MS);
  expect(agent.prompts).toHaveLength(2);
});

test("a decision or an open question of a model is on the page only if it cites evidence", async () => {
  const agent = pageAgent(({ evidence }) => {
    const [decided, asked] = [evidence[1], evidence[2]];
    return {
      chapters: [QUEEN],
      decisions: [
        { text: "They keep a second hive.", evidence: [decided?.name] },
        { text: "They sell the honey.", evidence: [] },
      ],
      questions: [{ text: "Who feeds the queen?", evidence: [asked?.name] }],
    };
  });
  await using live = await play(agent);
  await live.clock.advance(PAUSE_MS);
  const items = (await live.service.page("k"))?.items ?? [];
  expect(items.map(({ kind, text, by }) => [kind, text, by])).toEqual([
    ["chapter", "She lays the eggs.", "agent"],
    ["decision", "They keep a second hive.", "agent"],
    ["question", "Who feeds the queen?", "agent"],
  ]);
  const heard = new Map((await allEvents(live.store, live.sessionId)).map((event) => [event.id, event]));
  for (const { evidence, startMs } of items.slice(1)) {
    const [first] = evidence.flatMap((id) => heard.get(id) ?? []);
    expect(first).toMatchObject({ type: "transcript_added", data: { mediaTimeMs: startMs } });
  }
});

test("a pass revises notes of the agent, never those that a person edited, and a replay makes the same notes again", async () => {
  const agent = pageAgent(({ notes }) => ({
    chapters: [QUEEN],
    notes: [
      ...notes.map(({ name }) => ({ name, text: `Better ${name}.`, confidence: 0.95 })),
      { name: "n99", text: "x" },
    ],
  }));
  await using live = await play(agent);
  await say(live, 66_000, 1e9);
  const [first] = await live.service.notes("k");
  await live.service.operate("k", first?.noteId ?? "", { operation: "edit", text: "My own words." });
  await live.clock.advance(PAUSE_MS);
  const notes = await live.service.notes("k");
  expect(notes.length).toBeGreaterThan(1);
  expect(notes[0]).toMatchObject({ text: "My own words.", by: "person" });
  for (const note of notes.slice(1))
    expect(note).toMatchObject({ text: /^Better n\d+\.$/u, confidence: 0.95 });
  expect(agent.prompts[0]).not.toContain("My own words.");
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
});

test("a replay with the model writes the newest page again from the same input, and counts the items that agree with that page", async () => {
  const written = { summary: [{ text: "Bees have a queen.", evidence: ["e3"] }], chapters: [QUEEN] };
  const agent = pageAgent(() => written);
  await using live = await play(agent);
  await live.clock.advance(PAUSE_MS);
  const page = await live.service.page("k");
  expect(page?.pass).toBe(1);
  const again = await live.service.replay("k", "model");
  expect(again.page).toEqual({ pass: 1, compared: 2, agreed: 2 });
  expect(agent.prompts.at(-1)).toBe(agent.prompts[0]);
  agent.page = () => ({ ...written, chapters: [{ ...QUEEN, title: "Trains", text: "They leave at noon." }] });
  expect((await live.service.replay("k", "model")).page).toEqual({ pass: 1, compared: 2, agreed: 1 });
  const calls = agent.prompts.length;
  expect((await live.service.replay("k", "model", { context: "none" })).page).toBeNull();
  expect((await live.service.replay("k", "recorded")).page).toBeUndefined();
  expect(agent.prompts).toHaveLength(calls);
  expect(await live.service.page("k"), "the session stays").toEqual(page);
});

test("a model makes no more passes after they have used a quarter of the budget, and the outline then replaces its page", async () => {
  const agent = pageAgent(() => ({ chapters: [QUEEN] }));
  await using live = await play(agent, { budget: { maxTokens: 20_000 } });
  await live.clock.advance(PAUSE_MS);
  agent.page = ({ evidence }) => ({ chapters: [{ ...QUEEN, text: `After ${evidence.length}.` }] });
  for (let n = 0; n < 5; n++) {
    await live.send("k", {
      type: "transcript_added",
      text: `Bee number ${n} flies home.`,
      mediaTimeMs: 70_000 + n * 5_000,
    });
    await live.clock.advance(PAUSE_MS);
  }
  const asked = agent.prompts.length;
  expect(asked).toBeLessThanOrEqual(5);
  await say(live, 66_000, 1e9);
  await live.service.close("k");
  expect(agent.prompts).toHaveLength(asked);
  const page = await live.service.page("k");
  const chapters = page?.items.filter(({ kind }) => kind === "chapter") ?? [];
  expect(chapters[0]).toMatchObject({ title: "The queen" });
  expect(chapters.length).toBeGreaterThan(1);
});

test("a model makes at most 12 passes over the page of a session, even if there is no budget", async () => {
  let pass = 0;
  const agent = pageAgent(() => ({ chapters: [{ ...QUEEN, text: `Pass ${++pass}.` }] }));
  await using live = await play(agent);
  for (let n = 0; n < 9; n++) {
    await live.send("k", {
      type: "transcript_added",
      text: `Bee number ${n} flies home.`,
      mediaTimeMs: 70_000 + n * 5_000,
    });
    await live.clock.advance(PAUSE_MS);
  }
  expect(agent.prompts).toHaveLength(12);
  expect((await live.service.page("k"))?.writer).toBe("editor");
});

test("if a model fails, an outline replaces its page, and one sentence says why", async () => {
  const agent = pageAgent(() => "I would rather not.");
  await using live = await play(agent);
  await live.service.close("k");
  const page = await live.service.page("k");
  expect(page).toMatchObject({ writer: "extractive", reason: "end" });
  expect(page?.standIn).toMatch(
    /^The note writer editor wrote no page \(.*it is not JSON.*\): it is an outline\.$/u,
  );
  expect(page?.items.length).toBeGreaterThan(2);
  expect((await live.service.session("k")).state).toBe("closed");
});
