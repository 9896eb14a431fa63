/** Refusals over HTTP: the person gets words for people, and the program its own hint once. */

import { type Authorization, type Continuo, openContinuo, toErrorResponse } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { afterEach, expect, test } from "vitest";
import { ContinuoError } from "../../packages/core/src/model/index.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
afterEach(() => c.close({ graceMs: 0 }));

const USERS: Readonly<Record<string, Authorization>> = {
  customer: { sessions: ["ann"], access: "chat", agents: ["echo"], by: "ann" },
  reader: { sessions: ["ann"], access: "read" },
  writer: { sessions: ["ann"], access: "write", agents: ["other"] },
  asker: { sessions: ["ann"], access: "write" },
};

/** Words that only a program, its operator or the owner of a token can follow. */
const FOR_PROGRAMS =
  /authorize|`c\.|session\(|openContinuo|continuo |token|origins|deadLetters|migrate|createLog/u;

const told: unknown[] = [];
const hintsTold = (): readonly unknown[] => told.map((error) => (error as ContinuoError).hint);

async function open(agents: readonly EchoAgent[] = [new EchoAgent()]) {
  told.length = 0;
  c = await openContinuo("memory:", { agents, pollMs: 10, onError: (error) => told.push(error) });
  const handler = c.handler({
    authorize: (request) => USERS[request.headers.get("authorization") ?? ""] ?? null,
  });
  return async (user: string, path: string, init: RequestInit = {}): Promise<Response> =>
    await handler(
      new Request(`http://desk.example/v1${path}`, {
        ...init,
        headers: { ...init.headers, authorization: user },
      }),
    );
}

const post = (body: object): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
const chat = post({ messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] }] });

test.each<[number, string, string, RequestInit?]>([
  [401, "nobody", "/sessions/ann/chat"],
  [401, "nobody", "/approvals"],
  [403, "customer", "/approvals"],
  [403, "customer", "/approvals/none", post({ outcome: "granted" })],
  [403, "customer", "/sessions/ann"],
  [403, "customer", "/sessions/ann/events"],
  [403, "customer", "/sessions/ann/html"],
  [403, "customer", "/sessions/ann/runs/m1/events"],
  [403, "customer", "/sessions/ann/messages", post({ text: "hello" })],
  [403, "reader", "/sessions/ann/chat", chat],
  [403, "reader", "/sessions/ann/chat/stop", post({})],
  [403, "reader", "/sessions/ann/messages", post({ text: "hello" })],
  [403, "writer", "/sessions/ann/messages", post({ text: "hello", agent: "echo" })],
  [403, "reader", "/stream/sessions/ann?offset=-1"],
  [403, "customer", "/stream/sessions/ann?offset=-1"],
  [403, "customer", "/blobs", { method: "POST", body: "x" }],
  [403, "asker", "/channels/team/messages"],
  [403, "asker", "/live/key"],
  [403, "asker", "/sessions/ann", { headers: { origin: "http://other.example" } }],
  [404, "reader", "/sessions/ann"],
  [404, "reader", "/sessions/ann/chat"],
  [404, "reader", "/sessions/ann/chat/html"],
  [404, "reader", "/sessions/ann/chat/stream"],
  [404, "asker", "/sessions/ann/html"],
  [404, "asker", "/sessions/ann/events"],
  [404, "asker", "/sessions/ben"],
  [404, "asker", "/sessions/ann/runs/m1/events"],
  [404, "asker", "/sessions/ann/messages", post({ text: "hello", agent: "nobody" })],
  [404, "asker", "/approvals/none", post({ outcome: "granted" })],
  [404, "asker", "/nothing"],
])(
  "a refusal (%i) of a request of the %s to %s has no words for programmers",
  async (status, user, path, init) => {
    const ask = await open();
    const response = await ask(user, path, init);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { message: string; hint: string | null } };
    expect(error.hint ?? "").not.toMatch(FOR_PROGRAMS);
    if (status === 401) expect(error.hint).toBe("Log in, and send the request again.");
    if (status === 403) expect(error.hint).toBe("Ask the people who run this service for access.");
  },
);

test("a program without agents gets the hint how to give one, and the sender of a message only the failure", async () => {
  const ask = await open([]);
  const response = await ask("asker", "/sessions/ann/chat", chat);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: "usage", hint: null } },
  ]);
  expect(hintsTold()).toEqual(["Give agents to `openContinuo`, or the name of one to `send`."]);
});

test("the program gets each hint about its authorize once, with the refusal", async () => {
  const ask = await open();
  for (let n = 0; n < 3; n++) {
    await ask("customer", "/approvals");
    await ask("reader", "/sessions/ann/chat", chat);
    await ask("nobody", "/approvals");
    await ask("reader", "/sessions/ann");
  }
  expect(hintsTold()).toEqual([
    'Ask for approvals only as staff: `access: "chat"` has none. Return `approve: true` only for those who may answer them.',
    "Let `authorize` return this right for the person, if they shall have it.",
  ]);
});

