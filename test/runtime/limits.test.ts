/** The streams of the handler end with their readers, and a person begins only so many sessions. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Agent } from "@continuo/core/model";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
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
