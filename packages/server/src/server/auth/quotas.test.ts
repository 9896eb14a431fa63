import { afterEach, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS, type Grant, LIMITS, type Reception } from "../context/index.ts";
import { createGuesses } from "./authenticate.ts";
import { createQuotas } from "./quotas.ts";
import { createTokenWatch } from "./token-watch.ts";

afterEach(() => void vi.restoreAllMocks());

const DAY_MS = 86_400_000;
const PEER = { address: "203.0.113.7", isLoopback: false };
const GRANT: Grant = { tokenId: "t", workspaceId: "w", handle: null, page: null, scopes: [], peer: PEER };

/** Counts the successes before a refusal; it is bounded. */
function count(act: () => void): number {
  for (let done = 0; done < 1_000; done++) {
    try {
      act();
    } catch {
      return done;
    }
  }
  return Number.POSITIVE_INFINITY;
}

test("a jump of the time of day neither fills a quota nor keeps it empty", () => {
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 5, blobBytesPerDay: 10 };
  const watch = createTokenWatch(() => Promise.reject(new Error("not asked")) as never, AbortSignal.abort());
  const quotas = createQuotas(limits, watch);
  const guess = createGuesses();
  const rounds: number[][] = [];
  let dayMs = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => dayMs);
  const nowMs = performance.now();
  const monotonic = vi.spyOn(performance, "now").mockReturnValue(nowMs);
  const round = (): number =>
    rounds.push([
      count(() => quotas.request(GRANT)),
      count(() => quotas.blob(GRANT, 1)),
      count(() => guess(PEER)),
    ]);
  round();
  dayMs += 2 * DAY_MS;
  round();
  dayMs -= 4 * DAY_MS;
  round();
  monotonic.mockReturnValue(nowMs + DAY_MS);
  round();
  const [first, ...others] = rounds;
  expect(first).toEqual([10, 10, 20]);
  expect(others).toEqual([[0, 0, 0], [0, 0, 0], first]);
});

test("a body gives its room back when it ends, whether it was received or not", () => {
  const limits = { ...DEFAULT_LIMITS, bytesPerSecond: 1e12, bytesPerDay: 1e15 };
  const watch = createTokenWatch(() => Promise.reject(new Error("not asked")) as never, AbortSignal.abort());
  const quotas = createQuotas(limits, watch);
  const bodies: Reception[] = [];
  const receive = (): void => {
    const body = quotas.receive(GRANT);
    bodies.push(body);
    body.takeChunk(limits.requestBytes);
  };
  const most = Math.floor(LIMITS.bodyBytesAtOnce / limits.requestBytes);
  for (let round = 0; round < 2; round++) {
    expect(count(receive)).toBe(most);
    // The last one was refused, and an end that is repeated gives nothing back.
    for (const body of [...bodies, ...bodies]) body[Symbol.dispose]();
    bodies.length = 0;
  }
});
