/**
 * Texts of failures: people read a plain sentence or the program's own text, and the operator gets the text of the
 * provider.
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Agent } from "@continuo/core/model";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt } from "@continuo/core/transcript";
import { type Continuo, coding, defineAgent, openContinuo } from "@continuo/server/runtime";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { plainFailure } from "../../packages/server/src/runtime/failure-text.ts";
import { fakeClock } from "../live/fake-clock.ts";
import { said, scriptedWriter } from "../live/live-session.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";

const SECRET = "sk-live-123 exceeded the quota of org-42";
let server: ModelServer;
let c: Continuo;
beforeEach(async () => {
  server = await startModelServer({
    turns: [
      {
        user: "fail",
        answers: [[{ type: "error", status: 401, message: SECRET }]],
      },
      { user: "look", answers: [[text("I look."), call("look", {})], [text("It is closed.")]] },
    ],
  });
});
afterEach(async () => {
  await c.close();
  await server.close();
});

async function open(options: Parameters<typeof openContinuo>[1] = {}): Promise<void> {
  const desk = defineAgent({
    name: "desk",
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
    tools: {
      look: tool({
        inputSchema: jsonSchema<Record<string, never>>({ type: "object", properties: {} }),
        execute: (): string => {
          throw new Error("no route to 10.0.0.7");
        },
      }),
    },
  });
  c = await openContinuo("memory:", { agents: [desk], pollMs: 10, ...options });
}

interface Chunk {
  readonly type: string;
  readonly errorText?: string;
}

/** Returns the errors of the stream for `useChat`, and the result of the run. */
async function ask(words: string): Promise<{ told: readonly (string | undefined)[]; stream: string }> {
  const stream = await c.session("s", { create: true }).send(words).toUIMessageResponse().text();
  const chunks = [...stream.matchAll(/^data: (\{.*\})$/gmu)].map(
    ([, json]) => JSON.parse(json ?? "") as Chunk,
  );
  return { told: chunks.filter(({ errorText }) => errorText).map(({ errorText }) => errorText), stream };
}

test("a reader of the stream gets a sentence with the code, and the result and the log have the provider's text", async () => {
  await open();
  const { told, stream } = await ask("fail");
  expect(told).toEqual(["The answer failed (agent_failed)."]);
  expect(stream).not.toContain("sk-live");
  const { items } = await c.store.listRuns({});
  const outcome = await c
    .session("s")
    .run(items[0]?.runId ?? "")
    .result();
  expect(outcome).toMatchObject({ status: "failed", error: { message: expect.stringContaining(SECRET) } });
  expect(JSON.stringify((await c.store.read("s", { types: ["run_failed"] })).events)).toContain(SECRET);
});

test("the stream and the chat name a failed tool without its error, and the model reads the error", async () => {
  await open();
  const { told, stream } = await ask("look");
  expect(told).toEqual(["The tool look failed."]);
  expect(stream).not.toContain("10.0.0.7");
  const chat = JSON.stringify((await c.session("s").chat()).messages);
  expect(chat).toContain('"errorText":"The tool look failed."');
  expect(chat).not.toContain("10.0.0.7");
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("10.0.0.7");
});

test("the next call of a model and training data learn that a run failed, and not the words of its provider", async () => {
  await open();
  await ask("fail");
  await ask("look");
  const messages = await c.session("s").messages();
  expect(JSON.stringify(messages)).toContain(SECRET);
  const forms = [toOpenAIMessages, toAnthropicMessages, toShareGpt].map((form) => form(messages));
  for (const read of [server.requests.at(-1)?.body, ...forms]) {
    expect(JSON.stringify(read)).toContain("[The run failed.]");
    expect(JSON.stringify(read)).not.toContain("sk-live");
  }
});

test("the words of an agent's program about an error do not reach the next agent, and those of Continuo do", async () => {
  const given: string[] = [];
  const program: Agent = {
    name: "program",
    async execute({ transcript }, { onEvent }) {
      given.push(JSON.stringify(transcript?.messages ?? []));
      await onEvent({ type: "error", message: SECRET });
      return {};
    },
  };
  await open({ agents: [program] });
  await c.session("s", { create: true }).send("one").result();
  await c.store.append("s", [{ type: "error_raised", data: { message: "the input is not tried again" } }]);
  await c.session("s").send("two").result();
  expect(given[1]).toContain("[The agent reported an error.]");
  expect(given[1]).not.toContain("sk-live");
  expect(given[1]).toContain("[An error occurred: the input is not tried again]");
  expect(JSON.stringify(await c.session("s").messages())).toContain(SECRET);
});

