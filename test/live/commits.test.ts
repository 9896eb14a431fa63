/** The durable writes that a new session costs. */

import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { liveTest } from "./live-session.ts";

/** A server renews its own lease even if it has no sessions. */
const OTHERS = /^(?:get|list|read|latest|tail|verify|forWorkspace|renewLease$|close$)/u;

/** Records the calls of a store that write: each is one commit. */
function writesOf(opened: Store, writes: string[]): Store {
  return new Proxy(opened, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        if (!OTHERS.test(String(name))) writes.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

test.each([
  ["a key", {}],
  ["a video", { continues: "video" }],
] as const)(
  "creating a session of %s takes one commit and one more for its owner, and finding it again takes none",
  async (_, more) => {
    const opened = await openStore("memory:");
    onTestFinished(() => opened.close());
    const writes: string[] = [];
    await using live = await liveTest({ store: writesOf(opened, writes) });
    const { service } = live;
    await service.open("first", { videoId: "v" });
    writes.length = 0;
    await service.open("k", { videoId: "w", ...more });
    await live.settle();
    expect(writes.toSorted()).toEqual(["acquireLease", "createSession"]);
    writes.length = 0;
    await service.open("k", { videoId: "w", ...more });
    expect(writes).toEqual([]);
  },
);
