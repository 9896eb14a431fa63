/** Bodies and server-sent events of real servers are valid by `protocol/http.json` and `protocol/live.json`. */

import { memoryOutbox, openLive } from "@continuo/core/client/live";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { fakeClock } from "../live/fake-clock.ts";
import { said, scriptedWriter } from "../live/live-session.ts";
import { openMachine } from "../machine/open-machine.ts";
import { openServer } from "../server/harness/open-server.ts";
import { checkOf, checkOfEndpoint, readSchemas } from "./schemas.ts";

const { endpoints = {} } = readSchemas("http");

/** Returns the fault in the JSON of an answer; the endpoint is named as in `scripts/protocol/endpoints.ts`. */
function problemIn(endpoint: string, part: string, value: unknown): string {
  expect(Object.keys(endpoints), endpoint).toContain(endpoint);
  return checkOfEndpoint(endpoint, part)(value);
}

interface Call {
  readonly endpoint: string;
  readonly path: string;
  readonly body?: unknown;
}

async function problemsOf(calls: readonly Call[], ask: (call: Call, method: string) => Promise<Response>) {
  const problems: string[] = [];
  for (const call of calls) {
    const [method = ""] = call.endpoint.split(" ");
    if (call.body !== undefined) {
      const problem = problemIn(call.endpoint, "body", call.body);
      if (problem !== "") problems.push(`the body of ${call.endpoint}: ${problem}`);
    }
    const response = await ask(call, method);
    const answer: unknown = await response.json();
    expect([call.endpoint, response.ok, response.ok || answer]).toEqual([call.endpoint, true, true]);
    const problem = problemIn(call.endpoint, "answer", answer);
    if (problem !== "") problems.push(`${call.endpoint}: ${problem}`);
  }
  return problems;
}

const asJson = (method: string, body: unknown): RequestInit =>
  body === undefined
    ? { method }
    : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };

test("bodies of channels and streams are as their schemas say", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  try {
    const team = "/v1/channels/team";
    const message = { content: "hello", handle: "ann", id: "m-1" };
    const calls: readonly Call[] = [
      { endpoint: "POST /v1/channels/NAME/messages", path: `${team}/messages`, body: message },
      { endpoint: "GET /v1/channels", path: "/v1/channels?summary=true" },
      { endpoint: "GET /v1/channels/NAME", path: team },
      { endpoint: "GET /v1/channels/NAME/messages", path: `${team}/messages` },
      { endpoint: "GET /v1/channels/NAME/anchor", path: `${team}/anchor` },
      { endpoint: "GET /v1/channels/NAME/events", path: `${team}/events` },
      { endpoint: "GET /v1/stream/PATH", path: "/v1/stream/channels/team" },
      { endpoint: "POST /v1/blobs", path: "/v1/blobs" },
    ];
    const ask = ({ endpoint, path, body }: Call, method: string) =>
      fetch(
        `${server.url}${path}`,
        endpoint === "POST /v1/blobs" ? { method, body: "x" } : asJson(method, body),
      );
    expect(await problemsOf(calls, ask)).toEqual([]);
    const refused = await (await fetch(`${server.url}/v1/channels/a:b`)).json();
    expect(problemIn("*", "error", refused)).toBe("");
    const sse = await fetch(`${server.url}/v1/stream/channels/team?offset=-1&live=sse`);
    // With this header a proxy such as nginx sends each part at once.
    expect(sse.headers.get("x-accel-buffering")).toBe("no");
    const names = new Set<string>();
    for await (const [name, data] of pushedBy(sse)) {
      expect([name, problemIn("GET /v1/stream/PATH?live=sse", `events/${name}`, data)]).toEqual([name, ""]);
      names.add(name);
      if (names.size === 2) break;
    }
  } finally {
    await server.close();
  }
});

async function* pushedBy(response: Response): AsyncGenerator<readonly [string, unknown], void, void> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const [, name] = /^event: (\w+)$/mu.exec(text.slice(0, end)) ?? [];
      const data = [...text.slice(0, end).matchAll(/^data:(.*)$/gmu)].map(([, line]) => line).join("\n");
      if (name !== undefined) yield [name, JSON.parse(data)];
      text = text.slice(end + 2);
    }
  }
}

