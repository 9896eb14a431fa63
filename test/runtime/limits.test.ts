/** The streams of the handler end with their readers, and a person may begin only a limited number of sessions. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Agent } from "@continuo/core/model";
import { type Continuo, type HandlerOptions, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const asking: Agent = {
  name: "asking",
  async execute({ run }, { onPermission, signal }) {
    await onPermission?.({ approvalId: run.runId, toolName: "rm", readOnly: false, options: [] }, { signal });
    return {};
  },
};

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent(), asking], pollMs: 20 });
});
afterEach(() => c.close({ graceMs: 0 }));

const fetched = (request: Request) =>
  c.handler({ authorize: () => ({ sessions: "*", access: "write" }) })(request);

test.each<[string, (request: Request) => Response | Promise<Response>]>([
  ["/sessions/ann/events", fetched],
  ["/sessions/ann/runs/1/events", fetched],
  ["/sessions/ann/chat/stream", fetched],
  ["that the program makes with toSSE", (request) => c.session("ann").run("1").toSSE(request)],
  [
    "that the program makes with toUIMessageResponse",
    (request) => c.session("ann").run("1").toUIMessageResponse(request),
  ],
])(
  "the stream %s ends when its request is aborted, also after a collection of garbage",
  async (path, open) => {
    const run = c.session("ann", { create: true }).send("may I?", { id: "1", agent: "asking" });
    await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(1);
    const reader = new AbortController();
    const opened = async (): Promise<ReadableStream | null> =>
      (await open(new Request(new URL(`/v1${path}`, "http://shop.test"), { signal: reader.signal }))).body;
    const reading = Array.fromAsync((await opened()) ?? []).catch((error: unknown) => error);
    for (let n = 0; n < 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
    }
    reader.abort();
    await reading;
    const [approval] = await c.approvals.list({ status: "open" });
    await c.approvals.resolve(approval?.id ?? "", { outcome: "denied" });
    await run.result();
  },
);

test("a person begins only as many sessions in a day as the program allows, and uses those that exist", async () => {
  const limited = c.handler({
    authorize: () => ({ sessions: "*", access: "write", by: "eve" }),
    limits: { logsPerDay: 2 },
  });
  const send = async (session: string, route = "messages"): Promise<number> => {
    const body = {
      text: "x",
      id: "1",
      messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }],
    };
    const { text, id, messages } = body;
    const sent = route === "chat" ? { messages } : { text, id };
    const request = new Request(`http://shop.test/v1/sessions/${session}/${route}`, {
      method: "POST",
      body: JSON.stringify(sent),
    });
    const { status, body: answer } = await limited(request);
    await answer?.cancel();
    return status;
  };
  expect([await send("e1"), await send("e2", "chat"), await send("e3"), await send("e4", "chat")]).toEqual([
    202, 200, 429, 429,
  ]);
  expect([await send("e1"), await send("e2", "chat")]).toEqual([202, 200]);
  expect(await c.store.getSession("e3")).toBeNull();
});

/** Requests of eve and of bob, each with the same limits. */
function people(limits: HandlerOptions["limits"] & object) {
  const handler = c.handler({
    authorize: ({ headers }) => ({ sessions: "*", access: "write", by: headers.get("from") ?? "" }),
    limits,
  });
  return async (by: string, path: string, sent?: object): Promise<Response> =>
    await handler(
      new Request(`http://shop.test/v1/sessions/${path}`, {
        headers: { from: by },
        ...(sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) }),
      }),
    );
}

test("a person has only as many messages without an answer as the program allows, and others are not held up", async () => {
  const ask = people({ openMessages: 2 });
  const send = async (by: string, name: string, id = "1"): Promise<number> =>
    (await ask(by, `${name}/messages`, { text: "may I?", id, agent: "asking" })).status;
  const sendChat = async (by: string, name: string): Promise<number> => {
    const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }];
    const { status, body } = await ask(by, `${name}/chat`, { messages });
    await body?.cancel();
    return status;
  };
  // Requests at the same time are counted too.
  const statuses = await Promise.all(["e1", "e2", "e3"].map((name) => send("eve", name)));
  expect(statuses.toSorted()).toEqual([202, 202, 429]);
  const refused = await ask("eve", "e4/messages", { text: "x" });
  expect([refused.headers.get("retry-after"), await refused.json()]).toEqual([
    "1",
    {
      error: expect.objectContaining({
        code: "rate_limited",
        hint: expect.stringMatching(/^Wait for an answer/u),
        details: { what: "open_messages", limit: 2, retryAfterMs: 1_000 },
      }),
    },
  ]);
  expect([await sendChat("eve", "e5"), await sendChat("bob", "b1"), await send("bob", "b2")]).toEqual([
    429, 200, 202,
  ]);
  // A client that does not know whether its message arrived sends it again.
  const known = statuses.indexOf(202) + 1;
  expect(await send("eve", `e${known}`)).toBe(202);
  await expect.poll(async () => (await c.approvals.list({ status: "open" })).length).toBe(3);
  for (const { id, sessionId } of await c.approvals.list({ status: "open" }))
    if (sessionId === `e${known}`) await c.approvals.resolve(id, { outcome: "denied" });
  await c.session(`e${known}`).run("1").result();
  await expect.poll(() => send("eve", "e6"), { timeout: 5_000 }).toBe(202);
  expect(await send("eve", "e7")).toBe(429);
});

test("a person has only as many streams as the program allows, and gets another one when one of them ends", async () => {
  const ask = people({ sessionStreams: 2 });
  await c.session("s", { create: true }).send("x", { id: "1" }).result();
  const first = await ask("eve", "s/events");
  const second = await ask("eve", "s/events");
  const third = await ask("eve", "s/events");
  expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
  expect(await third.json()).toEqual({
    error: expect.objectContaining({
      code: "rate_limited",
      hint: expect.stringMatching(/^Close one/u),
      details: { what: "session_streams", limit: 2 },
    }),
  });
  const other = await ask("bob", "s/events");
  expect(other.status).toBe(200);
  await first.body?.cancel();
  const next = await ask("eve", "s/events");
  expect(next.status).toBe(200);
  for (const { body } of [second, other, next]) await body?.cancel();
});
