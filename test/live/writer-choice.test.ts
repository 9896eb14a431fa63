/**
 * The choice of a note writer for a session: the offers with their prices, who may choose, and from when the choice
 * applies.
 */

import { openLive } from "@continuo/core/client/live";
import type { OfferedWriter } from "@continuo/core/wire";
import { type NoteRequest, type NoteWriter, openAiWriter, type WriterOffers } from "@continuo/live";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { liveTest, said, scriptedWriter } from "./live-session.ts";
import { allEvents } from "./servers.ts";

interface Offers extends WriterOffers {
  readonly writers: Map<string, NoteWriter>;
}

function offersOf(...writers: readonly NoteWriter[]): Offers {
  const known = new Map(writers.map((writer) => [writer.name, writer]));
  let chosen: string | null = null;
  return {
    writers: known,
    find: async () => [...known.keys()].map((name) => ({ name, kind: "here" as const })),
    named: (name) => known.get(name) ?? null,
    chosen: () => chosen,
    choose: (name) => {
      chosen = name;
    },
  };
}

test("the chosen writer makes the notes of all later words, in this session and in the sessions after it", async () => {
  const llama = scriptedWriter("Ollama: llama");
  const offers = offersOf(llama);
  await using live = await liveTest({ writerOffers: offers });
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("The harbour opens at dawn", 1_000));
  await clock.advance(13_000);
  expect(live.writer.requests).toHaveLength(1);
  expect(await service.writers.offered("k")).toEqual([
    { name: "extractive", kind: "none", hourUsd: 0, isUsed: false },
    { name: "scripted", kind: "named", hourUsd: null, isUsed: true },
    { name: "Ollama: llama", kind: "here", hourUsd: 0, isUsed: false },
  ]);
  await service.writers.choose("k", "Ollama: llama");
  expect((await service.session("k")).noteWriter).toBe("Ollama: llama");
  await live.send("k", said("The boats leave with the tide", 60_000));
  await clock.advance(13_000);
  expect([live.writer.requests.length, llama.requests.length]).toEqual([1, 1]);
  expect(await service.notes("k")).toHaveLength(2);
  const choices = (await allEvents(store, sessionId)).filter(({ type }) => type === "note_writer_chosen");
  expect(choices.map(({ actor, data }) => [actor.kind, data])).toEqual([
    ["person", { noteWriter: "Ollama: llama" }],
  ]);
  expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  await service.open("later", { videoId: "other" });
  expect((await service.session("later")).noteWriter).toBe("Ollama: llama");
  // If the model was removed from the machine, the server's own writer writes the notes of the next session.
  offers.writers.clear();
  await service.open("latest", { videoId: "another" });
  expect((await service.session("latest")).noteWriter).toBe("scripted");
  await expect(service.writers.choose("k", "Ollama: gone")).rejects.toMatchObject({ code: "not_found" });
});

test.each([
  ["a model on a port of this machine", {}, "here", true],
  ["a model that requires a key, as a proxy to a service does", { apiKey: "secret" }, "named", undefined],
  ["one elsewhere", { url: "https://models.example/v1" }, "named", undefined],
])("%s is known to cost nothing before it was used, or not", async (_name, more, kind, isWriterFree) => {
  const writer = openAiWriter({ name: "qwen", model: "qwen3:8b", url: "http://127.0.0.1:11434/v1", ...more });
  await using live = await liveTest({ noteWriters: [writer] });
  await live.service.open("k", { videoId: "v" });
  expect((await live.service.session("k")).isWriterFree).toBe(isWriterFree);
  const [, offer] = await live.service.writers.offered("k");
  expect(offer).toMatchObject({ name: "qwen", kind, hourUsd: kind === "here" ? 0 : null });
});

test("if another writer is chosen, the previous writer makes the note of the thought that is open then", async () => {
  const second = scriptedWriter("second");
  await using live = await liveTest({ writerOffers: offersOf(second) });
  const { service, writer, clock } = live;
  let isOpen = false;
  Object.assign(writer, {
    hasOpen: () => isOpen,
    write: async (request: NoteRequest) => {
      if (!request.isEnd) {
        isOpen = true;
        return { drafts: [], memory: "The harbour" };
      }
      isOpen = false;
      const draft = {
        draftId: `${request.batchId}/1`,
        text: "The harbour opens.",
        startMs: 1_000,
        endMs: 2_000,
      };
      return { drafts: [{ ...draft, confidence: 0.9, evidence: [] }], memory: null };
    },
  });
  await service.open("k", { videoId: "v" });
  await live.send("k", said("The harbour opens", 1_000));
  await clock.advance(5_000);
  expect(await service.notes("k")).toEqual([]);
  await service.writers.choose("k", "second");
  expect((await service.notes("k")).map(({ text }) => text)).toEqual(["The harbour opens."]);
});

test("the price of an hour comes from the costs of earlier sessions with the writer", async () => {
  await using live = await liveTest({ writerOffers: offersOf() });
  const { service, writer, clock } = live;
  const { write } = writer;
  writer.write = async (...given) => ({ ...(await write(...given)), modelCalls: 1, costUsd: 0.01 });
  await service.open("k", { videoId: "v" });
  const price = async (): Promise<number | null | undefined> =>
    (await service.writers.offered("k")).find(({ kind }) => kind === "named")?.hourUsd;
  for (let minute = 0; minute <= 15; minute++) {
    await live.send("k", said(`Boat ${minute} leaves with the tide`, minute * 60_000));
    await clock.advance(60_000);
    if (minute === 5) expect(await price()).toBeNull();
  }
  const { cost, createdAt, lastActivityAt } = await service.session("k");
  const hours = (Date.parse(lastActivityAt) - Date.parse(createdAt)) / 3_600_000;
  expect(cost.costUsd).toBeGreaterThan(0.1);
  expect(await price()).toBeCloseTo(cost.costUsd / hours, 6);
});

test("only a token for all continuous sessions is offered, and can choose, programs of the machine", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const live = { workspaceIds: [store.workspaceId], writerOffers: offersOf(scriptedWriter("Ollama: llama")) };
  const server = await openServer(store, { live, authenticate: createAuthenticate(store) });
  onTestFinished(() => server.close());
  const tokenOf = async (scope: string): Promise<string> =>
    (await store.createToken({ scopes: [scope] })).secret;
  const all = await tokenOf("live:*:read,write");
  const some = await tokenOf("live:tab/*:read,write");
  const client = await openLive({ serverUrl: server.url, token: some, key: "tab/1", videoId: "v" });
  const call = async (token: string, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}/v1/live/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const name = "Ollama: llama";
  expect((await call(some, "GET", "tab%2F1/writers")).status).toBe(403);
  expect((await call(some, "POST", "tab%2F1/writer", { name })).status).toBe(403);
  expect((await call(some, "PUT", "tab%2F2", { videoId: "v", noteWriter: name })).status).toBe(403);
  const offered = await call(all, "GET", "tab%2F1/writers");
  const { writers } = (await offered.json()) as { readonly writers: readonly OfferedWriter[] };
  expect(writers.map((one) => [one.name, one.isUsed])).toEqual([
    ["extractive", true],
    [name, false],
  ]);
  expect((await call(all, "POST", "tab%2F1/writer", { name: 7 })).status).toBe(400);
  const chosen = await call(all, "POST", "tab%2F1/writer", { name });
  expect(await chosen.json()).toMatchObject({ key: "tab/1", noteWriter: name });
  client.close();
});
