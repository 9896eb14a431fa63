/** The entry of a channel: who gets a handle, what is left after a failure, and which rights the answer to a token names. */

import type { HelloFrame } from "@continuo/core/wire";
import { CHANNEL_LIMITS, parseScope } from "@continuo/core/wire";
import { type OpenedStore, openStore } from "@continuo/store";
import { type Card, openChannel, takeHandle } from "@continuo/store/channels";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Grant, LogCreation, ServerContext, ServerEnv } from "../context/index.ts";
import { type AdmitOptions, admit } from "./admit.ts";
import { Hub } from "./hub.ts";
import { channelRoutes } from "./routes.ts";
import { Seat } from "./seat.ts";

const GRANT = {
  tokenId: "t",
  workspaceId: "default",
  handle: "*",
  page: null,
  scopes: [parseScope("channel:team:read,write")],
} as unknown as Grant;
const HELLO = { type: "hello", protocol: 1, instance: "i", handle: "ann", after: 0 } as const;

let store: OpenedStore;
let hub: Hub;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  store = await openStore("memory:", { now: () => Date.now() });
  hub = new Hub(() => undefined, { now: () => performance.now() });
  await openChannel(store, "team");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await hub.close();
  await store.close();
  vi.useRealTimers();
});

function context(): ServerContext {
  return {
    require: () => undefined,
    store: () => store,
    limits: { historyItems: 10 },
    quotas: { log: (_: Grant, { create }: LogCreation<unknown>) => create() },
  } as unknown as ServerContext;
}

async function enter(hello: Partial<HelloFrame>): Promise<string> {
  const options: AdmitOptions = {
    context: context(),
    hub,
    channel: "team",
    grant: GRANT,
    place: { [Symbol.dispose]: () => undefined },
    signal: new AbortController().signal,
    seating: { isAlive: () => true, silentMs: () => 0, onLost: () => undefined, onTaken: () => undefined },
  };
  return await admit({ ...HELLO, ...hello } as HelloFrame, options).then(
    ({ participation }) => participation?.session ?? "reader",
    ({ code }: { readonly code: string }) => code,
  );
}

test("a person with too many devices is refused, and does not enter the channel without a session", async () => {
  const known = { workspaceId: "default" };
  for (let n = 0; n < CHANNEL_LIMITS.devices; n++)
    expect(await enter({ ...known, instance: `i${n}`, device: `d${n}` })).toBe("kept");
  expect(await enter({ ...known, instance: "other", device: "one-too-many" })).toBe("too_large");
  expect(await enter({ ...known, instance: "again", device: "d0" })).toBe("kept");
});

test("a connection that fails when it comes back to its handle waits for its return, and any other one leaves at once", async () => {
  const place = { channel: "team", handle: "ann" };
  const card: Card = { instance: "i", handle: "ann", name: "ann", type: "agent", capabilities: [] };
  await takeHandle(store, place, { card });
  const ends: string[] = [];
  for (const end of ["awaitReturn", "leave"] as const)
    vi.spyOn(Seat.prototype, end).mockImplementation(async () => void ends.push(end));
  expect(await enter({ participantType: "agent", after: 99 })).toBe("out_of_range");
  expect(await enter({ handle: "ben", after: 99 })).toBe("out_of_range");
  expect(ends).toEqual(["awaitReturn", "leave"]);
});

test("a connection that is alive keeps its handle against another one, and its own program gets it again", async () => {
  const renew = vi.spyOn(Seat.prototype, "renew");
  const agent = { participantType: "agent" };
  expect(await enter(agent)).toBe("none");
  expect(await enter({ ...agent, instance: "other" })).toBe("handle_taken");
  expect(renew).toHaveBeenCalledOnce();
  expect(await enter(agent)).toBe("none");
});

test("a hello that is refused leaves its handle to the next one", async () => {
  const agent = { participantType: "agent" };
  expect(await enter({ ...agent, after: 99 })).toBe("out_of_range");
  expect(await enter({ ...agent, instance: "other" })).toBe("none");
});

test.each([
  ["ann", ["read", "write"]],
  [null, ["read"]],
])("the head of a channel names the rights of a token for the handle %s: %j", async (handle, access) => {
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.set("grant", { ...GRANT, handle });
    await next();
  });
  channelRoutes(app, context(), hub);
  const answer = await app.request("/v1/channels/team");
  expect(await answer.json()).toMatchObject({ channel: "team", access, handle });
});