test("`failureText` sets the text, and an error in it is reported and ends no stream", async () => {
  const reported: unknown[] = [];
  const mistake = new Error("no words");
  await open({
    onError: (error) => reported.push(error),
    failureText: ({ code, message, toolName }) => {
      if (toolName !== undefined) throw mistake;
      return `Sorry. ${code}: ${message.includes("quota")}`;
    },
  });
  expect((await ask("fail")).told).toEqual(["Sorry. agent_failed: true"]);
  expect((await ask("look")).told).toEqual(["The tool look failed."]);
  // The stream lacks the cause of the failure, so the program gets it.
  const unread = expect.objectContaining({
    code: "agent_failed",
    message: expect.stringContaining("org-42"),
  });
  expect(reported).toEqual([unread, mistake]);
  expect(c.failureText({ code: "timeout", message: "late" })).toBe("Sorry. timeout: false");
});

test("a message that was not sent is a plain sentence in its stream too", async () => {
  await open();
  const answer = c.session("nobody").send("hello").toUIMessageResponse();
  expect(await answer.text()).toContain('"errorText":"The answer failed (not_found)."');
});

/** Returns the events of the run's stream and of its session's stream until the run has ended. */
async function streamsOf(words: string): Promise<readonly string[]> {
  const session = c.session("s", { create: true });
  const run = session.send(words);
  await run.result();
  const whole = await run.toSSE().text();
  const reader = new AbortController();
  let seen = "";
  for await (const part of session
    .toSSE({ signal: reader.signal })
    .body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += part;
    if (/"type":"run_(?:failed|completed)"/u.test(seen)) break;
  }
  reader.abort();
  return [whole, seen];
}

test("server-sent events have the text for people, and `events()` has the provider's text", async () => {
  await open();
  for (const stream of await streamsOf("fail")) {
    expect(stream).toContain('"error":{"code":"agent_failed","message":"The answer failed (agent_failed)."}');
    expect(stream).not.toContain("sk-live");
  }
  const events = await Array.fromAsync(c.session("s").events({ signal: AbortSignal.timeout(1_000) }));
  expect(JSON.stringify(events)).toContain(SECRET);
});

test.each([
  ["denied", "The tool Bash was denied."],
  ["cancelled", "The tool Bash was cancelled."],
  ["error", "The tool Bash failed."],
])("a call whose result is %s ends with a sentence that says so", (code, sentence) => {
  expect(plainFailure({ code, message: "10.0.0.7", toolName: "Bash" })).toBe(sentence);
});

test("server-sent events name a failed tool without its error", async () => {
  await open({ failureText: ({ toolName, message }) => `${toolName}: ${message.includes("10.0.0.7")}` });
  for (const stream of await streamsOf("look")) {
    expect(stream).toContain('"error":"look: true"');
    expect(stream).not.toContain("10.0.0.7");
  }
});

/** Returns what a person who may read the session receives from a path of its session over HTTP. */
async function readOverHttp(path: string): Promise<string> {
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "read", by: "ann" }) });
  const signal = AbortSignal.timeout(1_500);
  const response = await handler(new Request(`http://desk.example/v1/sessions/s${path}`, { signal }));
  expect(response.status).toBe(200);
  return await response.text();
}

test.each([
  ["a provider", "fail", SECRET, "The run failed: The answer failed (agent_failed)."],
  ["a tool", "look", "no route to 10.0.0.7", "The tool look failed."],
])("messages and pages over HTTP have no words of %s about a failure", async (_, words, secret, sentence) => {
  await open();
  const session = c.session("s", { create: true });
  await session.send(words).result();
  const read = await Promise.all(["", "/html", "/events", "/chat", "/chat/html"].map(readOverHttp));
  for (const text of read) expect(text).not.toContain(secret);
  for (const text of read.slice(0, 2)) expect(text).toContain(sentence);
  // The program itself has them, and can make the same for its own readers.
  expect(JSON.stringify(await session.messages())).toContain(secret);
  expect(await session.toHtml()).toContain(secret);
  expect(JSON.stringify(await session.messages({ forReaders: true }))).not.toContain(secret);
  expect(await session.toHtml({ forReaders: true })).not.toContain(secret);
});

test("what an agent's program reports of itself, and of a call that fails, does not reach readers", async () => {
  const secret = "key sk-live-9 refused by 10.0.0.8";
  await open({
    agents: [
      {
        name: "desk",
        async execute(_, { onEvent }) {
          await onEvent({ type: "diagnostics", message: secret, details: { line: secret } });
          await onEvent({ type: "tool_call", toolCallId: "1", toolName: "look", toolInput: {} });
          await onEvent({ type: "tool_call_update", toolCallId: "1", status: "failed", content: [secret] });
          await onEvent({ type: "tool_result", toolCallId: "1", content: secret, status: "error" });
          await onEvent({ type: "error", message: secret });
          return {};
        },
      },
    ],
  });
  await c.session("s", { create: true }).send("hello").result();
  const { events } = await c.store.read("s", {});
  const told = events.filter((event) => JSON.stringify(event).includes(secret)).map(({ type }) => type);
  expect(told).toEqual(["diagnostics_reported", "tool_call_updated", "tool_call_failed", "error_raised"]);
  const resumed = {
    requested: "auto",
    happened: "replay",
    reason: `desk could not go on natively: ${secret}`,
  };
  await c.store.append("s", [{ type: "session_resumed", data: resumed }]);
  const read = await Promise.all(["", "/html", "/events", "/chat"].map(readOverHttp));
  for (const text of read) expect(text).not.toContain("sk-live");
  for (const type of [...told, "session_resumed"]) expect(read[2]).toContain(`"type":"${type}"`);
});

