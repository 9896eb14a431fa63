/** The HTTP side: it decodes requests, keeps the log, and passes each request to the protocol of its path. */

import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { asObject, type JsonObject } from "./json.ts";
import type { Exchange, Protocol, ProtocolName, Reply } from "./protocol.ts";
import { responses } from "./responses.ts";
import { type Answer, answerTo, type Script } from "./script.ts";

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/** One request as it arrived, and its answer. */
export interface RequestRecord {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** `null` for a path that no protocol knows; such a request is answered 404. */
  readonly protocol: ProtocolName | null;
  /** `answer`: part of a conversation; `summary`: a compaction; `side`: titles, counting and the like. */
  readonly kind: "answer" | "summary" | "side" | "unknown";
  /** Rules of the real service that the request breaks. */
  readonly violations: readonly string[];
  readonly answer: Answer | null;
}

export interface ModelServerOptions extends Script {
  /** The port; 0, the default, is a free port. */
  readonly port?: number;
  /** Answer 400, as the real service does, to a request that breaks its rules. Default true. */
  readonly strict?: boolean;
  /** Append every record to this file, one JSON line each. */
  readonly logFile?: string;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, oldest first. `GET /__log` returns them too, and `DELETE /__log` removes them. */
  readonly requests: readonly RequestRecord[];
  /** Only the requests of conversations, without titles, counts and summaries. */
  conversation(): readonly RequestRecord[];
  close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: RequestRecord[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    response.on("error", () => response.destroy());
    serve(request, response).catch((error: unknown) => sendJson(response, 500, { error: String(error) }));
  });
  server.on("upgrade", (_request, socket) =>
    socket.on("error", () => socket.destroy()).end("HTTP/1.1 426 Upgrade Required\r\n\r\n"),
  );

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://loopback");
    const method = request.method ?? "GET";
    const body = await readBody(request);
    if (url.pathname === "/__log") {
      if (method === "DELETE") requests.length = 0;
      sendJson(response, 200, requests);
      return;
    }
    const exchange: Exchange = { method, path: url.pathname, body };
    const protocol = PROTOCOLS.find((candidate) => candidate.speaks(exchange));
    const reply: Reply =
      protocol?.reply(exchange, (asked) => answerTo(asked, options)) ?? modelsOrNothing(exchange);
    const refused = options.strict !== false && reply.violations[0];
    const record: RequestRecord = {
      number: ++count,
      at: new Date().toISOString(),
      method,
      path: url.pathname + url.search,
      headers: keptHeaders(request),
      body,
      protocol: protocol?.name ?? null,
      kind: reply.kind,
      violations: reply.violations,
      answer: refused ? null : reply.answer,
    };
    requests.push(record);
    if (options.logFile !== undefined) appendFileSync(options.logFile, `${JSON.stringify(record)}\n`);
    if (refused) sendJson(response, 400, reply.errorBody(400, refused));
    else await send(response, reply);
  }

  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(options.port ?? 0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((closed) => server.close(() => closed()));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    conversation: () => requests.filter((record) => record.kind === "answer"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Sends the answer that a protocol made, unless the answer is an error or silence. */
async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const steps = reply.answer ?? [];
  const error = steps.find((step) => step.type === "error");
  if (error !== undefined) {
    sendJson(response, error.status, reply.errorBody(error.status, error.message));
    return;
  }
  // The connection stays open until the client goes away or the server is closed.
  if (steps.some((step) => step.type === "hang")) return;
  if (reply.content.type === "json") {
    sendJson(response, reply.content.status, reply.content.value);
    return;
  }
  const delayMs = steps.find((step) => step.type === "slow")?.delayMs ?? 0;
  const cut = steps.some((step) => step.type === "cut");
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const { events } = reply.content;
  for (const [position, event] of events.entries()) {
    if (response.destroyed) return;
    if (cut && position > events.length / 2) {
      response.destroy();
      return;
    }
    response.write(event);
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
  }
  response.end();
}

function modelsOrNothing({ method, path }: Exchange): Reply {
  const known = method === "HEAD" || path.endsWith("/models") || path.endsWith("/hello");
  const model = { id: "scripted", object: "model", type: "model", display_name: "Scripted", created: 0 };
  return {
    kind: known ? "side" : "unknown",
    violations: [],
    answer: null,
    content: known
      ? { type: "json", status: 200, value: { object: "list", data: [model], models: [], has_more: false } }
      : { type: "json", status: 404, value: { error: { message: `no ${method} ${path} here` } } },
    errorBody: (_status, message) => ({ error: { message } }),
  };
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > MAX_REQUEST_BYTES) throw new Error("the request is too large");
    parts.push(part);
  }
  const bytes = decoded(Buffer.concat(parts), request.headers["content-encoding"]);
  if (bytes.length === 0) return {};
  try {
    return asObject(JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    return { unparsed: String(error) };
  }
}

function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  switch (encoding) {
    case "gzip":
      return gunzipSync(bytes);
    case "deflate":
      return inflateSync(bytes);
    case "br":
      return brotliDecompressSync(bytes);
    case "zstd":
      return zstdDecompressSync(bytes);
    default:
      return bytes;
  }
}

function keptHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const kept = Object.entries(request.headers).filter(([name]) => !/authorization|api-key|cookie/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
