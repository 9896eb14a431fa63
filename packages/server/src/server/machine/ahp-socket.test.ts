/** The connection of an editor counts for its token, and ends with it. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ContinuoError } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Grant, OnLost, Peer, ServerContext } from "../context/index.ts";
import { createAhpEndpoint } from "./ahp-socket.ts";

const PEER: Peer = { address: "127.0.0.1", isLoopback: true };
const GRANT = {
  tokenId: "t",
  workspaceId: "default",
  page: null,
  scopes: [],
  peer: PEER,
} as unknown as Grant;

interface Editor {
  readonly socket: WebSocket;
  /** The connections that count for the token, with what ends each. */
  readonly open: Set<OnLost>;
  /** The bytes of the messages that were counted. */
  readonly counted: number[];
  limit: number;
}

async function openEditor(): Promise<Editor> {
  const editor = { open: new Set<OnLost>(), counted: [] as number[], limit: Number.POSITIVE_INFINITY };
  const quotas = {
    connect: (_: Grant, onLost: OnLost) => {
      editor.open.add(onLost);
      return { [Symbol.dispose]: () => void editor.open.delete(onLost) };
    },
    request: (_: Grant, bytes?: number) => {
      if (bytes === undefined) return;
      editor.counted.push(bytes);
      if (editor.counted.length > editor.limit) throw new ContinuoError("rate_limited", "too fast");
    },
  };
  const context = {
    quotas,
    authenticate: async () => GRANT,
    machine: () => undefined,
    store: () => undefined,
    report: () => undefined,
    refused: () => undefined,
    require: () => undefined,
    refuseUpgrade: () => undefined,
  } as unknown as ServerContext;
  const endpoint = createAhpEndpoint(context, async () => ({}) as MachineService);
  const server = createServer();
  server.on("upgrade", (request, socket, head) => void endpoint.upgrade(request, socket, head, PEER));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ahp`);
  onTestFinished(async () => {
    socket.terminate();
    await endpoint.close();
    server.close();
  });
  await once(socket, "open");
  await expect.poll(() => editor.open.size).toBe(1);
  return Object.assign(editor, { socket });
}

test("an editor whose token no longer counts is disconnected", async () => {
  const { socket, open } = await openEditor();
  const [onLost] = open;
  onLost?.(new ContinuoError("unauthorized", "the token was revoked"));
  const [code] = await once(socket, "close");
  expect(code).toBe(1008);
});

test("each message of an editor counts for its token, and one message too many ends the connection", async () => {
  const editor = await openEditor();
  editor.limit = 2;
  for (const text of ["{}", "[1]", "ä"]) editor.socket.send(text);
  const [code] = await once(editor.socket, "close");
  expect([code, editor.counted]).toEqual([1008, [2, 3, 2]]);
});

test("an editor that disconnected no longer counts as a connection of its token", async () => {
  const { socket, open } = await openEditor();
  socket.close();
  await expect.poll(() => open.size).toBe(0);
});
