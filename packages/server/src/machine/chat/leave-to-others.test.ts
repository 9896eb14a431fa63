import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LeaveWatch, leaveToOthers } from "./leave-to-others.ts";

let store: OpenedStore;
let stop: AbortController;
let rests: number;
beforeEach(async () => {
  store = await openStore("memory:");
  await store.createSession({ sessionId: "s" });
  stop = new AbortController();
  rests = 0;
});
afterEach(async () => {
  stop.abort();
  await store.close();
});

/** Runs whose ids begin with `own` were begun here. */
function watch(): LeaveWatch {
  return leaveToOthers({
    store: async () => store,
    sessionId: "s",
    isOwnRun: (runId) => runId.startsWith("own"),
    rest: async () => void rests++,
    signal: stop.signal,
  });
}

async function run(runId: string, ...to: readonly ("running" | "completed")[]): Promise<void> {
  const input = [{ type: "text", text: "go" }] as const;
  const changes = to.map((status) => ({ type: "run", runId, to: status }) as const);
  const also = [{ type: "new_run", run: { runId, input, agent: "robot" } } as const, ...changes];
  await store.append("s", [{ type: "run_created", runId, data: { runId, input, agent: "robot" } }], { also });
}

const settled = async (): Promise<number> => {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  return rests;
};

test("the program ends for a turn of another process, and not for one that begins here", async () => {
  watch();
  await settled();
  await run("own-1");
  expect(await settled()).toBe(0);
  await run("other-1");
  expect(await settled()).toBe(1);
});

test("the program ends for a turn that another process queued before, and not for one that is over", async () => {
  await run("other-1", "running", "completed");
  watch();
  expect(await settled()).toBe(0);
  stop.abort();
  stop = new AbortController();
  await run("other-2");
  watch();
  expect(await settled()).toBe(1);
});

test("a program that could not end during its turn ends after it, once", async () => {
  const { turnEnded } = watch();
  await settled();
  turnEnded();
  expect(await settled()).toBe(0);
  await run("other-1");
  await settled();
  turnEnded();
  turnEnded();
  expect(await settled()).toBe(2);
});
