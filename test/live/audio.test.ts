/** Audio is stored before it is acknowledged; the owner transcribes it and then deletes it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AudioChunk, openAiTranscriber, parseAudio, type Transcriber } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const WAV = Buffer.concat([Buffer.from("RIFF\u0024\0\0\0WAVEfmt "), Buffer.alloc(64)]);
const WEBM = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(64)]);

function upload(bytes: Uint8Array = WAV, more: object = {}): ReturnType<typeof parseAudio> {
  const mediaType = bytes === WEBM ? "audio/webm;codecs=opus" : "audio/wav";
  return parseAudio({ bytes, mediaType, startMs: 10_000, endMs: 14_000, lang: "en", ...more });
}

function scriptedTranscriber(): Transcriber & { failures: number; readonly heard: AudioChunk[] } {
  const transcriber = {
    name: "scripted",
    failures: 0,
    heard: [] as AudioChunk[],
    transcribe: async (chunk: AudioChunk) => {
      if (transcriber.failures > 0) {
        transcriber.failures--;
        throw new Error("the transcriber is away");
      }
      transcriber.heard.push(chunk);
      return {
        segments: [
          { text: "the harbour opens", startMs: 10_500, endMs: 12_000, confidence: 0.9 },
          { text: " ", startMs: 12_000, endMs: 12_500 },
          { text: "at dawn", startMs: 12_500, endMs: 99_000 },
        ],
      };
    },
  };
  return transcriber;
}

async function transcripts({ store }: LiveTest, sessionId: string): Promise<readonly unknown[]> {
  return (await allEvents(store, sessionId))
    .filter(({ type }) => type === "transcript_added")
    .map(({ data }) => data);
}

test("each piece of the transcript names the speaker that the page knows, not the one that a transcriber guesses", async () => {
  const guessing: Transcriber = {
    name: "guessing",
    transcribe: async () => ({
      segments: [
        { text: "that is our boat", startMs: 10_500, endMs: 12_000, speaker: "A" },
        { text: "I think", startMs: 12_500, endMs: 13_000 },
      ],
    }),
  };
  await using live = await liveTest({ transcriber: guessing });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  await live.service.acceptAudio("k", upload(WAV, { id: "mine", speaker: "viewer" }));
  await live.service.acceptAudio("k", upload(WEBM, { id: "theirs" }));
  await live.clock.advance(1_000);
  const speakers = (await transcripts(live, sessionId)).map((data) => (data as { speaker?: string }).speaker);
  expect(speakers).toEqual(["viewer", "viewer", "A", undefined]);
  expect(() => upload(WAV, { speaker: "" })).toThrow("lang, speaker, videoId and id");
});

test("a chunk gives transcripts within its span and notes about them, and its bytes are deleted", async () => {
  const transcriber = scriptedTranscriber();
  await using live = await liveTest({ transcriber });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const { sequences, depth } = await live.service.acceptAudio("k", upload(WAV, { id: "chunk-1" }));
  expect([sequences.length, depth]).toEqual([1, 0]);
  expect((await live.service.acceptAudio("k", upload(WAV, { id: "chunk-1" }))).sequences).toEqual(sequences);
  await live.clock.advance(1_000);
  expect(transcriber.heard).toHaveLength(1);
  expect(Buffer.from(transcriber.heard[0]?.bytes ?? []).equals(WAV)).toBe(true);
  expect(await transcripts(live, sessionId)).toEqual([
    {
      text: "the harbour opens",
      mediaTimeMs: 10_500,
      endMs: 12_000,
      lang: "en",
      audioId: "chunk-1",
      confidence: 0.9,
    },
    { text: "at dawn", mediaTimeMs: 12_500, endMs: 14_000, lang: "en", audioId: "chunk-1" },
  ]);
  const stored = (await allEvents(live.store, sessionId)).find(({ type }) => type === "evidence_added");
  const { hash } = ((stored?.data ?? {}) as { readonly content: { readonly hash: string } }).content;
  expect(stored?.blobs ?? []).toEqual([]);
  expect(await live.store.statBlob(hash)).toBeNull();
  await live.clock.advance(7_000);
  expect((await live.service.notes("k")).map(({ text }) => text)).toEqual(["the harbour opens"]);
  expect((await live.service.session("k")).state).toBe("active");
});

test("keepAudio keeps the bytes", async () => {
  await using live = await liveTest({ transcriber: scriptedTranscriber(), keepAudio: true });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  await live.service.acceptAudio("k", upload(WEBM));
  await live.clock.advance(1_000);
  expect(await transcripts(live, sessionId)).toHaveLength(2);
  const stored = (await allEvents(live.store, sessionId)).find(({ type }) => type === "evidence_added");
  const { hash } = ((stored?.data ?? {}) as { readonly content: { readonly hash: string } }).content;
  // Expired bytes cannot be read, even before they are removed.
  expect(await live.store.statBlob(hash)).toMatchObject({ mediaType: "audio/webm", sizeBytes: WEBM.length });
});

test.each([
  ["audio that is kept stays until its video is deleted", { keepAudio: true, left: 1 }],
  ["a chunk that is sent again after its transcript leaves no bytes behind", { keepAudio: false, left: 0 }],
])("%s", async (_, { keepAudio, left }) => {
  let now = Date.now;
  await using store = await openStore("memory:", { now: () => now() });
  await using live = await liveTest({ store, transcriber: scriptedTranscriber(), keepAudio });
  now = live.clock.now;
  await live.service.open("k", { videoId: "v" });
  for (let n = 0; n < 2; n++) {
    await live.service.acceptAudio("k", upload(WAV, { id: "chunk" }));
    await live.clock.advance(1_000);
    await store.collectBlobs({ minAgeMs: 1 });
    expect((await store.listBlobs()).items).toHaveLength(left);
    await live.clock.advance(40 * 86_400_000);
    await store.collectBlobs({ minAgeMs: 1 });
    expect((await store.listBlobs()).items).toHaveLength(left);
  }
  await live.service.deleteVideo("v");
  expect((await store.listBlobs()).items).toEqual([]);
});

test("a chunk whose answer was lost is stored once, even if its session and the session after it have ended", async () => {
  const transcriber = scriptedTranscriber();
  await using live = await liveTest({ transcriber });
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const first = await service.acceptAudio("k", upload(WAV, { id: "chunk" }));
  for (let n = 0; n < 2; n++) {
    await service.close("k");
    expect(await service.acceptAudio("k", upload(WAV, { id: "chunk" }))).toMatchObject({
      sequences: first.sequences,
    });
    const next = await service.open("k", { videoId: "v" });
    expect(next.sessionId).not.toBe(sessionId);
    await service.acceptAudio("k", upload(WAV, { id: "chunk" }));
    expect(await transcripts(live, next.sessionId)).toEqual([]);
    await live.send("k", said("later", n));
  }
  expect(transcriber.heard).toHaveLength(1);
  await store.collectBlobs({ minAgeMs: 1 });
  expect((await store.listBlobs()).items).toEqual([]);
  // Another recording with the same id is stored too.
  await service.acceptAudio("k", upload(WEBM, { id: "chunk" }));
  await service.close("k");
  expect(transcriber.heard).toHaveLength(2);
  await expect(service.acceptAudio("k", upload(WAV, { id: "chunk" }))).resolves.toMatchObject({
    sequences: first.sequences,
  });
});

test("nothing is lost while the transcriber fails: the chunk is tried again, also by the next owner, and closing waits for it", async () => {
  const transcriber = scriptedTranscriber();
  transcriber.failures = 2;
  await using live = await liveTest({ transcriber });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  await live.service.acceptAudio("k", upload());
  await live.clock.advance(500);
  expect(transcriber.failures).toBe(1);
  await live.service.stop();
  await using next = await liveTest({ store: live.store, transcriber });
  await next.service.ping("k");
  await next.clock.advance(100);
  expect([transcriber.failures, transcriber.heard.length]).toEqual([0, 0]);
  await next.service.close("k");
  expect(transcriber.heard).toHaveLength(1);
  expect(await transcripts(next, sessionId)).toHaveLength(2);
  expect(await next.service.session("k")).toMatchObject({ state: "closed", depth: 0 });
});

test("after the budget is spent, audio is stored and not transcribed", async () => {
  const transcriber = scriptedTranscriber();
  await using live = await liveTest({ transcriber, budget: { maxTokens: 1 } });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const value = { modelCalls: 1, inputTokens: 1, outputTokens: 0, costUsd: 0 };
  await live.store.append(sessionId, [
    { type: "telemetry_reported", data: { name: "ask", value }, actor: { kind: "agent" } },
  ]);
  await live.settle();
  expect((await live.service.acceptAudio("k", upload())).sequences).toHaveLength(1);
  await live.clock.advance(10_000);
  expect(transcriber.heard).toEqual([]);
  expect((await live.store.listBlobs()).items).toHaveLength(1);
});

test("audio in another format, with invalid times, over 10 MB or without a transcriber is refused", async () => {
  for (const [bytes, more, code] of [
    [Buffer.from("ID3 this is an mp3 file"), {}, "invalid"],
    [WAV, { mediaType: "audio/webm" }, "invalid"],
    [WAV, { mediaType: "text/html" }, "invalid"],
    [WAV, { startMs: 5, endMs: 4 }, "invalid"],
    [WAV, { startMs: -1 }, "invalid"],
    [WAV, { startMs: undefined }, "invalid"],
    [WAV, { id: "" }, "invalid"],
    [Buffer.concat([WAV, Buffer.alloc(10_485_760)]), {}, "too_large"],
  ] as const) {
    expect(() => upload(bytes, more)).toThrow(expect.objectContaining({ code }));
  }
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  await expect(live.service.acceptAudio("k", upload())).rejects.toMatchObject({ code: "unsupported" });
});

test("an endpoint with OpenAI's API transcribes audio that was sent over HTTP", async () => {
  const asked: string[] = [];
  const endpoint = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(
        `${request.url} ${request.headers.authorization}\n${Buffer.concat(chunks).toString("latin1")}`,
      );
      const segments = [{ text: " The harbour opens.", start: 0.5, end: 2 }];
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ text: "x", segments }));
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  await using store = await openStore("memory:");
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;
  const transcriber = openAiTranscriber({ url, model: "whisper-1", apiKey: "secret" });
  const server = await openServer(store, { live: { workspaceIds: [store.workspaceId], transcriber } });
  try {
    const path = `${server.url}/v1/live/k`;
    const opened = await fetch(path, { method: "PUT", body: JSON.stringify({ videoId: "v" }) });
    const { sessionId } = (await opened.json()) as { readonly sessionId: string };
    const send = (bytes: Buffer): Promise<Response> =>
      fetch(`${path}/audio?startMs=1000&endMs=4000&lang=en-GB`, {
        method: "POST",
        headers: { "content-type": "audio/wav" },
        body: new Uint8Array(bytes),
      });
    expect((await send(WAV)).status).toBe(200);
    expect((await send(Buffer.from("not audio"))).status).toBe(400);
    expect((await send(Buffer.concat([WAV, Buffer.alloc(10_485_761)]))).status).toBe(413);
    await expect
      .poll(
        async () => (await allEvents(store, sessionId)).find(({ type }) => type === "transcript_added")?.data,
      )
      .toMatchObject({ text: "The harbour opens.", mediaTimeMs: 1_500, endMs: 3_000, lang: "en-GB" });
    expect(asked[0]).toContain("/v1/audio/transcriptions Bearer secret");
    for (const part of ["whisper-1", "verbose_json", 'filename="speech.wav"', "RIFF"])
      expect(asked[0]).toContain(part);
  } finally {
    await server.close();
    endpoint.closeAllConnections();
    endpoint.close();
  }
});
