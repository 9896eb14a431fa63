/** The start of the service of continuous sessions, and the writes that it joins. */

import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { JointCommits } from "./kit/index.ts";
import { LiveService } from "./service.ts";

test("a service that owns sessions loads the tables of words when it is made, and not in a turn with other work", async () => {
  vi.resetModules();
  const made = vi.spyOn(Intl, "Segmenter");
  try {
    const { LiveService: Fresh } = await import("./service.ts");
    await using store = await openStore("memory:");
    new Fresh({ store, role: "reader" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(made).not.toHaveBeenCalled();
    new Fresh({ store });
    expect(made).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(made).toHaveBeenCalledTimes(1));
  } finally {
    made.mockRestore();
  }
});

test("evidence, and what the owner of a session writes, wait for the writes of other sessions", async () => {
  await using store = await openStore("memory:");
  const service = new LiveService({ store });
  const { sessionId } = await service.open("key", { videoId: "video" });
  await vi.waitFor(() => expect(service.ownerOf(sessionId)).toBeDefined());
  const typesAfter = async (): Promise<readonly string[]> => {
    // Writes that wait for nothing are stored after a few turns.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return (await store.read(sessionId)).events.map(({ type }) => type);
  };
  const before = await typesAfter();
  const gate = Promise.withResolvers<void>();
  const join = vi.spyOn(JointCommits.prototype, "join").mockReturnValue(gate.promise);
  try {
    const evidence = [{ type: "transcript_added", text: "a sentence", mediaTimeMs: 0 }] as const;
    const posted = service.accept("key", { producerId: "page", epoch: 0, sequence: 0, evidence });
    const noted = service.ownerOf(sessionId)?.append([{ type: "custom", data: { name: "owner" } }]);
    expect(await typesAfter()).toEqual(before);
    gate.resolve();
    await Promise.all([posted, noted]);
    expect(await typesAfter()).toEqual(expect.arrayContaining(["transcript_added", "custom"]));
    expect(join.mock.calls.every(([session]) => session === sessionId)).toBe(true);
  } finally {
    gate.resolve();
    join.mockRestore();
    await service.stop();
  }
});

test("a service that is stopped twice has given its sessions to others when either call resolves", async () => {
  await using store = await openStore("memory:");
  const service = new LiveService({ store });
  await service.start();
  const renew = Promise.withResolvers<void>();
  const renewed = store.renewLease.bind(store);
  const renewLease = vi.spyOn(store, "renewLease").mockImplementation(async (...given) => {
    await renew.promise;
    return await renewed(...given);
  });
  const ended: string[] = [];
  const stops = ["first", "second"].map((call) => service.stop().then(() => ended.push(call)));
  await vi.waitFor(() => expect(renewLease).toHaveBeenCalled());
  expect(ended).toEqual([]);
  renew.resolve();
  await Promise.all(stops);
});
