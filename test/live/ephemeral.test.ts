import { ContinuoError, type Store } from "@continuo/core/model";
import { LiveHost } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { withCalls } from "../intercepted.ts";
import { said } from "./live-session.ts";

/** A store that refuses writes while `away` is true. */
function fragile(store: Store, state: { away: "yes" | "no" }): Store {
  return withCalls(store, ({ method, args: [id], proceed }) => {
    if (method === "forWorkspace") return fragile(store.forWorkspace(String(id)), state);
    const isWrite = ["append", "putClaim", "createSession", "acquireLease"].includes(method);
    if (!isWrite || state.away === "no") return proceed();
    return Promise.reject(new ContinuoError("unavailable", "the disk is full"));
  });
}

test("a store that fails at creation gives an ephemeral session to a client that allows it, and an error to others", async () => {
  await using real = await openStore("memory:");
  const state: { away: "yes" | "no" } = { away: "yes" };
  const host = new LiveHost({ store: fragile(real, state) });
  await expect(host.open("k", { videoId: "v" })).rejects.toMatchObject({ code: "unavailable" });
  const opened = await host.open("k", { videoId: "v", ephemeral: "allow" });
  expect(opened).toMatchObject({ created: true, ephemeral: true, state: "created" });

  const service = await host.of("k");
  const batch = { producerId: "page", epoch: 0, sequence: 0, evidence: [said("kept in memory only")] };
  expect(await service.accept("k", batch)).toMatchObject({ depth: 1 });
  expect(await service.session("k")).toMatchObject({ sessionId: opened.sessionId, ephemeral: true });
  // The key keeps its session even after the store works again; sessions of new keys are stored.
  state.away = "no";
  expect(await host.open("k", { videoId: "v" })).toMatchObject({
    sessionId: opened.sessionId,
    created: false,
    ephemeral: true,
  });
  const stored = await host.open("other", { videoId: "v", ephemeral: "allow" });
  expect(stored.ephemeral).toBeUndefined();
  expect(await (await host.of("other")).session("other")).toMatchObject({ ephemeral: false });
  expect(await real.getSession(opened.sessionId)).toBeNull();
  await host.stop();
});

test("a token that does not reach the key of an ephemeral session cannot join the session through its video", async () => {
  await using real = await openStore("memory:");
  const host = new LiveHost({ store: fragile(real, { away: "yes" }) });
  const request = { videoId: "v", continues: "video", ephemeral: "allow" } as const;
  const mine = await host.open("mine", request, ["*"]);
  const other = await host.open("other", request, ["other"]);
  expect(other).toMatchObject({ created: true, ephemeral: true });
  expect(other.sessionId).not.toBe(mine.sessionId);
  // At the second attempt, the host already knows that the key is only in memory.
  expect((await host.open("other", request, ["other"])).sessionId).toBe(other.sessionId);
  await host.stop();
});
