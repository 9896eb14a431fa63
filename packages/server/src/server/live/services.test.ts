import { type LiveHost, LiveService } from "@continuo/live";
import { openStore } from "@continuo/store";
import { afterEach, expect, test, vi } from "vitest";
import type { ServerContext } from "../context/index.ts";
import { LIMITS } from "./limits.ts";
import { LiveServices } from "./services.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each([
  ["that runs takes over", "running", true],
  ["that was closed during the look takes over no", "closed", false],
] as const)("a server %s sessions of a server that is gone", async (_, state, isOpened) => {
  await using store = await openStore("memory:");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const found = Promise.withResolvers<boolean>();
  vi.spyOn(LiveService, "isUsed").mockReturnValue(found.promise);
  const context = { store: () => store, report: () => undefined } as unknown as ServerContext;
  const services = new LiveServices(context, { workspaceIds: [store.workspaceId] });
  const opened: string[] = [];
  vi.spyOn(services, "of").mockImplementation((workspaceId) => {
    opened.push(workspaceId);
    return { stored: async () => undefined } as unknown as LiveHost;
  });
  vi.advanceTimersByTime(LIMITS.lookMs);
  if (state === "closed") await services.close();
  found.resolve(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(opened).toEqual(isOpened ? [store.workspaceId] : []);
  await services.close();
});
