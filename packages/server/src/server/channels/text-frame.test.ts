import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { toTextFrame } from "./text-frame.ts";

test("a WebSocket reads frames of every length, mixed with frames that ws itself writes", async () => {
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((length) => "x".repeat(length));
  // These characters take two bytes each.
  texts.push("é".repeat(63), "é".repeat(32_768));
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on("connection", (socket, { socket: stream }) => {
    for (const text of texts) {
      stream.write(toTextFrame(text));
      socket.send("between");
    }
    socket.close();
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const reader = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const read: string[] = [];
  reader.on("message", (data, isBinary) => read.push(isBinary ? "binary" : data.toString()));
  await new Promise((closed) => reader.once("close", closed));
  sockets.close();
  await new Promise((closed) => http.close(closed));
  expect(read).toEqual(texts.flatMap((text) => [text, "between"]));
});
