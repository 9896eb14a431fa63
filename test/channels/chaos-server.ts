/** A server of the chaos test: `node chaos-server.ts STORE WORKSPACE FAULT`. Prints its URL, and ends with its input. */

import type { Store } from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { openServer } from "../server/harness/open-server.ts";

type Fault = (store: Store) => Partial<Store>;

/** The fault happens at every nth whole message. */
function every(n: number): (event: { readonly type: string; readonly data: unknown } | undefined) => boolean {
  let count = 0;
  return (event) =>
    event?.type === "message_sent" && recordOf(event.data).state !== "open" && ++count % n === 0;
}

/** Faults that the checker must find. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "confirms what it did not store": (store) => {
    const isLost = every(20);
    return {
      append: (logId, events, options) =>
        isLost(events[0])
          ? Promise.resolve([{ ...events[0], sequence: 1 } as never])
          : store.append(logId, events, options),
    };
  },
  "stores a message twice": (store) => {
    const isDoubled = every(20);
    return {
      append: async (logId, events, options) => {
        const stored = await store.append(logId, events, options);
        const [event] = events;
        if (event !== undefined && isDoubled(event)) {
          await store.append(logId, [{ ...event, id: `${event.id}/again` }], options);
        }
        return stored;
      },
    };
  },
  "leaves messages out of what it sends to a reader": (store) => ({
    tail: async function* (logId, options) {
      const isLeftOut = every(20);
      for await (const event of store.tail(logId, options)) if (!isLeftOut(event)) yield event;
    },
  }),
};

function broken(store: Store, fault: Fault): Store {
  const faulty: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => faulty,
    ...fault(store),
  });
  return faulty;
}

const [, , storeUrl = "", workspaceId = "", name = "none"] = process.argv;
const fault = FAULTS[name];
if (fault === undefined && name !== "none") throw new Error(`there is no fault "${name}"`);
const opened = await openStore(storeUrl, { workspaceId });
const server = await openServer(fault === undefined ? opened : broken(opened, fault));
process.stdout.write(`${server.url}\n`);
// An aborted test can no longer kill this process, so it ends with its input.
process.stdin.on("end", () => process.exit()).resume();
