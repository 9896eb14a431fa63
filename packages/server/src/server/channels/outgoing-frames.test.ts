import { PassThrough } from "node:stream";
import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { OutgoingFrames } from "./outgoing-frames.ts";

const EVENT: StoredEvent = {
  id: "m1",
  logId: "channels/team",
  sequence: 7,
  type: "message_sent",
  timestamp: "2026-11-27T10:00:00.000Z",
  actor: { kind: "person", id: "ann" },
  data: { content: "Tea?" },
} as unknown as StoredEvent;

function reader(): { readonly frames: OutgoingFrames; readonly sent: () => unknown } {
  const stream = new PassThrough();
  const socket = { OPEN: 1, readyState: 1 } as unknown as WebSocket;
  const frames = new OutgoingFrames({ socket, stream, slowReaders: { stalledMs: 1_000, goodbyeMs: 1_000 } });
  return {
    frames,
    sent: () => {
      const bytes: Buffer = stream.read();
      return JSON.parse(bytes.subarray(bytes.indexOf("{")).toString()).after;
    },
  };
}

test("each reader receives a frame with its own previous event, even if another reader has another one", () => {
  const readers = [6, 3, 6].map((after) => ({ after, ...reader() }));
  for (const { frames, after } of readers) frames.event(after, EVENT);
  expect(readers.map(({ sent }) => sent())).toEqual([6, 3, 6]);
});
