/** The pictures of frames that a note writer is shown, and frames that a person captures. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Agent, type Block, ContinuoError } from "@continuo/core/model";
import type { EvidenceInput } from "@continuo/core/wire";
import { agentWriter, anthropicWriter, openAiWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "./live-session.ts";

interface SeeingAgent extends Agent {
  readonly inputs: (readonly Block[])[];
}

function seeingAgent(): SeeingAgent {
  const inputs: (readonly Block[])[] = [];
  return {
    name: "eyes",
    inputs,
    execute: async ({ input }, { onEvent }) => {
      inputs.push(input);
      await onEvent({ type: "text", delta: '{"drafts":[]}' });
      return {};
    },
  };
}

async function frame(
  live: LiveTest,
  mediaTimeMs: number,
  content: string | Uint8Array,
  more: object = {},
): Promise<EvidenceInput> {
  const bytes = Buffer.from(content);
  const { hash, sizeBytes } = await live.store.putBlob(bytes, { mediaType: "image/jpeg" });
  const full = { hash, sizeBytes, mediaType: "image/jpeg" };
  return { type: "frame_captured", mediaTimeMs, full, ...more };
}

function imagesIn(input: readonly Block[] = []): readonly string[] {
  return input.flatMap((block) =>
    block.type === "image" ? [`${block.mimeType} ${Buffer.from(block.data ?? "", "base64").toString()}`] : [],
  );
}

test("an agent receives the pictures of a batch as images, one for each change of scene, with the evidence of each", async () => {
  const agent = seeingAgent();
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  const of = (embedding: readonly number[]): object => ({ embedding, embeddingVersion: "1" });
  await live.send(
    "k",
    said("look at this slide", 1_000),
    await frame(live, 1_000, "slide", of([1, 0])),
    await frame(live, 2_000, "slide again", of([0.99, 0.01])),
    await frame(live, 3_000, "harbour", of([0, 1])),
    await frame(live, 9_000, "harbour", of([0, 1])),
    await frame(live, 19_000, "harbour"),
  );
  await live.clock.advance(15_000);
  const [input = []] = agent.inputs;
  expect(imagesIn(input)).toEqual(["image/jpeg slide", "image/jpeg harbour"]);
  const prompt = input[0]?.type === "text" ? input[0].text : "";
  const { pictures, evidence } = JSON.parse(prompt.slice(prompt.indexOf("\n\n{") + 2)) as {
    readonly pictures: readonly { readonly evidence: string; readonly atMs: number }[];
    readonly evidence: readonly { readonly name: string; readonly type: string; readonly startMs: number }[];
  };
  expect(pictures.map(({ atMs }) => atMs)).toEqual([1_000, 3_000]);
  for (const { evidence: name, atMs } of pictures)
    expect(evidence.find((one) => one.name === name)).toMatchObject({
      type: "frame_captured",
      startMs: atMs,
    });
});

test("a frame that a person captures begins a batch, and is sent before pictures of changes of scene", async () => {
  const agent = seeingAgent();
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  const of = (n: number): object => ({
    embedding: Array.from({ length: 6 }, (_, at) => (at === n ? 1 : 0)),
    embeddingVersion: "1",
  });
  await live.send(
    "k",
    ...(await Promise.all([0, 1, 2, 3, 4].map((n) => frame(live, n * 1_000, `${n}`, of(n))))),
  );
  await live.clock.advance(30_000);
  expect(agent.inputs).toEqual([]);
  await live.send("k", await frame(live, 4_500, "asked", { ...of(4), asked: true }));
  await live.clock.advance(15_000);
  const [input = []] = agent.inputs;
  expect(imagesIn(input)).toHaveLength(4);
  expect(imagesIn(input).at(-1)).toBe("image/jpeg asked");
});

test("an agent that takes no pictures in a prompt is asked again without them, and receives none from then on", async () => {
  const agent = seeingAgent();
  const shown: number[] = [];
  const blind: Agent = {
    name: "blind agent",
    execute: async (request, options) => {
      shown.push(imagesIn(request.input).length);
      if (imagesIn(request.input).length > 0)
        throw new ContinuoError("unsupported", "blind agent does not take pictures in a prompt");
      return await agent.execute(request, options);
    },
  };
  await using live = await liveTest({ noteWriters: [agentWriter({ agent: blind })] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("the harbour at night", 1_000), await frame(live, 1_000, "slide"));
  await live.clock.advance(15_000);
  await live.send("k", said("and the harbour by day", 60_000), await frame(live, 60_000, "other"));
  await live.clock.advance(15_000);
  expect(shown).toEqual([1, 0, 0]);
});

test("an error of a prompt with pictures that is not about the pictures does not make the agent blind", async () => {
  const agent = seeingAgent();
  const shown: number[] = [];
  const odd: Agent = {
    name: "odd agent",
    execute: async (request, options) => {
      shown.push(imagesIn(request.input).length);
      if (shown.length === 1) throw new ContinuoError("invalid", "the mode is not allowed");
      return await agent.execute(request, options);
    },
  };
  await using live = await liveTest({ noteWriters: [agentWriter({ agent: odd })] });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("the harbour at night", 1_000), await frame(live, 1_000, "slide"));
  await live.clock.advance(120_000);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown).not.toContain(0);
});

test("a batch has at most four pictures, each at most 512 KiB and stored for the session", async () => {
  const agent = seeingAgent();
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  const frames = await Promise.all(
    Array.from({ length: 12 }, (_, n) => frame(live, n * 5_000, `scene ${n}`)),
  );
  await live.send("k", said("a quick tour", 1_000), ...frames);
  await live.clock.advance(15_000);
  expect(imagesIn(agent.inputs.at(-1))).toEqual([0, 3, 6, 9].map((n) => `image/jpeg scene ${n}`));
  const large = await frame(live, 100_000, new Uint8Array(600_000));
  const foreign = { hash: "a".repeat(64), sizeBytes: 10, mediaType: "image/jpeg" };
  const small = { hash: frameHash(frames[1]), sizeBytes: 7, mediaType: "image/jpeg" };
  await live.send("k", said("and now the rest", 100_000), { ...large, thumbnail: small } as EvidenceInput, {
    type: "frame_captured",
    mediaTimeMs: 110_000,
    full: foreign,
  });
  await live.clock.advance(15_000);
  expect(imagesIn(agent.inputs.at(-1))).toEqual(["image/jpeg scene 1"]);
});

function frameHash(evidence: EvidenceInput | undefined): string {
  return (evidence as { readonly full?: { readonly hash: string } }).full?.hash ?? "";
}

test("a removed picture is not sent, but its description is", async () => {
  const agent = seeingAgent();
  await using live = await liveTest({ noteWriters: [agentWriter({ agent })] });
  await live.service.open("k", { videoId: "v" });
  const lost = await frame(live, 1_000, "lost", { description: "A lighthouse in fog" });
  await live.service.frames.purge();
  await live.send("k", said("see that", 1_000), lost);
  await live.store.setBlobExpiry(frameHash(lost), new Date(0).toISOString());
  await live.store.collectBlobs({ minAgeMs: 0 });
  await live.clock.advance(15_000);
  const [input = []] = agent.inputs;
  expect(imagesIn(input)).toEqual([]);
  expect(JSON.stringify(input)).toContain("A lighthouse in fog");
});

interface Endpoint extends AsyncDisposable {
  readonly url: string;
  readonly bodies: Record<string, unknown>[];
}

/** Answers as a chat API does; while it is blind, it answers images with 400. */
async function endpoint(sight: "sees" | "blind"): Promise<Endpoint> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      const isRefused = sight === "blind" && text.includes('"image_url"');
      response.statusCode = isRefused ? 400 : 200;
      const content = '{"drafts":[]}';
      response.end(
        JSON.stringify({ choices: [{ message: { content } }], content: [{ type: "text", text: content }] }),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, bodies, [Symbol.asyncDispose]: async () => void server.close() };
}

