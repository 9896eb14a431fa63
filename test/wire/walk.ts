/**
 * One walk through the protocol with a real server: each frame that a client can send, and each that a server sends.
 * The server's times and ids are replaced, so that two walks are equal.
 */

import type { Store } from "@continuo/core/model";
import { SUBPROTOCOL } from "@continuo/core/wire";
import { expect } from "vitest";
import { WebSocket as PausableSocket } from "ws";
import { type Frame, openRaw, type RawSocket } from "../channels/contract/raw.ts";
import { openServer } from "../server/harness/open-server.ts";

export interface WalkStep {
  /** The connection that sends or receives the frame. */
  readonly who: string;
  readonly sends?: Frame;
  readonly receives?: Frame;
  readonly closed?: number;
}

class Walk {
  readonly steps: WalkStep[] = [];
  readonly #url: string;
  readonly #open = new Map<string, RawSocket>();

  /** Heartbeats, because on a slow machine a walk takes longer than a server waits for one. */
  readonly #beats: NodeJS.Timeout = setInterval(() => {
    for (const raw of this.#open.values()) raw.send({ type: "heartbeat" });
  }, 2_000);

  constructor(url: string) {
    this.#url = url;
  }

  stop(): void {
    clearInterval(this.#beats);
  }

  async send(who: string, frame: Frame): Promise<void> {
    if (frame.type === "hello") this.#open.set(who, await openRaw(this.#url));
    this.#of(who).send(frame);
    this.steps.push({ who, sends: frame });
  }

  async receive(who: string, type: string): Promise<Frame> {
    const frame = await this.#of(who).next(type);
    this.steps.push({ who, receives: frame });
    return frame;
  }

  async ask(who: string, frame: Frame): Promise<Frame> {
    await this.send(who, frame);
    return this.receive(who, "ok");
  }

  async closed(who: string): Promise<void> {
    this.steps.push({ who, closed: await this.#of(who).closed });
  }

  cut(who: string): void {
    this.#of(who).cut();
  }

  #of(who: string): RawSocket {
    const raw = this.#open.get(who);
    if (raw === undefined) throw new Error(`${who} is not connected`);
    return raw;
  }
}

/** Returns every step in order. This takes a few seconds, because the server waits for a writer that was cut off. */
export async function walkThrough(store: Store): Promise<readonly WalkStep[]> {
  const server = await openServer(store);
  const walk = new Walk(server.url);
  try {
    await meet(walk);
    await answer(walk);
    await keep(walk);
    await call(walk);
    await change(walk);
    await disturb(walk);
    await watchSlowly(walk, store);
    await walk.send("ann", { type: "close" });
    await walk.closed("ann");
    await server.close();
    await walk.receive("watcher", "bye");
    await walk.closed("watcher");
    return equalised(walk.steps);
  } finally {
    walk.stop();
    await server.close();
  }
}

async function meet(walk: Walk): Promise<void> {
  await walk.send("ann", {
    type: "hello",
    protocol: 1,
    instance: "ann-laptop-1",
    handle: "ann",
    name: "Ann",
    participantType: "person",
    device: "laptop",
    workspaceId: "default",
    after: "processed",
    replay: "collect",
  });
  await walk.receive("ann", "hello");
  await walk.receive("ann", "ready");
  await walk.send("bot", {
    type: "hello",
    protocol: 1,
    instance: "bot-1",
    handle: "bot",
    name: "Bot",
    participantType: "agent",
    capabilities: ["look_up"],
    workspaceId: "default",
    after: "processed",
  });
  await walk.receive("bot", "hello");
  await walk.receive("bot", "ready");
  await walk.receive("ann", "presence");
  await walk.send("watcher", { type: "hello", protocol: 1, instance: "watcher-1", after: "latest" });
  await walk.receive("watcher", "hello");
  await walk.receive("watcher", "ready");
}

async function answer(walk: Walk): Promise<void> {
  await walk.ask("ann", { type: "send", request: 1, id: "m-1", content: "@bot when does the train leave?" });
  await walk.receive("bot", "event");
  await walk.ask("bot", { type: "received", request: 1, sequence: 1 });
  const { result } = await walk.ask("bot", { type: "claim", request: 2, sequence: 1, agent: "timetable" });
  const { answerId, runId } = result as { readonly answerId: string; readonly runId: string };
  const begin = {
    type: "send",
    request: 3,
    id: answerId,
    content: "",
    state: "open",
    to: ["ann"],
    replyTo: "m-1",
  };
  await walk.ask("bot", begin);
  await walk.ask("bot", { type: "append", request: 4, id: "a-1", messageId: answerId, delta: "At nin" });
  await walk.ask("bot", { type: "replace", request: 5, id: "a-2", messageId: answerId, content: "At ten." });
  await walk.ask("bot", { type: "complete", request: 6, id: "a-3", messageId: answerId, content: "At ten." });
  await walk.ask("bot", { type: "end_run", request: 7, runId, status: "completed", answer: "At ten." });
  for (let sequence = 1; sequence <= 5; sequence++) await walk.receive("watcher", "event");
}

async function keep(walk: Walk): Promise<void> {
  await walk.send("ann's phone", {
    type: "hello",
    protocol: 1,
    instance: "ann-phone-1",
    handle: "ann",
    device: "phone",
    workspaceId: "default",
    after: "latest",
    replay: "skip",
  });
  await walk.receive("ann's phone", "ready");
  await walk.ask("ann", { type: "commit", request: 2, sequence: 5 });
  await walk.receive("ann's phone", "session");
  await walk.send("ann's phone", { type: "close" });
  await walk.closed("ann's phone");
  await walk.ask("bot", { type: "sdk_session", request: 8, sdkSessionId: "native-7" });
  await walk.ask("bot", { type: "store", request: 9, id: "h-1", role: "user", content: "Be short." });
  await walk.ask("bot", { type: "history", request: 10, limit: 20 });
  await walk.ask("bot", { type: "clear_history", request: 11, id: "h-2" });
}

async function call(walk: Walk): Promise<void> {
  const args = { station: "Ulm" };
  await walk.ask("ann", { type: "call", request: 3, id: "c-1", to: "bot", method: "look_up", args });
  await walk.receive("watcher", "event");
  await walk.ask("bot", {
    type: "answer",
    request: 12,
    id: "r-1",
    callId: "c-1",
    value: "10:04",
    done: false,
  });
  await walk.receive("watcher", "event");
  await walk.ask("ann", { type: "cancel", request: 4, id: "x-1", callId: "c-1", reason: "I know enough." });
  await walk.receive("watcher", "event");
}

async function change(walk: Walk): Promise<void> {
  const tool = { type: "tool_call", id: "t-1", name: "look_up", args: { station: "Ulm" } };
  const content = [tool, { type: "text", text: "It leaves from platform 2." }];
  await walk.ask("bot", { type: "send", request: 13, id: "m-2", content });
  await walk.receive("watcher", "event");
  const edited = {
    type: "edit",
    request: 14,
    id: "e-1",
    messageId: "m-2",
    content: "It leaves from platform 3.",
  };
  await walk.ask("bot", edited);
  await walk.receive("watcher", "event");
  for (const [request, change] of [
    [5, "added"],
    [6, "removed"],
  ] as const) {
    await walk.ask("ann", {
      type: "react",
      request,
      id: `k-${request}`,
      messageId: "m-2",
      reaction: "👍",
      change,
    });
    await walk.receive("watcher", "event");
  }
  await walk.ask("bot", {
    type: "delete",
    request: 15,
    id: "d-1",
    messageId: "m-2",
    reason: "the wrong train",
  });
  await walk.receive("watcher", "event");
}

async function disturb(walk: Walk): Promise<void> {
  await walk.send("ann", { type: "heartbeat" });
  await walk.receive("ann", "heartbeat");
  await walk.send("ann", { type: "append", request: 7, id: "a-4", messageId: "m-1", delta: "!" });
  await walk.receive("ann", "error");
  await walk.send("watcher", { type: "pause" });
  await walk.send("watcher", { type: "resume", after: 13 });
  const open = { type: "send", request: 16, id: "m-3", content: "One more thing", state: "open" };
  await walk.ask("bot", open);
  await walk.receive("watcher", "event");
  walk.cut("bot");
  await walk.receive("watcher", "event");
  await walk.receive("ann", "presence");
  await walk.send("stranger", { type: "hello", protocol: 2, instance: "stranger-1", after: 0 });
  await walk.receive("stranger", "error");
  await walk.closed("stranger");
}

/** A reader that does not read until the server disconnects it, in a separate channel. */
async function watchSlowly(walk: Walk, store: Store): Promise<void> {
  const server = await openServer(store, { slowReaders: { stalledMs: 300, goodbyeMs: 60_000 } });
  const said = (content: string) => ({ type: "message_sent", data: { content } });
  await store.createLog({ logId: "channels/busy", events: [said("hello")] });
  const socket = new PausableSocket(`${server.url.replace("http", "ws")}/v1/channels/busy/ws`, SUBPROTOCOL);
  const frames: Frame[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data)) as Frame));
  await new Promise((resolve) => socket.once("open", resolve));
  const beats = setInterval(() => socket.send(JSON.stringify({ type: "heartbeat" })), 2_000);
  try {
    socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "slow-1", after: "latest" }));
    await expect.poll(() => frames.some(({ type }) => type === "ready")).toBe(true);
    socket.pause();
    const long = said("x".repeat(500_000));
    for (let n = 0; n < 40; n++) await store.append("channels/busy", [long]);
    // The test waits longer than the server does.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    socket.resume();
    const code = await closed;
    const last = frames.findLast(({ type }) => type === "catch_up");
    if (last !== undefined) walk.steps.push({ who: "slow", receives: { ...last, after: 10 } });
    walk.steps.push({ who: "slow", closed: code });
  } finally {
    clearInterval(beats);
    await server.close();
  }
}

const TIME = "2026-11-25T12:00:00.000Z";

/** Returns the steps with the server's times and ids replaced by numbers, in the order in which they appear. */
function equalised(steps: readonly WalkStep[]): readonly WalkStep[] {
  const ids = new Map<string, string>();
  const text = JSON.stringify(steps)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, TIME)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, (id) => {
      const made = ids.get(id) ?? `0199a000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
      ids.set(id, made);
      return made;
    });
  return JSON.parse(text) as readonly WalkStep[];
}
