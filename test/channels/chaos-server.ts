/** A server of the chaos test: `node chaos-server.ts STORE WORKSPACE FAULT`. Prints its URL. */

import type { Store } from "../../src/model/index.ts";
import { openStore } from "../../src/store/index.ts";
import { openServer } from "../server/harness/open-server.ts";

const [, , storeUrl = "", workspaceId = "", fault = "none"] = process.argv;

/** Faults that the checker must find. */
function broken(store: Store): Store {
  const faulty: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => faulty,
    ...(fault === "loses"
      ? {
          // Says that it is stored, and it is not.
          append: (
            logId: string,
            events: readonly { readonly id?: string; readonly type: string }[],
            options: object,
          ) =>
            events[0]?.type === "message_sent" && Math.random() < 0.05
              ? Promise.resolve([{ ...events[0], sequence: 1 }])
              : store.append(logId, events as never, options),
        }
      : {}),
  });
  return faulty;
}

const opened = await openStore(storeUrl, { workspaceId });
const server = await openServer(fault === "none" ? opened : broken(opened));
process.stdout.write(`${server.url}\n`);
