import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { patiently } from "./patiently.ts";
import { isRedirect } from "./same-server.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a request is repeated while the network fails, and not after the server refused it", async () => {
  let tries = 0;
  const asked = patiently(
    async () => {
      tries += 1;
      if (tries < 3) throw new TypeError("fetch failed");
      return Response.json({ error: { code: "conflict", message: "other words" } }, { status: 409 });
    },
    { patienceMs: 60_000, signal: new AbortController().signal },
  );
  const refused = expect(asked).rejects.toMatchObject({ code: "conflict" });
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(tries).toBe(3);
});

test("a caller that leaves does not wait for the end of a pause", async () => {
  const stop = new AbortController();
  const failing = (): Promise<Response> => Promise.reject(new TypeError("fetch failed"));
  const asked = patiently(failing, { patienceMs: 60_000, signal: stop.signal });
  const left = expect(asked).rejects.toThrow("the person left");
  await vi.advanceTimersByTimeAsync(0);
  stop.abort(new Error("the person left"));
  await vi.advanceTimersByTimeAsync(0);
  await left;
});

test("a redirect is one also where a browser hides its status", () => {
  const hidden = { type: "opaqueredirect", status: 0 } as Response;
  expect([isRedirect(hidden), isRedirect(new Response(null, { status: 204 }))]).toEqual([true, false]);
});
