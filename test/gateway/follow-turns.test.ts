/** The follower of other processes' turns, with a log in which a killed turn has no end yet. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathOfUrl, storeUrlOf } from "@continuo/agents/catalog";
import { findNativeSessions } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import { CallIds } from "../../src/gateway/call-ids.ts";
import { followStartOf, followTurnsOfOthers } from "../../src/gateway/follow-turns.ts";
import { GATEWAY_LIMITS } from "../../src/gateway/limits.ts";
import { Stage } from "../../src/gateway/stage.ts";
import { cleanEnv } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession, storeOf } from "../machine/open-chat.ts";
import { begin } from "./native-writer.ts";

async function open() {
  const home = createTalkHome();
  onTestFinished(() => home[Symbol.dispose]());
  const id = await ownSession(home);
  const sessionId = id.slice("continuo:".length);
  const store = await openStore(storeOf(home));
  onTestFinished(() => store.close());
  const places = {
    home: home.path,
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    now: new Date(),
  };
  const change = (runId: string, type: string, to: "running" | "interrupted" | "cancelled") =>
    store.append(sessionId, [{ type, data: { runId, reason: "test" }, runId }], {
      also: [{ type: "run", runId, to }],
    });
  const say = (runId: string, delta: string) =>
    store.append(sessionId, [
      { type: "message_streamed", data: { delta, messageId: runId, kind: "text" }, runId },
    ]);
  return { id, sessionId, store, places, change, say };
}

/** Follows a native session, and shows what is said in the turns of others. */
async function followNative(turnEnded: () => Promise<void>) {
  const home = createTalkHome();
  onTestFinished(() => home[Symbol.dispose]());
  await begin(home, "claude");
  const places = {
    home: home.path,
    cwd: join(home.path, "project"),
    env: cleanEnv(home.path),
    now: new Date(),
  };
  const [found] = await Array.fromAsync(findNativeSessions({ places, agents: ["claude"] }));
  if (found === undefined) throw new Error("there is no session");
  const store = await openStore(storeOf(home));
  onTestFinished(() => store.close());
  const stop = new AbortController();
  const shown: string[] = [];
  const stage = new Stage();
  const waits = Promise.withResolvers<void>();
  const following = followTurnsOfOthers(`claude:${found.sessionId}`, {
    places,
    isOwn: () => false,
    ids: () => new CallIds(),
    turnEnded,
    onCaughtUp: waits.resolve,
    onBegin: () => undefined,
    enter: () => stage.enter(),
    show: async (update) => {
      shown.push(JSON.stringify(update));
    },
    ask: () => Promise.reject(new Error("there is no question")),
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stop.abort();
    await following.catch(() => undefined);
  });
  await waits.promise;
  const importAndSay = async (text: string): Promise<string> => {
    const { session } = await importNative(found, { store, places, cwd: places.cwd });
    await store.createRun({ sessionId: session.sessionId, runId: text, input: [{ type: "text", text }] });
    const start = { type: "run_started", data: { runId: text }, runId: text };
    await store.append(session.sessionId, [start], { also: [{ type: "run", runId: text, to: "running" }] });
    return session.sessionId;
  };
  return { places, store, shown, following, importAndSay };
}

/** A turn of this connection ends each time that `end` is called. */
function turns(): { readonly ended: () => Promise<void>; end(): void } {
  let turn = Promise.withResolvers<void>();
  return {
    ended: () => turn.promise,
    end() {
      turn.resolve();
      turn = Promise.withResolvers();
    },
  };
}

test("a native session is followed again after its import was deleted, because its first turn failed", async () => {
  const { ended, end } = turns();
  const { store, shown, importAndSay } = await followNative(ended);
  const sessionId = await importAndSay("one");
  end();
  await expect.poll(() => shown.join(), { timeout: 20_000 }).toContain('"one"');
  await store.deleteSession(sessionId);
  await importAndSay("two");
  await expect.poll(() => shown.join(), { timeout: 20_000 }).toContain('"two"');
  expect(shown.filter((update) => update.includes('"one"'))).toHaveLength(1);
});

test("a follower that looks into the store again and again attaches one reaction to a turn", async () => {
  const turn = new Promise<void>(() => undefined);
  const reactions = vi.spyOn(turn, "then");
  const { shown, importAndSay } = await followNative(() => turn);
  await sleep(GATEWAY_LIMITS.importMs);
  await importAndSay("one");
  await expect.poll(() => shown.join(), { timeout: 20_000 }).toContain('"one"');
  expect(reactions).toHaveBeenCalledTimes(1);
});

test("a follower says why it can no longer look into the store", async () => {
  const { ended, end } = turns();
  const { following, store, places } = await followNative(ended);
  const failed = expect(following).rejects.toMatchObject({ code: "corrupt" });
  await store.close();
  const path = pathOfUrl(storeUrlOf(places)) ?? "";
  for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  writeFileSync(path, "this is no database, and is longer than a header".repeat(100));
  end();
  await failed;
});

test("a waiting prompt that ends does not stop the follower of a killed turn that has no end yet", async () => {
  const { id, sessionId, store, places, change, say } = await open();
  await store.createRun({ sessionId, runId: "killed", input: [{ type: "text", text: "one" }] });
  await change("killed", "run_started", "running");
  const stage = new Stage();
  const stop = new AbortController();
  const shown: string[] = [];
  let begun = 0;
  const following = followTurnsOfOthers(id, {
    places,
    isOwn: () => false,
    ids: () => new CallIds(),
    turnEnded: () => new Promise(() => undefined),
    onBegin: () => {
      begun += 1;
    },
    enter: () => stage.enter(),
    show: async (update) => {
      shown.push(JSON.stringify(update));
    },
    ask: () => Promise.reject(new Error("there is no question")),
    signal: stop.signal,
  });
  await expect.poll(() => shown.join()).toContain('"one"');
  await store.createRun({ sessionId, runId: "waiting", input: [{ type: "text", text: "two" }] });
  await change("waiting", "run_cancelled", "cancelled");
  await say("killed", "still here");
  await expect.poll(() => shown.join()).toContain("still here");
  // The next prompt of another process still gets the agent's session.
  const before = begun;
  await store.createRun({ sessionId, runId: "next", input: [{ type: "text", text: "three" }] });
  await expect.poll(() => begun).toBe(before + 1);
  await change("killed", "run_interrupted", "interrupted");
  // The end of the killed turn lets a turn of this connection begin.
  (await stage.enter())();
  stop.abort();
  await following;
});

test("a replay leaves to the follower the running turn of another program from its beginning, and none of its own", async () => {
  const { id, sessionId, store, places, change, say } = await open();
  await store.createRun({ sessionId, runId: "running", input: [{ type: "text", text: "one" }] });
  const before = await store.latestSequence(sessionId);
  await change("running", "run_started", "running");
  await say("running", "a part");
  const after = await store.latestSequence(sessionId);
  const startFor = (own: string) => followStartOf(id, { places, isOwn: (runId) => runId === own });
  expect(await startFor("another")).toEqual({ after, running: new Map([["running", before + 1]]) });
  expect(await startFor("running")).toEqual({ after, running: new Map() });
  await change("running", "run_interrupted", "interrupted");
  expect(await startFor("another")).toEqual({ after: after + 1, running: new Map() });
});
