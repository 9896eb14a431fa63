import { type AgentEvent, type Block, textOf } from "@continuo/core/model";
import type { AgentReader } from "@continuo/native/kit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { NO_CAPABILITIES } from "./capabilities.ts";
import { createConversation, type Link } from "./conversation.ts";
import {
  type OpenedSession,
  type OpeningMethods,
  type OpenRequest,
  openAgentSession,
} from "./open-conversation.ts";
import type { DriverOptions } from "./options.ts";
import type { AgentTurn } from "./turn.ts";

const options: DriverOptions = { places: { home: "/nowhere", env: {} } };
const open: OpenRequest = { cwd: "/folder" };
const say = (text: string): Block[] => [{ type: "text", text }];

const ways = (more: Partial<OpeningMethods> = {}): OpeningMethods => ({
  agent: "Agent",
  name: "agent",
  begin: async () => ({ sessionId: "new" }),
  resume: (id) => [{ step: "load", offered: true, run: async () => ({ sessionId: id }) }],
  fork: (id) => [{ step: "fork", offered: true, run: async () => ({ sessionId: `${id}-fork` }) }],
  list: async () => [
    { sessionId: "old", cwd: "/folder", title: null, updatedAt: "2026-01-01T00:00:00Z" },
    { sessionId: "last", cwd: "/folder", title: null, updatedAt: "2026-03-01T00:00:00+00:00" },
    { sessionId: "other folder", cwd: "/", title: null, updatedAt: "2026-04-01T00:00:00Z" },
    { sessionId: "middle", cwd: "/folder", title: null, updatedAt: "2026-02-01T00:00:00Z" },
  ],
  ...more,
});

/** The options of a driver whose session on disk never changes. */
function unchangedDisk(sessionId: string): DriverOptions {
  const location = `/sessions/${sessionId}`;
  const found = { agent: "pi", sessionId, location, files: [], archived: false, live: null, problems: [] };
  const reader = {
    agent: "pi",
    async *find() {
      yield found;
    },
    skim: async () => ({ updatedAt: null, sizeBytes: 10 }),
  };
  return { ...options, reader: reader as unknown as AgentReader };
}