test("bodies of the machine's sessions are as their schemas say", async () => {
  await using machine = await openMachine();
  const { sessions } = (await machine.json("/v1/machine/sessions")) as {
    readonly sessions: readonly { readonly key: string; readonly agent: string }[];
  };
  expect(sessions.length).toBeGreaterThan(1);
  const calls = sessions.slice(0, 2).flatMap(({ key }): readonly Call[] => {
    const root = `/v1/machine/sessions/${encodeURIComponent(key)}`;
    const name = "GET /v1/machine/sessions/KEY";
    return [
      { endpoint: name, path: root },
      ...["branches", "history", "outline", "changes"].map((part) => ({
        endpoint: `${name}/${part}`,
        path: `${root}/${part}`,
      })),
      { endpoint: `${name}/find`, path: `${root}/find?words=the` },
    ];
  });
  const all: readonly Call[] = [
    { endpoint: "GET /v1/machine/sessions", path: "/v1/machine/sessions" },
    { endpoint: "GET /v1/machine/health", path: "/v1/machine/health" },
    { endpoint: "GET /v1/machine/at-risk", path: "/v1/machine/at-risk" },
    { endpoint: "GET /v1/machine/inbox", path: "/v1/machine/inbox" },
    { endpoint: "GET /v1/machine/usage", path: "/v1/machine/usage" },
    ...calls,
  ];
  expect(await problemsOf(all, ({ path }) => machine.get(path))).toEqual([]);
});

test("bodies and frames of a continuous session are as their schemas say", async () => {
  await using store = await openStore("memory:");
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [scriptedWriter()] };
  const server = await openServer(store, { live });
  const frames: unknown[] = [];
  try {
    const root = "/v1/live/tab";
    const batch = { producerId: "p", epoch: 0, sequence: 0, evidence: [said("the bridge is closed", 2_000)] };
    const ask = ({ path, body }: Call, method: string) => fetch(`${server.url}${path}`, asJson(method, body));
    const opening: readonly Call[] = [
      { endpoint: "PUT /v1/live/KEY", path: root, body: { videoId: "v", title: "T" } },
      { endpoint: "POST /v1/live/KEY/evidence", path: `${root}/evidence`, body: batch },
    ];
    expect(await problemsOf(opening, ask)).toEqual([]);
    const client = await openLive({
      serverUrl: server.url,
      key: "tab",
      videoId: "v",
      outbox: memoryOutbox(),
      onFrame: (frame) => frames.push(frame),
    });
    await expect.poll(() => clock.isDue(4_100)).toBe(true);
    await clock.advance(4_100);
    await expect.poll(() => client.notes()).toHaveLength(1);
    const [note] = await client.notes();
    const reading: readonly Call[] = [
      ...["", "/evidence", "/notes", "/history"].map((part) => ({
        endpoint: `GET /v1/live/KEY${part}`,
        path: `${root}${part}`,
      })),
      { endpoint: "GET /v1/live", path: "/v1/live" },
      { endpoint: "GET /v1/live/KEY/notes/ID/history", path: `${root}/notes/${note?.noteId}/history` },
      {
        endpoint: "POST /v1/live/KEY/notes/ID",
        path: `${root}/notes/${note?.noteId}`,
        body: { operation: "accept" },
      },
      { endpoint: "POST /v1/live/KEY/replay", path: `${root}/replay`, body: {} },
      { endpoint: "POST /v1/live/KEY/verify", path: `${root}/verify` },
      { endpoint: "DELETE /v1/live/KEY", path: root },
    ];
    expect(await problemsOf(reading, ask)).toEqual([]);
    await client.close();
  } finally {
    await server.close();
  }
  const isFrame = checkOf("live", "$defs/LiveServerFrame");
  expect(frames.length).toBeGreaterThan(3);
  expect(frames.map(isFrame).filter(Boolean)).toEqual([]);
});
