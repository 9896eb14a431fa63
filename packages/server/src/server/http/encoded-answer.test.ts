import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { encodedAnswer as answerFor, encodingFor } from "./encoded-answer.ts";

const encodedAnswer = (request: Request, response: Response) => answerFor(request, response, "machine");

const LONG = { rows: Array.from({ length: 200 }, (_, at) => ({ key: `claude:${at}`, title: "A session" })) };
const WHOLE = JSON.stringify(LONG);

const asked = (headers: Readonly<Record<string, string>> = { "accept-encoding": "gzip, deflate, br" }) =>
  new Request("http://localhost/", { headers });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["br;q=0, GZIP;q=0.5", "gzip"],
  ["br; q=0.000", null],
  ["gzip;q=0", null],
  ["gzip;q=0, *", "br"],
  ["br;q=0.1, gzip", "gzip"],
  ["gzip;q=0.8, br;q=0.9", "br"],
  ["gzip;q=0.5, br;q=0.5", "br"],
  ["*", "br"],
  ["br;q=0, *;q=0.3", "gzip"],
  ["*;q=0", null],
  ["gzip, *;q=0", "gzip"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0.5, gzip", "gzip"],
  ["gzip;q=high", null],
  ["identity", null],
  ["", null],
  [null, null],
])("of the encodings %j, the answer has %j", (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding);
});

// A process that serves nothing else uses the `Response` of Hono's server, whose headers are made when they are
// requested.
const OWN = { Request, Response };
getRequestListener(() => OWN.Response.error(), { overrideGlobalObjects: true });
const HONO = { Request, Response };
Object.assign(globalThis, OWN);

describe.each([
  ["Node", OWN],
  ["Hono's server", HONO],
])("with the Response of %s", (_name, classes) => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(classes)) vi.stubGlobal(name, value);
  });
  afterEach(() => void vi.unstubAllGlobals());

  test("a long answer is compressed in an encoding that the client accepts, and has the same content", async () => {
    for (const [header, open] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const given = Response.json(LONG, { headers: { "content-length": String(WHOLE.length) } });
      const answer = await encodedAnswer(asked({ "accept-encoding": header }), given);
      expect(answer.headers.get("content-encoding")).toBe(header);
      expect(answer.headers.has("content-length")).toBe(false);
      expect(answer.headers.get("vary")).toBe("accept-encoding");
      const bytes = await bytesOf(answer);
      expect(bytes.length).toBeLessThan(WHOLE.length / 4);
      expect(open(bytes).toString()).toBe(WHOLE);
    }
    const plain = await encodedAnswer(asked({}), Response.json(LONG));
    expect(plain.headers.has("content-encoding")).toBe(false);
    expect(await plain.text()).toBe(WHOLE);
  });

  test.each([
    ["an answer to POST", new Request("http://localhost/", { method: "POST" }), {}],
    ["a stream of events", asked(), { "content-type": "text/event-stream" }],
    ["a part of a file", asked(), { "content-range": "bytes 0-1/5" }],
    ["a file that is sent in parts", asked(), { "accept-ranges": "bytes" }],
    ["an encoded answer", asked(), { "content-encoding": "zstd" }],
    ["a picture", asked(), { "content-type": "image/png" }],
  ])("%s is not changed", async (_name, request, headers) => {
    const answer = new Response(WHOLE, { headers: { "content-type": "application/json", ...headers } });
    expect(await encodedAnswer(request, answer)).toBe(answer);
  });

  test("a short answer, and a failure, are sent without compression", async () => {
    const short = await encodedAnswer(asked(), Response.json({ ok: true }));
    expect([short.headers.get("content-encoding"), await short.json()]).toEqual([null, { ok: true }]);
    const failed = Response.json(LONG, { status: 404 });
    expect(await encodedAnswer(asked(), failed)).toBe(failed);
  });

  test("the same answer has the same tag, and is not sent to a client that has it", async () => {
    const first = await encodedAnswer(asked(), Response.json(LONG));
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/u);
    const again = await encodedAnswer(asked({ "if-none-match": etag }), Response.json(LONG));
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    const other = await encodedAnswer(asked({ "if-none-match": etag }), Response.json({ ...LONG, total: 3 }));
    expect([other.status, other.headers.get("etag") === etag]).toEqual([200, false]);
  });

  test("an existing tag of an answer stays, and becomes a weak one if the bytes change", async () => {
    const made = () => new Response(WHOLE, { headers: { "content-type": "application/json", etag: '"7"' } });
    expect((await encodedAnswer(asked(), made())).headers.get("etag")).toBe('W/"7"');
    expect((await encodedAnswer(asked({}), made())).headers.get("etag")).toBe('"7"');
  });

  test("a part of a stream can be read before the next one is made, and a reader that leaves ends the stream", async () => {
    for (const encoding of ["br", "gzip"]) {
      const left = Promise.withResolvers<unknown>();
      let parts = 0;
      const slow = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          if (parts++ === 1) await left.promise;
          controller.enqueue(Buffer.from(WHOLE));
        },
        cancel: left.resolve,
      });
      const body = new Response(slow, { headers: { "content-type": "application/x-ndjson" } });
      const answer = await encodedAnswer(asked({ "accept-encoding": encoding }), body);
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      expect(value?.length).toBeGreaterThan(50);
      await reader.cancel("left");
      await left.promise;
    }
  });

  test("a stream that fails ends the answer with a failure", async () => {
    let parts = 0;
    const failing = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (parts++ === 0) controller.enqueue(Buffer.from(WHOLE));
        else controller.error(new Error("the file is gone"));
      },
    });
    const body = new Response(failing, { headers: { "content-type": "application/json" } });
    await expect(encodedAnswer(asked(), body).then(bytesOf)).rejects.toThrow();
  });

  test("a server that other machines can reach compresses no answer, because its length would give information about secrets in it", async () => {
    const answer = await answerFor(asked(), Response.json(LONG), "network");
    expect(answer.headers.has("content-encoding")).toBe(false);
    expect(await answer.text()).toBe(WHOLE);
    const etag = answer.headers.get("etag") ?? "";
    const again = await answerFor(asked({ "if-none-match": etag }), Response.json(LONG), "network");
    expect(again.status).toBe(304);
  });

  test("an answer without a body says that it depends on the encodings, like the answer with its body", async () => {
    const type = { "content-type": "application/json" };
    const known = await encodedAnswer(asked(), new Response(null, { status: 304, headers: type }));
    expect([known.status, known.headers.get("vary")]).toEqual([304, "accept-encoding"]);
    const head = new Request("http://localhost/", { method: "HEAD", headers: { "accept-encoding": "br" } });
    const varying = { ...type, vary: "origin, accept-encoding" };
    const answer = await encodedAnswer(head, new Response(null, { headers: varying }));
    expect([answer.headers.get("vary"), answer.headers.has("content-encoding")]).toEqual([
      varying.vary,
      false,
    ]);
  });
});