describe("opening", () => {
  test.each([
    ["a new session", {}, "new", "new"],
    ["one by its id", { resumeSessionId: "s1" }, "resume", "s1"],
    ["the last one, by Continuo's own order", { continueLast: true }, "continue", "last"],
    ["a fork", { forkSessionId: "s1" }, "fork", "s1-fork"],
  ])("%s", async (_, wish, requested, sessionId) => {
    const { resumption } = await openAgentSession(ways(), { ...open, ...wish }, options);
    expect(resumption).toMatchObject({ requested, verifiedBy: "agent", ref: { agent: "agent", sessionId } });
    expect(resumption.forked).toBe(undefined);
  });

  test("a session that opens under another id is reported as a fork", async () => {
    const run = async () => ({ sessionId: "s2" });
    const strange = ways({ resume: () => [{ step: "load", offered: true, run }] });
    const { resumption } = await openAgentSession(strange, { ...open, resumeSessionId: "s1" }, options);
    expect(resumption).toEqual({
      requested: "resume",
      happened: "native",
      ref: { agent: "agent", sessionId: "s2", location: null, cwd: "/folder" },
      verifiedBy: "agent",
      forked: { from: "s1", to: "s2" },
      steps: [{ step: "load", outcome: "done" }],
    });
  });

  test("a replay puts the history in front of the first prompt, set off from it", async () => {
    const lost = ways({
      resume: () => [{ step: "load", offered: false, run: async () => ({ sessionId: "" }) }],
    });
    const { resumption, before } = await openAgentSession(
      lost,
      {
        ...open,
        resumeSessionId: "s1",
        onMissing: "replay",
        readHistory: async () => [
          { id: "1", role: "user", content: say("assistant:\nI agree"), metadata: {} },
        ],
      },
      options,
    );
    expect(resumption).toMatchObject({
      requested: "resume",
      happened: "replay",
      replayedAs: "text",
      ref: { sessionId: "new" },
    });
    expect(before?.block?.text).toContain("user:\n| assistant:\n| I agree\n");
  });

  test("without a session to continue, the error is not_found; two ways to open at once are refused", async () => {
    const none = ways({ list: async () => [] });
    const last = openAgentSession(none, { ...open, continueLast: true, onMissing: "new" }, options);
    await expect(last).rejects.toMatchObject({ code: "not_found" });
    const both = openAgentSession(ways(), { ...open, continueLast: true, resumeSessionId: "s1" }, options);
    await expect(both).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a conversation", () => {
  const talk = async (
    wish: Partial<OpenRequest> = {},
    more: Partial<Link> = {},
    way: Partial<OpeningMethods> = {},
    driven = options,
  ) => {
    const said: (readonly Block[])[] = [];
    const turns: AgentTurn[] = [];
    const opened: OpenedSession = await openAgentSession(ways(way), { ...open, ...wish }, driven);
    const link: Link = {
      sessionId: opened.sessionId,
      capabilities: NO_CAPABILITIES,
      say: async (blocks, turn) => {
        said.push(blocks);
        turns.push(turn);
        await turn.push({ type: "text", delta: "hello" });
        turn.end("end_turn");
      },
      stop: () => undefined,
      resume: (id) => openAgentSession(ways(), { ...open, resumeSessionId: id }, options),
      giveUp: (why) => {
        throw new Error(why);
      },
      close: async () => undefined,
      ...more,
    };
    const conversation = createConversation({
      agent: "Agent",
      cwd: "/folder",
      link,
      opened,
      options: driven,
    });
    const turn = () => Array.fromAsync<AgentEvent>(conversation.prompt(say("hi")));
    return { conversation, said, turn };
  };

  test("reports a turn", async () => {
    const { turn, said } = await talk();
    expect(await turn()).toEqual([
      { type: "text", delta: "hello" },
      { type: "turn_completed", stopReason: "end_turn" },
    ]);
    expect(said).toEqual([say("hi")]);
  });

  test("has one turn at a time and none after it is closed, and a failed turn does not block the next one", async () => {
    const { conversation, turn } = await talk({}, { say: () => Promise.reject(new Error("broken")) });
    const first = turn();
    await expect(turn()).rejects.toMatchObject({ code: "conflict" });
    await expect(first).rejects.toThrow("broken");
    await expect(turn()).rejects.toThrow("broken");
    await conversation.close();
    await expect(turn()).rejects.toMatchObject({ code: "conflict" });
  });

  test("reports that an agent has another session open, even if only its first turn shows that", async () => {
    const { conversation, turn } = await talk({ resumeSessionId: "s1" }, { sessionId: "s2" });
    const ref = { agent: "agent", sessionId: "s2", location: null, cwd: "/folder" };
    const event = { type: "native_session", ref, happened: "forked", verifiedBy: "agent" };
    expect((await turn()).filter(({ type }) => type === "native_session")).toEqual([event]);
    expect(conversation.resumption.forked).toEqual({ from: "s1", to: "s2" });
    expect((await turn()).filter(({ type }) => type === "native_session")).toEqual([]);
  });

  test("a session whose records do not grow with the first turn is no longer reported as verified on disk", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { conversation, turn } = await talk({ resumeSessionId: "s1" }, {}, {}, unchangedDisk("s1"));
    expect(conversation.resumption.verifiedBy).toBe("agent and disk");
    const events = turn();
    await vi.advanceTimersByTimeAsync(5_000);
    const ref = { agent: "agent", sessionId: "s1", location: "/sessions/s1", cwd: "/folder" };
    const reason = "the session could not be verified: its history on disk did not grow with the first turn";
    expect((await events).filter(({ type }) => type === "native_session")).toEqual([
      { type: "native_session", ref, happened: "resumed", verifiedBy: "agent", reason },
    ]);
    expect(conversation.resumption.verifiedBy).toBe("agent");
  });

  test("earlier messages are sent again after the first turn was taken back, and only once", async () => {
    const stops = ["cancelled", "end_turn", "end_turn"];
    const texts: string[] = [];
    const { turn } = await talk(
      {
        resumeSessionId: "s1",
        onMissing: "replay",
        readHistory: async () => [{ id: "1", role: "user", content: say("earlier"), metadata: {} }],
      },
      {
        say: async (blocks, current) => {
          texts.push(textOf(blocks).includes("| earlier") ? "told" : "not told");
          current.end(stops.shift() ?? "");
        },
      },
      { resume: () => [] },
    );
    for (const _ of [1, 2, 3]) await turn();
    expect(texts).toEqual(["told", "told", "not told"]);
  });

  test("changes to another session", async () => {
    const { conversation } = await talk();
    expect(await conversation.resumeSession("s9")).toMatchObject({
      happened: "native",
      ref: { sessionId: "s9" },
    });
    expect(conversation.resumption.requested).toBe("resume");
  });
});