test("a customer is asked to try again later if the store fails, and the program gets the hint of the store", async () => {
  const store = await openStore("memory:");
  const hint = "Raise max_connections, or run fewer servers.";
  c = await openContinuo(store, { onError: (error) => told.push(error) });
  told.length = 0;
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "chat" }) });
  store.getSession = () => Promise.reject(new ContinuoError("unavailable", "the database is full", { hint }));
  for (let n = 0; n < 2; n++) {
    const response = await handler(new Request("http://desk.example/v1/sessions/ann/chat"));
    const { error } = (await response.json()) as { error: { hint: string } };
    expect([response.status, error.hint]).toEqual([503, "Try again in a moment."]);
  }
  expect(hintsTold()).toEqual([hint]);
  await store.close();
});

test("an error in a route of the program keeps the hint that the program wrote, and no other", async () => {
  c = await openContinuo("memory:");
  const hintOf = async (error: unknown): Promise<unknown> =>
    ((await toErrorResponse(error).json()) as { error: { hint: unknown } }).error.hint;
  const missing: unknown = await c
    .session("ann")
    .messages()
    .catch((error: unknown) => error);
  expect((missing as ContinuoError).hint).toContain("create: true");
  expect(await hintOf(missing)).toBeNull();
  expect(await hintOf(new ContinuoError("forbidden", "no"))).toBe(
    "Ask the people who run this service for access.",
  );
  const own = new ContinuoError("invalid", "there is no such job", { hint: "Choose a job of the list." });
  expect(await hintOf(own)).toBe("Choose a job of the list.");
});

test("an issue of a schema has a path, whatever its segments are", async () => {
  c = await openContinuo("memory:");
  const bare: unknown = Object.create(null);
  const broken = {
    toString: () => {
      throw new Error("no text");
    },
  };
  const paths = [["a", 0, { key: "b" }], [bare], [{ key: bare }], [broken], [() => "f"], [Symbol("s")]];
  const error = Object.assign(new Error("refused"), {
    issues: paths.map((path) => ({ message: "wrong", path })),
  });
  const response = toErrorResponse(error);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      message: "the body does not have the expected form: a.0.b, ?, Symbol(s)",
      details: { issues: ["a.0.b", "?", "?", "?", "?", "Symbol(s)"].map((path) => ({ path })) },
    },
  });
});

test("without onError, the warning about a refusal has the hint", async () => {
  c = await openContinuo("memory:");
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "chat" }) });
  const warned = new Promise<{ detail?: string }>((resolve) => process.once("warning", resolve));
  await handler(new Request("http://desk.example/v1/approvals"));
  expect((await warned).detail).toContain("`approve: true`");
});

test("a stream does not continue after a place that is no number, or that the log has not reached", async () => {
  const ask = await open();
  await ask("asker", "/sessions/ann/messages", post({ text: "hello", id: "1" }));
  const codeAfter = async (path: string, place: string): Promise<unknown> => {
    const response = await ask("asker", `/sessions/ann${path}`, { headers: { "last-event-id": place } });
    if (response.status === 200) return await response.body?.cancel();
    expect(response.status).toBe(400);
    return ((await response.json()) as { error: { code: string } }).error.code;
  };
  for (const path of ["/events", "/runs/1/events"]) {
    expect(await codeAfter(path, "1000")).toBe("out_of_range");
    for (const place of ["abc", "-1", "1.5", "9".repeat(16)])
      expect(await codeAfter(path, place)).toBe("invalid");
    for (const place of ["", "0", "1"]) expect(await codeAfter(path, place)).toBeUndefined();
  }
  expect((await ask("asker", "/sessions/ann/events?after=abc")).status).toBe(400);
});

test("a stream of a program's own route ends with a code if the log has not reached its place", async () => {
  await open();
  const session = c.session("ann", { create: true });
  const run = session.send("hello");
  await run.result();
  const beyond = new Request("http://desk.example/", { headers: { "last-event-id": "1000" } });
  for (const stream of [run.toSSE(beyond), session.toSSE(beyond), run.toSSE({ after: 1_000 })]) {
    const [, end = ""] = (await stream.text()).split("event: end\ndata: ");
    expect(JSON.parse(end)).toEqual({ code: "out_of_range", message: expect.stringContaining("1000") });
  }
  const wrong = new Request("http://desk.example/?after=abc");
  expect(() => run.toSSE(wrong)).toThrow(expect.objectContaining({ code: "invalid" }));
});

test("a message is refused if its id is empty, has control characters or is longer than other ids", async () => {
  const ask = await open();
  const send = async (body: object, path = "messages"): Promise<number> =>
    (await ask("asker", `/sessions/ann/${path}`, post(body))).status;
  for (const id of ["x".repeat(401), "", "a\nb"]) {
    const messages = [{ id, role: "user", parts: [{ type: "text", text: "hello" }] }];
    expect([await send({ text: "hello", id }), await send({ messages }, "chat")]).toEqual([400, 400]);
  }
  expect(await send({ text: "hello", id: "x".repeat(400) })).toBe(202);
  // A message without an id is a new message each time it is sent.
  expect([await send({ text: "hello" }), await send({ text: "hello" })]).toEqual([202, 202]);
  expect((await c.store.listRuns({ sessionId: "ann" })).items).toHaveLength(3);
});
