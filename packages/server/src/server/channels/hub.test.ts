import { ContinuoError, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { type Card, leaveChannel, openChannel, takeHandle } from "@continuo/store/channels";
import { expect, test } from "vitest";
import { Hub } from "./hub.ts";

const ANN: Card = { instance: "a", handle: "ann", name: "Ann", type: "person", capabilities: [] };

/** A store whose first list of leases is read at once, but returned only after `letGo`. */
function slowOnce(store: Store): { readonly slow: Store; readonly letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  const slow = Object.create(store, {
    listLeases: {
      value: async (query: Parameters<Store["listLeases"]>[0]) => {
        const page = await store.listLeases(query);
        if (isFirst) {
          isFirst = false;
          await gate.promise;
        }
        return page;
      },
    },
  }) as Store;
  return { slow, letGo: gate.resolve };
}

test("a reader that requests the roster during a slow read gets a roster that was read afterwards", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const hub = new Hub(() => undefined, { now: () => performance.now() });
  const present = { presence: () => undefined, sessionChanged: () => undefined };
  const { slow, letGo } = slowOnce(store);
  hub.enter(slow, "team", present);
  const early = hub.roster(slow, "team");
  await takeHandle(store, { channel: "team", handle: "ann" }, { card: ANN });
  const late = hub.roster(slow, "team");
  letGo();
  const [before, after] = await Promise.all([early, late]);
  expect(before).toEqual([]);
  expect(after.map(({ handle }) => handle)).toEqual(["ann"]);
  await hub.close();
});

test("a roster that cannot be read is an error of that reader only, and the next one gets it", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const hub = new Hub(() => undefined, { now: () => performance.now() });
  const [begun, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  const failing = Object.create(store, {
    listLeases: {
      value: async (query: Parameters<Store["listLeases"]>[0]) => {
        if (!isFirst) return await store.listLeases(query);
        isFirst = false;
        begun.resolve();
        await asked.promise;
        throw new ContinuoError("unavailable", "the store is away");
      },
    },
  }) as Store;
  hub.enter(failing, "team", { presence: () => undefined, sessionChanged: () => undefined });
  await takeHandle(store, { channel: "team", handle: "ann" }, { card: ANN });
  const early = hub.roster(failing, "team").catch(({ code }) => code);
  await begun.promise;
  const late = hub.roster(failing, "team");
  asked.resolve();
  expect(await early).toBe("unavailable");
  expect((await late).map(({ handle }) => handle)).toEqual(["ann"]);
  expect(await hub.roster(failing, "team")).toHaveLength(1);
  await hub.close();
});

test("those who stay in a channel hear who left it", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const hub = new Hub(() => undefined, { now: () => performance.now() });
  const changes: string[] = [];
  hub.enter(store, "team", {
    presence: (change, { handle }) => void changes.push(`${handle} ${change}`),
    sessionChanged: () => undefined,
  });
  const fence = await takeHandle(store, { channel: "team", handle: "ann" }, { card: ANN });
  const bob = { ...ANN, instance: "b", handle: "bob", name: "Bob" };
  await takeHandle(store, { channel: "team", handle: "bob" }, { card: bob });
  await hub.roster(store, "team");
  await leaveChannel(store, fence);
  expect((await hub.roster(store, "team")).map(({ handle }) => handle)).toEqual(["bob"]);
  expect(changes).toEqual(["ann joined", "bob joined", "ann left"]);
  await hub.close();
});

test("a connection that leaves takes nobody with it, and others of a person hear what it changed in the session", async () => {
  await using store = await openStore("memory:");
  await openChannel(store, "team");
  const hub = new Hub(() => undefined, { now: () => performance.now() });
  const heard: string[] = [];
  const [phone, laptop, left] = ["phone", "laptop", "left"].map((name) => ({
    presence: (change: string) => void heard.push(`${name} ${change}`),
    sessionChanged: (handle: string) => void heard.push(`${name} ${handle}`),
  }));
  if (phone === undefined || laptop === undefined || left === undefined) throw new Error("three are made");
  for (const one of [phone, laptop, left]) hub.enter(store, "team", one);
  hub.leave(store, "team", left);
  hub.tellSession(store, { channel: "team", handle: "ann" }, phone);
  hub.tellSession(store, { channel: "other", handle: "ann" }, laptop);
  await takeHandle(store, { channel: "team", handle: "ann" }, { card: ANN });
  await hub.roster(store, "team");
  expect(heard).toEqual(["laptop ann", "phone joined", "laptop joined"]);
  await hub.close();
});

test("channels of one name in two workspaces have rosters of their own", async () => {
  await using store = await openStore("memory:");
  const other = store.forWorkspace("other");
  for (const one of [store, other]) await openChannel(one, "team");
  const hub = new Hub(() => undefined, { now: () => performance.now() });
  const heard: string[] = [];
  for (const one of [store, other])
    hub.enter(one, "team", {
      presence: (change, { handle }) => void heard.push(`${one.workspaceId}: ${handle} ${change}`),
      sessionChanged: () => undefined,
    });
  await takeHandle(other, { channel: "team", handle: "ann" }, { card: ANN });
  expect((await hub.roster(store, "team")).map(({ handle }) => handle)).toEqual([]);
  expect((await hub.roster(other, "team")).map(({ handle }) => handle)).toEqual(["ann"]);
  expect(heard).toEqual(["other: ann joined"]);
  await hub.close();
});
