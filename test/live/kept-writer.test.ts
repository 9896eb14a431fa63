/** An agent that writes the notes of a session in one conversation: how often it is started, and what it receives. */

import { type AgentDriver, type AgentEvent, type Block, ContinuoError, textOf } from "@continuo/core/model";
import { agentWriter } from "@continuo/live";
import { expect, onTestFinished, test, vi } from "vitest";
import { keptAgent, type NoteAgentOptions, turnAgent } from "../../src/cli/serve/note-agents.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";

interface Program {
  /** The native session that each start resumed; `null` for a new one. */
  readonly starts: (string | null)[];
  readonly said: string[];
  closed: number;
  /** The number of turns after which the program dies. */
  diesAfter: number;
  canResume: boolean;
}

function program(): Program {
  return { starts: [], said: [], closed: 0, diesAfter: Number.POSITIVE_INFINITY, canResume: true };
}

/** A driver of an agent that answers each request with one note on its first evidence. */
function driverOf(run: Program): AgentDriver {
  return {
    agent: "scripted",
    capabilities: () => Promise.reject(new Error("not asked for")),
    listSessions: () => Promise.reject(new Error("not asked for")),
    open: async ({ resumeSessionId, cwd }) => {
      run.starts.push(resumeSessionId ?? null);
      if (resumeSessionId !== undefined && !run.canResume) throw new ContinuoError("not_found", "gone");
      const sessionId = resumeSessionId ?? `native ${run.starts.length}`;
      const ref = { agent: "scripted", sessionId, location: null, cwd };
      const close = async (): Promise<void> => {
        run.closed += 1;
      };
      return {
        sessionId,
        resumption: { requested: "x", happened: "native", ref, verifiedBy: "agent" },
        async *prompt(blocks: readonly Block[]): AsyncGenerator<AgentEvent> {
          if (run.said.length >= run.diesAfter) {
            run.diesAfter = Number.POSITIVE_INFINITY;
            throw new ContinuoError("agent_failed", "the program died");
          }
          run.said.push(textOf(blocks));
          const draft = { text: `Note ${run.said.length}.`, confidence: 0.9, evidence: ["e1"] };
          yield { type: "text", delta: JSON.stringify({ drafts: [draft], memory: "a harbour" }) };
          yield { type: "turn_completed", stopReason: "end_turn" };
        },
        close,
        [Symbol.asyncDispose]: close,
      } as unknown as Awaited<ReturnType<AgentDriver["open"]>>;
    },
  };
}

async function watched(run: Program, more: Partial<NoteAgentOptions> = {}): Promise<LiveTest> {
  const options = { name: "notes", cwd: "/", openDriver: async () => driverOf(run), ...more };
  const writer = agentWriter({ agent: turnAgent(options), kept: keptAgent(options) });
  const live = await liveTest({ noteWriters: [writer] });
  onTestFinished(() => live[Symbol.asyncDispose]());
  await live.service.open("k", { videoId: "v", title: "A harbour" });
  return live;
}

const TALK = ["The harbour opens at dawn", "Boats leave with the tide", "The lamp is lit at dusk"];

async function talk(live: LiveTest, texts = TALK, from = 0): Promise<void> {
  for (const [n, text] of texts.entries()) {
    await live.send("k", said(text, from + n * 60_000, { endMs: from + n * 60_000 + 3_000 }));
    await live.clock.advance(13_000);
  }
}

async function notes({ service }: LiveTest): Promise<readonly string[]> {
  return (await service.notes("k")).map(({ text }) => text);
}

test("one program writes all batches of a session, and is closed when the session ends", async () => {
  const run = program();
  const live = await watched(run);
  await talk(live);
  expect(run.starts).toEqual([null]);
  expect(run.closed).toBe(0);
  expect(await notes(live)).toEqual(["Note 1.", "Note 2.", "Note 3."]);
  await live.service.close("k");
  await expect.poll(() => run.closed).toBe(1);
  expect(run.starts).toEqual([null]);
});

test("each request after the first one contains only new content", async () => {
  const run = program();
  const live = await watched(run);
  await talk(live);
  const [first = "", second = "", third = ""] = run.said;
  expect(first).toContain("You write notes");
  expect(first).toContain("A harbour");
  for (const later of [second, third]) {
    expect(later).not.toContain("You write notes");
    expect(later).not.toContain("A harbour");
    expect(later).not.toContain('"memory"');
    expect(later).not.toContain(TALK[0]);
  }
  // The notes that were made since the last message.
  expect(second).toContain("Note 1.");
  expect(third).toContain("Note 2.");
  expect(third).not.toContain("Note 1.");
  // A person changes a note, and the agent receives the change.
  const [note] = await live.service.notes("k");
  await live.service.operate("k", note?.noteId ?? "", { operation: "edit", text: "It opens at six." });
  await talk(live, ["Fog lies over the quay"], 600_000);
  expect(run.said.at(-1)).toContain("It opens at six.");
  expect(run.said.at(-1)).not.toContain("Note 2.");
});

test("a program that died is started again with everything that it needs to know, and no note is lost", async () => {
  const run = program();
  const live = await watched(run);
  run.diesAfter = 2;
  await talk(live);
  expect(run.starts).toEqual([null, null]);
  expect(run.said.at(-1)).toContain("You write notes");
  expect(run.said.at(-1)).toContain("Note 2.");
  expect(await notes(live)).toEqual(["Note 1.", "Note 2.", "Note 3."]);
  expect((await live.service.session("k")).health.standIn).toBeNull();
});

test("an idle program is closed; the next batch continues its conversation, or begins a new one if it no longer exists", async () => {
  for (const canResume of [true, false]) {
    const run = program();
    const live = await watched(run, { idleMs: 20 });
    await talk(live, TALK.slice(0, 1));
    await expect.poll(() => run.closed).toBe(1);
    run.canResume = canResume;
    await talk(live, TALK.slice(1, 2), 60_000);
    expect(run.starts).toEqual(canResume ? [null, "native 1"] : [null, "native 1", null]);
    expect(run.said.at(-1)?.includes("You write notes")).toBe(!canResume);
    expect(await notes(live)).toEqual(["Note 1.", "Note 2."]);
  }
});

test("a long conversation is replaced by a new one", async () => {
  const run = program();
  const live = await watched(run);
  const long = Array.from({ length: 62 }, (_, n) => `Sentence ${n} of the talk`);
  await talk(live, long);
  expect(run.starts).toEqual([null, null]);
  expect(run.said.filter((text) => text.includes("You write notes"))).toHaveLength(2);
});

test("with more sessions than the limit, the program that was idle for the longest time is closed", async () => {
  const run = program();
  const openDriver = vi.fn(async () => driverOf(run));
  const live = await watched(run, { most: 1, openDriver });
  await live.service.open("other", { videoId: "w" });
  await talk(live, TALK.slice(0, 1));
  await live.send("other", said("Another talk", 0));
  await live.clock.advance(13_000);
  expect([run.starts.length, run.closed]).toEqual([2, 1]);
  await talk(live, TALK.slice(1, 2), 60_000);
  expect(run.starts).toEqual([null, null, "native 1"]);
});
