import { afterEach, expect, test, vi } from "vitest";
import { OpenMessages } from "./open-messages.ts";

const MOST = 2;

interface Sent {
  readonly runId: string;
  readonly status: string;
}

let asked = 0;

/** An attempt to send a message whose run has this status then, and whose other runs have not ended. */
function attempt(runId: string, status = "running", isKnown = false) {
  return {
    exists: async () => isKnown,
    send: async (): Promise<Sent> => ({ runId, status }),
    hasEnded: async () => {
      asked += 1;
      return false;
    },
  };
}

afterEach(() => {
  asked = 0;
  vi.restoreAllMocks();
});

test("a message counts until its run has ended, also while the run waits for its turn", async () => {
  const messages = new OpenMessages(MOST);
  await messages.send("ann", attempt("done", "completed"));
  for (const [run, status] of [
    ["a", "pending"],
    ["b", "running"],
  ] as const)
    await messages.send("ann", attempt(run, status));
  await expect(messages.send("ann", attempt("c"))).rejects.toMatchObject({ code: "rate_limited" });
  await expect(messages.send("ben", attempt("c"))).resolves.toMatchObject({ runId: "c" });
  await expect(messages.send("ann", attempt("a", "running", true))).resolves.toMatchObject({ runId: "a" });
});

test("a message that could not be sent gives its place back", async () => {
  const messages = new OpenMessages(MOST);
  const failing = { ...attempt("x"), send: () => Promise.reject(new Error("the store is away")) };
  for (let n = 0; n < 2 * MOST; n++) await expect(messages.send("ann", failing)).rejects.toThrow("is away");
  await expect(messages.send("ann", attempt("a"))).resolves.toMatchObject({ runId: "a" });
});

test("the ended runs of a token are looked for at most once a second, however often it is refused", async () => {
  const nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockReturnValue(nowMs);
  const messages = new OpenMessages(MOST);
  for (const run of ["a", "b"]) await messages.send("ann", attempt(run));
  for (const afterMs of [0, 10, 999, 1_000]) {
    clock.mockReturnValue(nowMs + afterMs);
    await expect(messages.send("ann", attempt("c"))).rejects.toMatchObject({ code: "rate_limited" });
  }
  expect(asked).toBe(2 * MOST);
});
