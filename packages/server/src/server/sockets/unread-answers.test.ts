import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UnreadAnswers } from "./unread-answers.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A response with one write of a page, of which the system has taken some. */
function answerOf(pageBytes: number) {
  const handle = { writeQueueSize: pageBytes };
  const socket = { writableLength: pageBytes, _handle: handle, destroyed: false };
  const destroy = (): void => {
    socket.destroyed = true;
  };
  const response = Object.assign(new EventEmitter(), { socket: Object.assign(socket, { destroy }) });
  return { response: response as unknown as ServerResponse, socket, handle };
}

test("a client that takes a few bytes of a page now and then is waited for, and a client that takes none is not", () => {
  const answers = new UnreadAnswers(30_000);
  const [slow, deaf] = [answerOf(4_000_000), answerOf(4_000_000)];
  for (const { response } of [slow, deaf]) answers.watch(response);
  for (let seconds = 0; seconds < 100; seconds += 25) {
    vi.advanceTimersByTime(25_000);
    slow.handle.writeQueueSize -= 1_000;
  }
  expect([slow.socket.destroyed, deaf.socket.destroyed]).toEqual([false, true]);
  vi.advanceTimersByTime(32_000);
  expect(slow.socket.destroyed).toBe(true);
  answers.close();
});

test("an answer with nothing to send, such as a long-poll that waits, stays open, and an answer that was sent is forgotten", () => {
  const answers = new UnreadAnswers(30_000);
  const [quiet, sent] = [answerOf(0), answerOf(500)];
  for (const { response } of [quiet, sent]) answers.watch(response);
  sent.response.emit("close");
  vi.advanceTimersByTime(600_000);
  expect([quiet.socket.destroyed, sent.socket.destroyed]).toEqual([false, false]);
  answers.close();
});
