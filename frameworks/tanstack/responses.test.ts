/** The responses of TanStack AI over our stream: what a client reads, loses and resumes. */

import { resumeServerSentEventsResponse, type StreamChunk, toServerSentEventsResponse } from "@tanstack/ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../../packages/store/src/store/index.ts";
import { continuoStream } from "../../packages/tanstack/src/index.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

const URL = "http://desk.example/chat";
const words = ["Your", "parcel", "left", "Ulm."];

async function* answer(): AsyncGenerator<StreamChunk> {
  const of = (chunk: object): StreamChunk => ({ timestamp: 1, ...chunk }) as unknown as StreamChunk;
  yield of({ type: "RUN_STARTED", runId: "r", threadId: "t" });
  for (const delta of words) yield of({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
  yield of({ type: "RUN_FINISHED", runId: "r", threadId: "t", finishReason: "stop" });
}

interface Sent {
  readonly id: string;
  readonly chunk: { readonly type: string; readonly delta?: string };
}

async function sentIn(response: Response): Promise<readonly Sent[]> {
  return (await response.text()).split("\n\n").flatMap((frame) => {
    const id = /^id: ?(.*)$/mu.exec(frame)?.[1];
    const data = /^data: ?(.*)$/mu.exec(frame)?.[1];
    return id === undefined || data === undefined ? [] : [{ id, chunk: JSON.parse(data) as Sent["chunk"] }];
  });
}

const produce = (runId: string): Response => {
  const request = new Request(URL, { method: "POST", headers: { "x-run-id": runId } });
  return toServerSentEventsResponse(answer(), { durability: { adapter: continuoStream(store, request) } });
};

test("a client that lost its connection gets the rest, and a new client gets everything", async () => {
  const sent = await sentIn(produce("run-1"));
  // TanStack adds one chunk of its own, which names the run.
  const said = sent.filter(({ chunk }) => chunk.type !== "CUSTOM");
  expect(said.map(({ chunk }) => chunk.type)).toEqual([
    "RUN_STARTED",
    ...words.map(() => "TEXT_MESSAGE_CONTENT"),
    "RUN_FINISHED",
  ]);
  for (const [place, { id }] of sent.entries()) {
    const request = new Request(URL, { headers: { "last-event-id": id } });
    const resumed = await sentIn(resumeServerSentEventsResponse({ adapter: continuoStream(store, request) }));
    expect(resumed).toEqual(sent.slice(place + 1));
  }
  const join = new Request(`${URL}?runId=run-1&offset=-1`);
  expect(await sentIn(resumeServerSentEventsResponse({ adapter: continuoStream(store, join) }))).toEqual(
    sent,
  );
});

test("runs are separate, and the offset of one is refused in another", async () => {
  const [first] = await sentIn(produce("run-1"));
  const second = await sentIn(produce("run-2"));
  const stream = continuoStream(store, { runId: "run-2" });
  await expect(Array.fromAsync(stream.read(first?.id ?? ""))).rejects.toMatchObject({ code: "invalid" });
  expect(await stream.snapshot()).toHaveLength(second.length);
});

test("the run of a request is that of its offset, else the header, else the parameter, else a new one", () => {
  const runOf = async (request: Request): Promise<string> =>
    (await continuoStream(store, request).append([{ type: "CUSTOM" } as unknown as StreamChunk]))[0] ?? "";
  return Promise.all([
    expect(runOf(new Request(`${URL}?runId=b`, { headers: { "x-run-id": "a" } }))).resolves.toBe(
      "continuo:v1:a:1",
    ),
    expect(runOf(new Request(`${URL}?runId=b`))).resolves.toBe("continuo:v1:b:1"),
    expect(
      runOf(new Request(`${URL}?runId=b&offset=${encodeURIComponent("continuo:v1:c%3A%2F:7")}`)),
    ).resolves.toBe("continuo:v1:c%3A%2F:1"),
    expect(runOf(new Request(URL))).resolves.toMatch(/^continuo:v1:[0-9a-f-]{36}:1$/u),
  ]);
});

test.each([
  { why: "an offset of another maker", request: new Request(`${URL}?offset=memory:v1:a:1`) },
  { why: "an offset without a place", request: new Request(`${URL}?offset=continuo:v1:a:0`) },
  { why: "a broken escape", request: new Request(`${URL}?offset=continuo:v1:%25zz:1`) },
  { why: "a run with a line break", request: new Request(`${URL}?runId=a%0Ab`) },
])("$why is refused before anything is read", ({ request }) => {
  expect(() => continuoStream(store, request)).toThrow(expect.objectContaining({ code: "invalid" }));
});

test("a run belongs to its prefix and is removed after its time, and an unknown option is refused", async () => {
  const chunks = [{ type: "CUSTOM" } as unknown as StreamChunk];
  await continuoStream(store, { runId: "r" }, { prefix: "ann/", ttl: 60 }).append(chunks);
  expect(await continuoStream(store, { runId: "r" }, { prefix: "bob/" }).snapshot()).toEqual([]);
  expect(await store.getLog("ann/r")).toMatchObject({ ttl: 60 });
  expect(() => continuoStream(store, { runId: "r" }, { timeoutMS: 1 } as never)).toThrow(
    /no option timeoutMS/u,
  );
});

test("with two producers of a run, each chunk has its own position", async () => {
  const chunks = Array.from({ length: 20 }, (_, at) => ({ type: "CUSTOM", at }) as unknown as StreamChunk);
  const offsets = await Promise.all(chunks.map((one) => continuoStream(store, { runId: "r" }).append([one])));
  expect(new Set(offsets.flat()).size).toBe(20);
  const stored = await continuoStream(store, { runId: "r" }).snapshot();
  const numbers = stored.map(({ chunk }) => (chunk as unknown as { at: number }).at);
  expect(new Set(numbers).size).toBe(20);
});
