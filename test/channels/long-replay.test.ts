/** A client whose replay is long, at a server that follows a script. */

import type { AddressInfo } from "node:net";
import { type AgenticClient, connect } from "@continuo/core/client";
import { SUBPROTOCOL } from "@continuo/core/wire";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** More events than the client keeps for `events()`. */
const SENT = 1_200;
const LATEST = 1_000_000;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

function eventAt(sequence: number): object {
  return {
    type: "event",
    after: sequence - 1,
    event: {
      sequence,
      id: `m${sequence}`,
      type: "message_sent",
      actor: { kind: "person", id: "ben" },
      occurredAt: "2026-01-01T00:00:00.000Z",
      recordedAt: "2026-01-01T00:00:00.000Z",
      retention: "critical",
      data: { messageId: `m${sequence}`, content: `message ${sequence}` },
    },
  };
}

interface Script {
  readonly url: string;
  readonly sockets: readonly WebSocket[];
  /** The frames that clients sent, without heartbeats. */
  readonly heard: readonly { readonly type: string; readonly after?: number | string }[];
}

/** Greets, sends the beginning of a replay of a million events, and never comes to its end. */
async function longReplay(): Promise<Script> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => SUBPROTOCOL });
  await new Promise((resolve) => server.once("listening", resolve));
  const sockets: WebSocket[] = [];
  const heard: Script["heard"][number][] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    const send = (frame: object): void => socket.send(JSON.stringify(frame));
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data)) as Script["heard"][number];
      if (frame.type !== "heartbeat") heard.push(frame);
      if (frame.type === "close") socket.close();
      if (frame.type !== "hello") return;
      const after = Number(frame.after === "processed" ? 0 : frame.after);
      send({ type: "hello", protocol: 1, after, latestSequence: LATEST, workspaceId: "w", session: null });
      for (let n = 1; n <= SENT; n++) send(eventAt(after + n));
    });
  });
  const { port } = server.address() as AddressInfo;
  open.push({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { url: `http://127.0.0.1:${port}`, sockets, heard };
}

async function join(script: Script, options: object = {}): Promise<AgenticClient> {
  const onWarning = (): void => undefined;
  const client = await connect({
    serverUrl: script.url,
    channel: "team",
    handle: "ann",
    replayMode: "stream",
    onWarning,
    ...options,
  });
  open.push(client);
  return client;
}

async function sequencesOf(client: AgenticClient, count: number): Promise<readonly (number | undefined)[]> {
  const sequences: (number | undefined)[] = [];
  for await (const { sequence } of client.events()) if (sequences.push(sequence) === count) break;
  return sequences;
}

test("a reader of a long replay does not wait for the end of it", async () => {
  const script = await longReplay();
  const client = await join(script);
  expect(await sequencesOf(client, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
  const next = client.events().next();
  await expect.poll(() => script.heard.at(-1)).toEqual({ type: "resume", after: 1_000 });
  script.sockets[0]?.send(JSON.stringify(eventAt(1_001)));
  expect((await next).value).toMatchObject({ sequence: 1_001 });
});

test("an interrupted replay continues where it was, even after the time for a first connection", async () => {
  const script = await longReplay();
  const client = await join(script, { firstConnectionMs: 1 });
  await sequencesOf(client, 500);
  script.sockets[0]?.terminate();
  await expect.poll(() => script.heard.at(-1)).toMatchObject({ type: "hello", after: 1_000 });
  expect(await sequencesOf(client, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 501));
});
