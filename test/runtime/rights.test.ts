/** The rights that `authorize` gives to people who choose their own names, including names that look like patterns. */

import { type Authorization, type Continuo, type FetchHandler, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 20 });
  await c.session("customer-ann", { create: true }).send("my address", { id: "1" }).result();
});
afterEach(() => c.close({ graceMs: 0 }));

function handlerFor(rights: (user: string) => Authorization): FetchHandler {
  return c.handler({ authorize: (request) => rights(request.headers.get("x-user") ?? "") });
}

async function ask(handler: FetchHandler, user: string, path: string, body?: object): Promise<number> {
  const headers = { "x-user": user, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await handler(new Request(`http://localhost/v1${path}`, { headers, ...sent }))).status;
}

test.each(["*", "a*", "ann*", ""])(
  "a customer with the name %j cannot read another customer's session",
  async (user) => {
    const handler = handlerFor((name) => ({ sessions: [`customer-${name}`], access: "write", by: name }));
    expect(await ask(handler, "ann", "/sessions/customer-ann")).toBe(200);
    expect(await ask(handler, user, "/sessions/customer-ann")).toBe(404);
    expect(await ask(handler, user, "/sessions/customer-ann/html")).toBe(404);
    expect(await ask(handler, user, "/sessions/customer-ann/messages", { text: "hello" })).toBe(404);
  },
);

test("a prefix allows exactly the names with this beginning", async () => {
  await c.session("staff-1", { create: true }).send("hello", { id: "1" }).result();
  const handler = handlerFor(() => ({ sessions: { beginsWith: ["customer-", "guest-"] }, access: "read" }));
  expect(await ask(handler, "eve", "/sessions/customer-ann")).toBe(200);
  expect(await ask(handler, "eve", "/sessions/staff-1")).toBe(404);
});

test.each([
  ["a text", "customer-*"],
  ["an empty beginning", { beginsWith: "" }],
  ["another object", { startsWith: "customer-" }],
])(
  "%s as the names of sessions allows nothing, and is reported as an error of the program",
  async (_, sessions) => {
    const handler = handlerFor(() => ({ sessions: sessions as never, access: "read" }));
    const status = await ask(handler, "ann", "/sessions/customer-ann").catch((error: unknown) => error);
    expect(status).toSatisfy((given) => given === 500 || given instanceof TypeError);
  },
);

test("a person with the name * cannot write in a channel under another name, unless any handle is allowed", async () => {
  const named = handlerFor((by) => ({ channels: "*", access: "write", by }));
  const message = { content: "hello", handle: "ann" };
  expect(await ask(named, "ann", "/channels/team/messages", message)).toBe(200);
  expect(await ask(named, "*", "/channels/team/messages", message)).toBe(403);
  const posting = handlerFor(() => ({ channels: "*", access: "write", by: "import", anyHandle: true }));
  expect(await ask(posting, "x", "/channels/team/messages", message)).toBe(200);
});
