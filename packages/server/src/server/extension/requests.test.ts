/** The requests of extensions: each ends after its time, even if the clock of the machine is set. */

import { afterEach, expect, test, vi } from "vitest";
import { LIMITS } from "../context/index.ts";
import { WaitingRequests } from "./requests.ts";

const ASKED = { origin: `chrome-extension://${"b".repeat(32)}`, version: "1.2.3", site: null };

afterEach(() => vi.restoreAllMocks());

test("a request ends after five minutes, and not when the machine's clock is set", () => {
  const nowMs = performance.now();
  const monotonic = vi.spyOn(performance, "now").mockReturnValue(nowMs);
  const clock = vi.spyOn(Date, "now");
  const requests = new WaitingRequests();
  const { requestId } = requests.open(ASKED, { hasCode: false });
  clock.mockReturnValue(Date.parse("2100-01-01T00:00:00Z"));
  monotonic.mockReturnValue(nowMs + LIMITS.extensionRequestMs - 1);
  expect(requests.find(requestId).state).toBe("waiting");
  clock.mockReturnValue(Date.parse("2000-01-01T00:00:00Z"));
  monotonic.mockReturnValue(nowMs + LIMITS.extensionRequestMs);
  expect(() => requests.find(requestId)).toThrow("this request of an extension has ended");
});

test("a code has ten characters, and only a request that needs a code has one", () => {
  const requests = new WaitingRequests();
  expect(requests.open(ASKED, { hasCode: true }).code).toMatch(/^[a-z2-9]{10}$/u);
  expect(requests.open(ASKED, { hasCode: false }).code).toBeNull();
});
