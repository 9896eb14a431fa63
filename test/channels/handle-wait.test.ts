/** The handle of a participant whose server was killed: the next participant waits for it, and reports the reason. */

import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenChannel, openChannelServer } from "./open-channel.ts";

let store: Awaited<ReturnType<typeof openStore>>;
let server: OpenChannel;
let nowMs = 0;
beforeEach(async () => {
  nowMs = Date.parse("2026-01-01T00:00:00Z");
  store = await openStore("memory:", { now: () => nowMs });
  server = await openChannelServer(store);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await store.close();
});

const OWNER = JSON.stringify(["another connect()", "bot", "agent", []]);

/** Leaves the lease of a participant that was killed together with its server. */
async function leave(): Promise<void> {
  await store.acquireLease("channel/team/bot", { owner: OWNER, ttlMs: 10_000 });
}

function watched() {
  const reasons: string[] = [];
  const lines: string[] = [];
  const options = {
    type: "agent",
    onWaiting: ({ code }: { readonly code: string }): void => void reasons.push(code),
    onWarning: (line: string): void => void lines.push(line),
  };
  return { reasons, lines, options };
}

test("an agent gets the handle of a killed participant by itself, and reports once why it waits", async () => {
  await leave();
  const { reasons, lines, options } = watched();
  const onWaiting: typeof options.onWaiting = (reason) => {
    options.onWaiting(reason);
    nowMs += 10_000;
  };
  const bot = await server.join("bot", { ...options, onWaiting });
  expect(reasons).toEqual(["handle_taken"]);
  expect(lines).toEqual([
    "cannot join yet: the handle bot is already in the channel team (if its holder was killed, the handle is free in 10 s); trying again for 30 s",
  ]);
  await bot.send("back");
});

test("the wait for the handle of a killed participant ends with the refusal when its time is over, and with the signal", async () => {
  await leave();
  const { options } = watched();
  await expect(server.join("bot", { ...options, firstConnectionMs: 300 })).rejects.toMatchObject({
    code: "handle_taken",
  });
  const stop = new AbortController();
  const stopping = { ...options, signal: stop.signal, onWaiting: () => stop.abort(new Error("enough")) };
  await expect(server.join("bot", stopping)).rejects.toThrow("enough");
});

test("a client does not wait for the handle of a connected holder: on this server not at all, on another server only until the holder shows itself", async () => {
  const { reasons, options } = watched();
  await server.join("bot", options);
  await expect(server.join("bot", options)).rejects.toMatchObject({ code: "handle_taken" });
  expect(reasons).toEqual([]);
  await using other = await openChannelServer(store);
  await expect(other.join("bot", options)).rejects.toMatchObject({ code: "handle_taken" });
  expect(reasons).toEqual(["handle_taken"]);
});

test("a client without reconnect is refused at once", async () => {
  await leave();
  const { reasons, options } = watched();
  await expect(server.join("bot", { ...options, reconnect: false })).rejects.toMatchObject({
    code: "handle_taken",
  });
  expect(reasons).toEqual([]);
});
