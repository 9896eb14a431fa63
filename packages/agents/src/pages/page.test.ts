import type { Message } from "@continuo/core/model";
import type { SavedPage } from "@continuo/core/wire/machine";
import { afterEach, expect, test } from "vitest";
import { type CatalogDetails, shippedPrices } from "../catalog/index.ts";
import type { CachedHistory } from "./cached-history.ts";
import { keepHistory, type PageRequest, type PageSession, pageOf, toMachineSession } from "./index.ts";

const prices = { own: {}, list: shippedPrices() };
const kept: CachedHistory[] = [];
afterEach(() => {
  for (const one of kept.splice(0)) one[Symbol.dispose]();
});

const DETAILS: CatalogDetails = {
  agent: "claude",
  sessionId: "s",
  title: "A </script> title",
  cwd: "/home/ann",
  gitBranch: null,
  createdAt: null,
  updatedAt: null,
  sizeBytes: 10,
  archived: false,
  live: true,
  location: "/home/ann/s.jsonl",
  problems: [],
  messages: { total: 0, system: 0, user: 0, assistant: 0, tool: 0 },
  toolCalls: 0,
  branches: 1,
  records: 0,
  unknownRecords: {},
  models: [],
  usage: null,
  agentVersions: [],
  subagents: [],
  forkedFrom: null,
};

function message(id: string, text = id): Message {
  const role = id < "a" ? "user" : "assistant";
  return { id, role, content: [{ type: "text", text }], metadata: {} };
}

async function keep(messages: readonly Message[]): Promise<CachedHistory> {
  const one = await keepHistory(messages, prices);
  kept.push(one);
  return one;
}

async function session(messages: readonly Message[], more: Partial<PageSession> = {}): Promise<PageSession> {
  return {
    key: "claude:s",
    shown: toMachineSession("claude:s", DETAILS),
    location: DETAILS.location,
    parentKey: null,
    details: DETAILS,
    leaves: [],
    problems: [],
    kept: await keep(messages),
    branches: [],
    seenFrom: null,
    ...more,
  };
}

function write(first: PageSession, more: Partial<PageRequest> = {}): { page: string; saved: SavedPage } {
  const template = "<title>%%TITLE%%</title><noscript>%%PLAIN%%</noscript><i>%%SESSION%%</i>";
  const request = {
    template,
    sessions: [first] as const,
    notes: [],
    savedAt: "2026-11-23T10:00:00Z",
    prices,
  };
  const page = [...pageOf({ ...request, ...more })].join("");
  return { page, saved: JSON.parse(/<i>(.*)<\/i>/su.exec(page)?.[1] ?? "") };
}

const letters = (text: string): Message[] => [...text].map((id) => message(id));
const idsOf = ({ sessions }: SavedPage, history = 0): string =>
  (sessions[0]?.histories[history]?.messages ?? []).map(({ message: { id } }) => id).join("");

test("no text of a session ends an element of its page, and `$&` is not replaced", async () => {
  const { page, saved } = write(await session([message("A", "</i></noscript> $& %%TITLE%%")]));
  expect(page.split("</i>")).toHaveLength(2);
  expect(page).toContain("A &lt;/script&gt; title");
  expect(saved.sessions[0]?.histories[0]?.messages[0]?.message.content).toEqual([
    { type: "text", text: "</i></noscript> $& %%TITLE%%" },
  ]);
});

test("the page and its outline have only the named turns; other turns are out of range", async () => {
  const first = await session(letters("AbCdEf"));
  const { saved, page } = write(first, { turns: { from: 2, to: 2 } });
  expect(idsOf(saved)).toBe("Cd");
  const outline = saved.sessions[0]?.histories[0]?.outline;
  expect([outline?.turns.map(({ number }) => number), outline?.total]).toEqual([[2], 3]);
  expect(page).toContain("turns 2 to 2 of 3");
  expect(idsOf(write(first, { turns: { from: 3 } }).saved)).toBe("Ef");
  expect(() => write(first, { turns: { from: 4 } })).toThrow("the session has no turns 4 to 3");
});

test("a branch has only the messages that the first history lacks", async () => {
  const leaf = { id: "g", active: false, updatedAt: null, messages: 4, label: "Go" };
  const leaves = [{ ...leaf, id: "d", active: true }, leaf];
  const branches = [{ leaf, kept: await keep(letters("AbCg")) }];
  const { saved } = write(await session(letters("AbCd"), { leaves, branches }));
  expect(saved.sessions[0]?.histories.map(({ branch, shared }) => [branch, shared])).toEqual([
    [null, 0],
    ["g", 3],
  ]);
  expect(idsOf(saved, 1)).toBe("g");
  expect(saved.sessions[0]?.branches?.branches.map(({ id, shared }) => [id, shared])).toEqual([
    ["d", 0],
    ["g", 3],
  ]);
});

test("a page that is too large is not begun, and the error has the newest turns that fit", async () => {
  const first = await session([..."ABCD"].map((id) => message(id, "x".repeat(10_000))));
  const pieces = pageOf({
    template: "a%%SESSION%%",
    sessions: [first],
    notes: [],
    savedAt: "",
    prices,
    maxBytes: 25_000,
  });
  expect(() => pieces.next()).toThrow(
    expect.objectContaining({ code: "too_large", details: { fits: { from: 3, to: 4 }, maxBytes: 25_000 } }),
  );
  expect(idsOf(write(first, { maxBytes: 25_000, turns: { from: 3 } }).saved)).toBe("CD");
});

test("the page contains the bytes of images, and the full texts that a window would cut", async () => {
  const image = { type: "image" as const, mimeType: "image/png", data: "aGk=" };
  const long = "y".repeat(40_000);
  const content = [image, { type: "text" as const, text: long }];
  const { saved } = write(await session([{ ...message("A"), content }]));
  const [history] = saved.sessions[0]?.histories ?? [];
  expect(history?.messages[0]?.message.content[0]).toEqual(image);
  expect(history?.texts).toEqual([{ messageId: "A", path: "content/1/text", text: long }]);
});

test("a link to a session outside of the file is left out, and no session in a file is marked as open", async () => {
  const info = { type: null, description: null, toolCallId: "t", model: null, sizeBytes: 1, location: "" };
  const details = {
    ...DETAILS,
    subagents: [
      { ...info, id: "in" },
      { ...info, id: "out" },
    ],
  };
  const parent = await session(letters("A"), { details });
  const child = await session(letters("B"), { key: "claude:s>in", parentKey: "claude:s" });
  const { saved } = write(parent, { sessions: [parent, child] });
  expect(saved.sessions.map(({ head }) => [head.session.live, head.parentKey])).toEqual([
    [null, null],
    [null, "claude:s"],
  ]);
  expect(saved.sessions[0]?.head.subagents.map(({ key }) => key)).toEqual(["claude:s>in"]);
});