test("the people of a continuous session learn that a note writer failed, without the words of its provider", async () => {
  const reported: unknown[] = [];
  await open({ onError: (error) => reported.push(error) });
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const writer = scriptedWriter("notes");
  const failing: typeof writer = {
    ...writer,
    write: () => Promise.reject(new Error(SECRET)),
    answer: () => Promise.reject(new Error(SECRET)),
  };
  const handler = c.handler({
    authorize: () => ({ live: "*", access: "write", by: "ann" }),
    live: { clock, noteWriters: [failing] },
  });
  const ask = async (path: string, method = "GET", body?: object): Promise<string> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    return await (await handler(new Request(`http://desk.example/v1/live/tab${path}`, init))).text();
  };
  await ask("", "PUT", { videoId: "v" });
  const evidence = [said("the bridge is closed", 2_000)];
  await ask("/evidence", "POST", { producerId: "p", epoch: 0, sequence: 0, evidence });
  const stateLater = async (): Promise<string> => {
    await clock.advance(4_100);
    return await ask("");
  };
  await expect.poll(stateLater).toContain("The note writer notes does not work");
  for (const path of ["", "/history", "/evidence", "/notes"])
    expect(await ask(path)).not.toContain("sk-live");
  expect(reported.map(String).join()).toContain(SECRET);
  const { items } = await c.store.listSessions({});
  const logs = await Promise.all(items.map(({ sessionId }) => c.store.read(sessionId, {})));
  const log = JSON.stringify(logs);
  expect(log).toContain("The answer failed (agent_failed)");
  expect(log).not.toContain("sk-live");
});

const GONE = "/srv/customers/ann/no-such-folder";
const NO_PROGRAM = "/srv/customers/agents/gemini";

test.each([
  {
    title:
      "a job whose folder does not exist says so to its person, and names the folder only to the program",
    code: "folder_missing",
    sentence: "The folder of this session does not exist.",
    place: { program: process.execPath, cwd: GONE },
    report: `Create ${GONE}, or choose another folder.`,
    error: { details: { cwd: GONE } },
  },
  {
    title:
      "a job whose agent is not installed says so to its person, and names the agent's file only to the program",
    code: "agent_missing",
    sentence: "The program of this agent is not installed.",
    place: { program: NO_PROGRAM, cwd: import.meta.dirname },
    report: NO_PROGRAM,
    error: { details: { program: NO_PROGRAM } },
  },
])("$title", async ({ code, sentence, place, report, error }) => {
  const told: { code?: string; message: string; hint?: string }[] = [];
  const agent = coding("gemini", { cwd: "/var/empty", command: [place.program] });
  c = await openContinuo("memory:", {
    agents: [agent],
    pollMs: 10,
    onError: (error) => told.push(error as Error),
  });
  const handler = c.handler({
    authorize: () => ({
      sessions: "*",
      access: "write",
      approve: true,
      by: "ann",
      newSession: () => ({ cwd: place.cwd }),
    }),
  });
  const ask = async (path: string, body?: object): Promise<string> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await handler(new Request(`http://desk.example/v1/sessions/job${path}`, init));
    expect(response.status).toBeLessThan(300);
    return await response.text();
  };
  await ask("/messages", { text: "Mend the build.", id: "1" });
  await expect.poll(() => told.length).toBe(1);
  expect(told.map((one) => one.code)).toEqual([code]);
  expect(`${told[0]?.message} ${told[0]?.hint}`).toContain(report);
  const pages = await Promise.all(
    ["/chat", "/chat/html", "/runs/1/events", "", "/html"].map((path) => ask(path)),
  );
  for (const page of pages.slice(0, 3)) expect(page).toContain(sentence);
  expect(pages[2]).toContain(`"code":"${code}","message":"${sentence}"`);
  for (const page of pages) expect(page).not.toContain("/srv/customers");
  for (const page of pages) expect(page).not.toContain(import.meta.dirname);
  const message = { id: "1", role: "user", parts: [{ type: "text", text: "Mend the build." }] };
  expect(await ask("/chat", { messages: [message] })).toContain(`"errorText":"${sentence}"`);
  expect(await c.session("job").run("1").result()).toMatchObject({
    status: "failed",
    error: { code, ...error },
  });
});
