/** `continuo live export`, `replay` and a question, over HTTP. */

import { openLive } from "@continuo/core/client/live";
import {
  type LivePage,
  type LiveSession,
  type Note,
  PAGE_ITEM_KINDS,
  type WireEvent,
} from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { framesOf } from "../../src/cli/live/export-frames.ts";
import { toHtml, toMarkdown } from "../../src/cli/live/export-pages.ts";
import { openServer } from "../server/harness/open-server.ts";
import { fakeClock } from "./fake-clock.ts";
import { said, scriptedWriter } from "./live-session.ts";

test("over HTTP a session can be exported with its evidence and frames, replayed, and asked a question", async () => {
  await using store = await openStore("memory:");
  // The clock stands still, so there is no note before the session ends.
  const clock = fakeClock(async () => undefined);
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [scriptedWriter()] };
  const server = await openServer(store, { live });
  await using _closing = { [Symbol.asyncDispose]: () => server.close() };
  const client = await openLive({ serverUrl: server.url, key: "tab/1", videoId: "v" });
  const { hash, sizeBytes } = await store.putBlob(Buffer.from("a picture"), { mediaType: "image/jpeg" });
  const full = { hash, sizeBytes, mediaType: "image/jpeg" };
  const { sequences } = await client.add(said("the harbour opens at dawn", 1_000), {
    type: "frame_captured",
    mediaTimeMs: 1_000,
    full,
  });
  const answer = await client.ask("When does the harbour open?", 1_000);
  expect(answer).toMatchObject({ text: "the harbour opens at dawn", noteIds: [] });
  await client.end();
  client.close();
  const path = `${server.url}/v1/live/tab%2F1`;
  const get = async (rest: string): Promise<Response> => fetch(`${path}${rest}`);
  const { events, nextAfter } = (await (await get("/evidence?after=0")).json()) as {
    readonly events: readonly WireEvent[];
    readonly nextAfter: number | null;
  };
  expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
    ["transcript_added", sequences[0]],
    ["frame_captured", sequences[1]],
  ]);
  expect(nextAfter).toBeNull();
  expect(await (await get(`/blobs/${hash}?sequence=${sequences[1]}`)).text()).toBe("a picture");
  // Only through the event that points to it.
  expect((await get(`/blobs/${hash}?sequence=${sequences[0]}`)).status).toBe(404);
  expect((await get(`/blobs/${hash}`)).status).toBe(400);
  const post = (rest: string, body: object): Promise<Response> =>
    fetch(`${path}${rest}`, { method: "POST", body: JSON.stringify(body) });
  expect(await (await post("/replay", {})).json()).toMatchObject({
    mode: "recorded",
    agreement: 1,
    compared: 1,
  });
  expect((await post("/replay", { mode: "other" })).status).toBe(400);
  expect((await post("/ask", { question: "" })).status).toBe(400);
  expect((await post("/ask", { question: "x".repeat(5_000) })).status).toBe(413);
});

function hostilePage(hostile: string): LivePage {
  const item = { title: hostile, text: hostile, startMs: 0, endMs: 1_000, evidence: [hostile], by: "agent" };
  const items = PAGE_ITEM_KINDS.map((kind) => ({ ...item, itemId: kind, kind, status: "written" }) as const);
  const page = { sessionId: "s", pass: 1, reason: "end", writer: hostile, standIn: hostile, through: 1 };
  return { ...page, writtenAt: "now", items } as LivePage;
}

test("spoken words cannot add Markdown, HTML or control characters to an exported page", () => {
  const hostile = "<script>alert(1)</script> [x](javascript:y)\u001b[2J\n# heading";
  const session = {
    title: hostile,
    videoId: "v",
    key: "k",
    sessionId: "s",
    state: "closed",
    createdAt: "now",
  };
  const note = { startMs: 0, endMs: 1_000, text: hostile, status: "unsure" };
  const evidence = [
    {
      type: "transcript_added",
      id: hostile,
      sequence: 1,
      data: { text: hostile, speaker: hostile, mediaTimeMs: 0 },
    },
  ];
  const exported = {
    session: session as unknown as LiveSession,
    page: hostilePage(hostile),
    notes: [note as Note],
    evidence: evidence as unknown as readonly WireEvent[],
  };
  const html = toHtml(exported);
  expect(html).not.toContain("<script>");
  expect(html).toContain("(unsure)");
  const markdown = toMarkdown(exported);
  expect(markdown).not.toMatch(/^# heading/mu);
  expect(markdown).not.toMatch(/(?<!\\)<script/u);
  expect(markdown).not.toMatch(/(?<!\\)\[x/u);
  for (const text of [html, markdown]) expect(text).not.toContain("\u001b");
});

test("exported frames are named by their time, each once, and are placed at the note that cites them or whose span has them", () => {
  const frame = (sequence: number, mediaTimeMs: number): object => ({
    type: "frame_captured",
    id: `f${sequence}`,
    sequence,
    data: { mediaTimeMs, full: { hash: "a".repeat(64), mediaType: "image/jpeg" } },
  });
  const evidence = [
    frame(7, 65_000),
    frame(8, 65_000),
    frame(9, 3_725_250),
  ] as unknown as readonly WireEvent[];
  const names = framesOf(evidence).map(({ name }) => name);
  expect(names).toEqual([
    "frames/0-01-05.000-full.jpg",
    "frames/0-01-05.000-full-8.jpg",
    "frames/1-02-05.250-full.jpg",
  ]);
  const files = new Map([7, 8, 9].map((sequence, n) => [sequence, names[n] ?? ""]));
  const session = { title: "T", videoId: "v", key: "k", sessionId: "s", state: "closed", createdAt: "now" };
  const note = (text: string, startMs: number, cited: readonly string[]): Note =>
    ({ startMs, endMs: startMs + 10_000, text, status: "written", evidence: cited }) as unknown as Note;
  const notes = [note("spans", 60_000, []), note("cites", 0, ["f9"]), note("neither", 200_000, [])];
  const exported = { session: session as unknown as LiveSession, page: null, notes, evidence };
  const markdown = toMarkdown(exported, files);
  const [head = ""] = markdown.split("## Evidence");
  expect(head).toMatch(/spans\n\n {2}!\[Frame\]\(frames\/0-01-05\.000-full\.jpg\)/u);
  expect(head).toMatch(/cites\n\n {2}!\[Frame\]\(frames\/1-02-05\.250-full\.jpg\)/u);
  expect(head.match(/!\[/gu)).toHaveLength(2);
  const html = toHtml(
    exported,
    new Map([...files].map(([sequence]) => [sequence, `data:image/jpeg;base64,${sequence}`])),
  );
  expect(html.match(/<img/gu)).toHaveLength(3);
});
