import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { FrameQueue, type QueuedSend } from "./frame-queue.ts";
import { LIMITS } from "./limits.ts";

interface Queue {
  readonly frames: FrameQueue;
  readonly socket: { isPaused: boolean };
  /** The frames that were processed, in their order; the ids of messages that were stored together are joined. */
  readonly done: string[];
  readonly take: (sends: readonly QueuedSend[]) => Promise<void>;
}

function openQueue(): Queue {
  const socket = {
    isPaused: false,
    pause: () => {
      socket.isPaused = true;
    },
    resume: () => {
      socket.isPaused = false;
    },
  };
  const done: string[] = [];
  const frames = new FrameQueue(socket as unknown as WebSocket, { after: async () => undefined });
  const take = async (sends: readonly QueuedSend[]): Promise<void> => {
    done.push(sends.map(({ frame }) => frame.id).join("+"));
  };
  return { frames, socket, done, take };
}

const send = (id: string): QueuedSend => ({
  frame: { type: "send", request: 1, id, content: "" },
  bytes: 10,
});
const nothing = async (): Promise<void> => undefined;

test("messages directly after one another are stored together, and a message after another frame stays after it", async () => {
  const { frames, done, take } = openQueue();
  for (const id of ["a", "b"]) frames.addSend(send(id), take);
  frames.add(10, async () => void done.push("edit"));
  for (const id of ["c", "d"]) frames.addSend(send(id), take);
  await frames.end(nothing);
  expect(done).toEqual(["a+b", "edit", "c+d"]);
});

test("a message that arrives while others are being stored is stored after them", async () => {
  const { frames, done, take } = openQueue();
  const begun = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  frames.addSend(send("a"), async (sends) => {
    await take(sends);
    begun.resolve();
    await stored.promise;
  });
  await begun.promise;
  frames.addSend(send("b"), take);
  stored.resolve();
  await frames.end(nothing);
  expect([done, frames.waiting]).toEqual([["a", "b"], 0]);
});

test("one commit stores no more messages than the limit says", async () => {
  const { frames, done, take } = openQueue();
  for (let n = 0; n <= LIMITS.sendsTogether; n++) frames.addSend(send(`${n}`), take);
  await frames.end(nothing);
  expect(done.map((ids) => ids.split("+").length)).toEqual([LIMITS.sendsTogether, 1]);
});

test("a connection that was paused for the bytes of its frames is read again when few of them wait", async () => {
  const { frames, socket } = openQueue();
  const bytes = 0.75 * LIMITS.waitingFrameBytes;
  const paused: boolean[] = [];
  for (let n = 0; n < 2; n++) frames.add(bytes, async () => void paused.push(socket.isPaused));
  expect(socket.isPaused).toBe(true);
  await frames.end(nothing);
  expect([paused, socket.isPaused]).toEqual([[true, true], false]);
});