test("models receive image parts in the form of their API", async () => {
  await using server = await endpoint("sees");
  const { url } = server;
  const writers = [openAiWriter({ url, model: "m" }), anthropicWriter({ url, model: "m" })];
  for (const writer of writers) {
    await using live = await liveTest({ noteWriters: [writer] });
    await live.service.open("k", { videoId: "v" });
    await live.send("k", said("look", 1_000), await frame(live, 1_000, "slide"));
    await live.service.close("k");
  }
  const data = Buffer.from("slide").toString("base64");
  const parts = server.bodies.map(
    ({ messages }) => (messages as { content: { type: string }[] }[])[0]?.content,
  );
  expect(parts[0]?.[0]?.type).toBe("text");
  expect(parts[0]?.[1]).toEqual({ type: "image_url", image_url: { url: `data:image/jpeg;base64,${data}` } });
  expect(parts[1]?.[0]).toEqual({
    type: "image",
    source: { type: "base64", media_type: "image/jpeg", data },
  });
});

test("a model that refuses images is asked again without them, and receives none from then on", async () => {
  await using server = await endpoint("blind");
  const writer = openAiWriter({ url: server.url, model: "m" });
  await using live = await liveTest({ noteWriters: [writer] });
  await live.service.open("k", { videoId: "v" });
  for (const n of [0, 1]) {
    await live.send("k", said(`look ${n}`, n * 60_000), await frame(live, n * 60_000, `slide ${n}`));
    await live.clock.advance(15_000);
  }
  expect(server.bodies.map((body) => JSON.stringify(body).includes('"image_url"'))).toEqual([
    true,
    false,
    false,
  ]);
  expect((await live.service.session("k")).health.standIn).toBeNull();
});
