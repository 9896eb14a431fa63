/** A store and a machine that record each call that would change something. */

import type { Store } from "@continuo/core/model";
import type { MachineService } from "@continuo/core/wire/machine";

/**
 * Methods of a store that may run in a request that only reads. A read restarts the time to live of a log, an export is
 * recorded in the audit log, and the first request for the public keys of webhooks creates the first key.
 */
const READS =
  /^(?:authenticate|close|count\w+|forWorkspace|get\w+|info|latestSequence|list\w+|open\w+|putWebhookKey|read\w*|recordAudit|tail\w*|touchLog|verify\w*|wait\w*|watch\w*)$/u;

/** Returns the same store, which adds the name of each call to `changes`, except calls that only read. */
export function recordingStore(store: Store, changes: string[]): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== "string" || typeof value !== "function") return value;
      if (key === "forWorkspace") {
        return (...given: Parameters<Store["forWorkspace"]>) =>
          recordingStore(target.forWorkspace(...given), changes);
      }
      return (...given: unknown[]): unknown => {
        if (!READS.test(key)) changes.push(`store.${key}`);
        return value.apply(target, given);
      };
    },
  });
}

const ACTS = /^(?:openTerminal|rename|fork|delete|restore|handOff|prompt|cancel|answer|see)$/u;

/** A machine that has nothing and does nothing, and adds each action to `changes`. */
export function recordingMachine(changes: string[], fileName = "session.md"): MachineService {
  const part = (name: string): object =>
    new Proxy(
      {},
      {
        get: (_, key) => {
          if (key === "then" || typeof key !== "string") return undefined;
          if (key === "actions" || key === "chat" || key === "inbox") return part(key);
          if (key === "changed" || key === "growth" || key === "events") {
            return async function* () {
              // It reports no events.
            };
          }
          return async (...given: unknown[]): Promise<unknown> => {
            if (ACTS.test(key) || given[1] === "in place") changes.push(`${name}.${key}`);
            return answerOf(key, fileName);
          };
        },
      },
    );
  return part("machine") as MachineService;
}

function answerOf(key: string, fileName: string): unknown {
  if (key === "image") return { mimeType: "image/png", bytes: new Uint8Array([1]) };
  if (key === "export") {
    return {
      fileName,
      mimeType: "text/markdown; charset=utf-8",
      body: new Blob(["# A"]).stream(),
    };
  }
  return {};
}
