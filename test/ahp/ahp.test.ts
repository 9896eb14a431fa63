/** The agent host over a WebSocket: bare clients on the sessions of a scratch home, with a scripted agent. */

import { Buffer } from "node:buffer";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { RootState, Snapshot } from "../../packages/server/src/ahp/protocol.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { ownSession, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { type OpenMachine, openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

interface Opened extends AsyncDisposable {
  readonly home: TalkHome;
  readonly machine: OpenMachine;
  readonly uri: string;
  client(id: string, scopes?: readonly string[]): Promise<AhpClient>;
}

async function open(): Promise<Opened> {
  const home = createTalkHome(WAITING_SCRIPT);
  const key = await ownSession(home);
  const machine = await openMachine(home);
  const clients: AhpClient[] = [];
  return {
    home,
    machine,
    uri: key.replace(":", ":/"),
    async client(id, scopes = ["machine:read,write"]) {
      const client = new AhpClient(machine.url, await machine.token(scopes), id);
      clients.push(client);
      await client.open();
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.cut();
      await machine[Symbol.asyncDispose]();
    },
  };
}

test("a prompt of one client is a turn of both, with the same actions in the same order, and the host's state is theirs", async () => {
  await using host = await open();
  const [a, b] = [await host.client("a"), await host.client("b")];
  const chat = await a.look(host.uri);
  await b.look(host.uri);
  const echo = await a.echo(a.say(chat, "wait", "turn-1"));
  expect(echo).toMatchObject({ channel: chat, origin: { clientId: "a", clientSeq: 1 } });
  expect(echo.rejectionReason).toBeUndefined();
  for (const one of [a, b]) {
    await one.until(() => textOfParts(one.chat(chat).activeTurn ?? { responseParts: [] }) === "one two ");
    expect(one.chat(chat)).toMatchObject({
      status: 8,
      activeTurn: { id: "turn-1", message: { text: "wait" } },
    });
    expect(one.session(host.uri).chats).toMatchObject([{ resource: chat, status: 8 }]);
  }
  writeFileSync(join(host.home.path, "go"), "");
  for (const one of [a, b]) {
    await one.until(() => one.chat(chat).activeTurn === undefined);
    expect(one.chat(chat).turns).toMatchObject([
      { id: "turn-1", state: "complete", message: { text: "wait" } },
    ]);
    expect(one.chat(chat).turns.map(textOfParts)).toEqual(["one two three"]);
    expect(one.faults).toEqual([]);
  }
  expect(a.envelopes).toEqual(b.envelopes);
  const c = await host.client("c");
  await c.look(host.uri);
  expect(c.chat(chat)).toEqual(a.chat(chat));
  expect(c.session(host.uri)).toEqual(a.session(host.uri));
});

test("a question for permission is a call that waits; the first answer counts, and the second one comes back with its reason", async () => {
  await using host = await open();
  const [a, b] = [await host.client("a"), await host.client("b", ["machine:read,answer"])];
  const chat = await a.look(host.uri);
  await b.look(host.uri);
  a.say(chat, "edit it", "turn-1");
  for (const one of [a, b])
    await one.until(() => one.session(host.uri).inputNeeded?.[0]?.toolCall.toolCallId === "t1");
  const [request] = a.session(host.uri).inputNeeded ?? [];
  expect(request).toMatchObject({
    kind: "toolConfirmation",
    chat,
    turnId: "turn-1",
    toolCall: {
      status: "pending-confirmation",
      toolName: "Edit",
      options: [
        { id: "yes", label: "Yes", kind: "approve" },
        { id: "ever", label: "Always", kind: "approve" },
        { id: "no", label: "No", kind: "deny" },
      ],
    },
  });
  expect(a.chat(chat).status).toBe(24);
  const { toolCallId = "" } = request?.toolCall ?? {};
  const yes = {
    type: "chat/toolCallConfirmed",
    turnId: "turn-1",
    toolCallId,
    approved: true,
    confirmed: "user-action",
  };
  const forever = await b.echo(b.dispatch(chat, { ...yes, selectedOptionId: "ever" }));
  expect(forever.rejectionReason).toBeDefined();
  const first = await b.echo(b.dispatch(chat, { ...yes, selectedOptionId: "yes" }));
  expect(first.rejectionReason).toBeUndefined();
  await a.until(() => a.session(host.uri).inputNeeded === undefined);
  const second = await a.echo(a.dispatch(chat, { ...yes, approved: false, reason: "denied" }));
  expect(second.rejectionReason).toMatch(/answered/u);
  // Each client receives the answer that counts, with the one who gave it.
  for (const one of [a, b])
    expect(one.envelopes).toContainEqual(
      expect.objectContaining({ action: first.action, origin: { clientId: "b", clientSeq: 2 } }),
    );
  expect(b.envelopes.filter(({ origin }) => origin?.clientId === "a" && origin.clientSeq === 2)).toEqual([]);
  for (const one of [a, b]) {
    await one.until(() => one.chat(chat).activeTurn === undefined);
    expect(one.session(host.uri).inputNeeded).toBeUndefined();
    expect(one.chat(chat).turns.flatMap(({ responseParts }) => responseParts)).toMatchObject([
      { kind: "markdown", content: "I change it." },
      { kind: "toolCall", toolCall: { status: "completed", success: true } },
      { kind: "markdown", content: expect.stringContaining('"optionId":"yes"') },
      { kind: "markdown", content: "\n\nDone." },
    ]);
  }
  // If a running turn is truncated, VS Code treats it as ended and confirms its pending calls, so the host must not
  // truncate it.
  expect(a.envelopes.filter(({ action }) => action.type === "chat/truncated")).toEqual([]);
  expect(a.chat(chat).turns.flatMap(({ responseParts }) => responseParts)).toHaveLength(4);
  const refused = await b.echo(b.say(chat, "more", "turn-2"));
  expect(refused.rejectionReason).toMatch(/does not allow/u);
});

test("a client that may change sessions may also answer later questions", async () => {
  await using host = await open();
  const a = await host.client("a");
  const chat = await a.look(host.uri);
  a.say(chat, "edit it", "turn-1");
  await a.until(() => a.session(host.uri).inputNeeded?.[0]?.toolCall.toolCallId === "t1");
  const answer = { turnId: "turn-1", toolCallId: "t1", approved: true, selectedOptionId: "ever" };
  const always = await a.echo(a.dispatch(chat, { type: "chat/toolCallConfirmed", ...answer }));
  expect(always.rejectionReason).toBeUndefined();
  await a.until(() => a.chat(chat).activeTurn === undefined);
  expect(a.chat(chat).turns.map(textOfParts).join("")).toContain('"optionId":"ever"');
});

test("a message that waits begins its turn when the one that runs has been cancelled", async () => {
  await using host = await open();
  const a = await host.client("a");
  const chat = await a.look(host.uri);
  a.say(chat, "wait", "turn-1");
  await a.until(() => textOfParts(a.chat(chat).activeTurn ?? { responseParts: [] }) === "one two ");
  const second = await a.echo(a.say(chat, "no", "turn-2"));
  expect(second.rejectionReason).toMatch(/a turn runs/u);
  const steering = {
    type: "chat/pendingMessageSet",
    kind: "steering",
    id: "m0",
    message: { text: "x", origin: { kind: "user" } },
  };
  expect((await a.echo(a.dispatch(chat, steering))).rejectionReason).toMatch(/cannot be steered/u);
  a.dispatch(chat, {
    ...steering,
    kind: "queued",
    id: "m1",
    message: { text: "hello", origin: { kind: "user" } },
  });
  await a.until(() => a.chat(chat).queuedMessages?.length === 1);
  const cancel = await a.echo(
    a.dispatch(chat, { type: "chat/turnCancelled", turnId: "turn-1", duration: 1 }),
  );
  expect(cancel.rejectionReason).toBeUndefined();
  await a.until(() => a.chat(chat).turns.length === 2);
  expect(a.chat(chat).turns).toMatchObject([
    { id: "turn-1", state: "cancelled" },
    { id: "m1", state: "complete", message: { text: "hello" } },
  ]);
  expect(a.chat(chat).queuedMessages).toBeUndefined();
  expect(a.faults).toEqual([]);
});

test("a message that waits and cannot be sent comes back with its reason, and the next one begins its turn", async () => {
  await using host = await open();
  const a = await host.client("a");
  const chat = await a.look(host.uri);
  a.say(chat, "wait", "turn-1");
  await a.until(() => textOfParts(a.chat(chat).activeTurn ?? { responseParts: [] }) === "one two ");
  const queue = (id: string, text: string): number =>
    a.dispatch(chat, {
      type: "chat/pendingMessageSet",
      kind: "queued",
      id,
      message: { text, origin: { kind: "user" } },
    });
  const empty = queue("m1", " ");
  const lost = queue("turn-1", "again");
  queue("m2", "hello");
  await a.until(() => a.chat(chat).queuedMessages?.length === 2);
  a.dispatch(chat, { type: "chat/turnCancelled", turnId: "turn-1", duration: 1 });
  await a.until(() => a.chat(chat).turns.length === 2);
  const told = (sent: number) =>
    a.envelopes.flatMap(({ origin, rejectionReason }) =>
      origin?.clientSeq === sent ? [rejectionReason] : [],
    );
  expect(told(empty)).toEqual(["the message has no words"]);
  expect(told(lost)).toEqual([undefined, "a turn with this id has ended: send the message with a new id"]);
  expect(a.chat(chat).turns.map(({ id }) => id)).toEqual(["turn-1", "m2"]);
  expect(a.chat(chat).queuedMessages).toBeUndefined();
  expect(a.faults).toEqual([]);
});

test("a change that a person allowed has its size and two texts that a client reads; other files are denied", async () => {
  await using host = await open();
  const a = await host.client("a");
  const chat = await a.look(host.uri);
  a.say(chat, "change it", "turn-1");
  await a.until(() => a.session(host.uri).inputNeeded?.length === 1);
  const [asked] = a.session(host.uri).inputNeeded ?? [];
  const yes = { turnId: "turn-1", toolCallId: asked?.toolCall.toolCallId, approved: true };
  a.dispatch(chat, { type: "chat/toolCallConfirmed", confirmed: "user-action", ...yes });
  await a.until(() => a.chat(chat).turns.length === 1);
  const parts = a.chat(chat).turns.flatMap(({ responseParts }) => responseParts);
  const [call] = parts.flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
  const edit = call?.content?.find(({ type }) => type === "fileEdit");
  if (edit?.type !== "fileEdit") throw new Error(`no edit in ${JSON.stringify(call)}`);
  const uri = `file://${join(host.home.path, "project/src/a.ts")}`;
  expect(edit).toMatchObject({ before: { uri }, after: { uri }, diff: { added: 1, removed: 1 } });
  const channel = "ahp-root://";
  const [before, after] = [edit.before?.content.uri, edit.after?.content.uri];
  expect(await a.ask("resourceRead", { channel, uri: before })).toEqual({
    data: "const a = 1;\nconst b = 2;\nexport { a, b };\n",
    encoding: "utf-8",
    contentType: "text/plain",
  });
  const base64 = { channel, uri: after, encoding: "base64" };
  const { data } = await a.ask<{ data: string }>("resourceRead", base64);
  expect(Buffer.from(data, "base64").toString()).toContain("const b = 42;");
  for (const [other, code] of [
    [uri, -32009],
    [after?.replace(/\/0\//u, "/7/"), -32008],
    [after?.replace(/\/[^/]+\/0\//u, "/bm9uZQ/0/"), -32008],
  ] as const)
    await expect(a.ask("resourceRead", { channel, uri: other })).rejects.toMatchObject({ code });
});

test("the list has the conversations of all agents, named so that an editor finds their agents", async () => {
  await using machine = await openMachine();
  using client = new AhpClient(machine.url, await machine.token(["machine:read"]), "a");
  const { snapshots, protocolVersion } = await client.open();
  expect(protocolVersion).toBe("0.9.0");
  const { items } = await client.ask<{
    items: readonly { resource: string; provider: string; modifiedAt: string }[];
  }>("listSessions", { channel: "ahp-root://" });
  const [root] = snapshots;
  const providers = (root as { state: { agents: readonly { provider: string }[] } }).state.agents.map(
    ({ provider }) => provider,
  );
  expect(items.length).toBe(3);
  for (const { resource, provider } of items) {
    expect(resource.startsWith(`${provider}:/`)).toBe(true);
    expect(providers).toContain(provider);
  }
  const times = items.map(({ modifiedAt }) => modifiedAt);
  expect(times).toEqual(times.toSorted().reverse());
  const paged: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page: { items: readonly unknown[]; nextCursor?: string } = await client.ask("listSessions", {
      channel: "ahp-root://",
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    paged.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(paged).toEqual(items);
  const [native] = items.filter(({ provider }) => provider === "claude");
  const chat = await client.look(native?.resource ?? "");
  expect(client.chat(chat).turns.length).toBeGreaterThan(0);
});

test("unsupported requests get their error codes, and a client without a valid token is refused", async () => {
  await using host = await open();
  const a = await host.client("a");
  const codeOf = async (method: string, params: object): Promise<unknown> =>
    await a.ask(method, params).then(
      () => null,
      ({ code }: { code: number }) => code,
    );
  const channel = "ahp-root://";
  expect(await codeOf("initialize", { channel, protocolVersions: ["0.9.0"], clientId: "a" })).toBe(-32600);
  expect(await codeOf("createTerminal", { channel })).toBe(-32601);
  expect(await codeOf("resourceRead", { channel, uri: "file:///etc/passwd" })).toBe(-32009);
  expect(await codeOf("subscribe", { channel: "claude:/nobody" })).toBe(-32001);
  expect(await codeOf("subscribe", { channel: "ahp-terminal:/1" })).toBe(-32001);
  expect(await codeOf("listSessions", { channel, cursor: "7:7" })).toBe(-32602);
  expect(await codeOf("listSessions", { channel, limit: 0 })).toBe(-32602);
  expect(await codeOf("createSession", { channel: host.uri, provider: "robot" })).toBe(-32003);
  const folder = `file://${host.home.path}`;
  const nobody = { channel: "nobody:/1", provider: "nobody", workingDirectories: [folder] };
  expect(await codeOf("createSession", nobody)).toBe(-32002);
  expect(await codeOf("ping", { channel })).toBe(null);
  const unknown = await a.echo(a.dispatch(host.uri, { type: "session/activityChanged", activity: "x" }));
  expect(unknown).toMatchObject({
    rejectionReason: "Continuo does not take the action session/activityChanged",
  });
  const root = { channel, clientSeq: 77 };
  const invalid = (params: object): void =>
    a.send(JSON.stringify({ jsonrpc: "2.0", method: "dispatchAction", params }));
  for (const [at, action] of [{}, undefined, { type: 5 }].entries()) {
    invalid({ ...root, clientSeq: 77 + at, action });
    expect((await a.echo(77 + at)).rejectionReason).toMatch(/^action/u);
  }
  const errors = (code: number) =>
    a.told.filter(({ method, params }) => method === "error" && params.code === code);
  invalid({ channel, action: { type: "session/isReadChanged", isRead: true } });
  await a.until(() => errors(-32602).length === 1);
  a.send("{");
  await a.until(() => a.told.some(({ method, params }) => method === "error" && params.code === -32700));

  const old = new AhpClient(host.machine.url, await host.machine.token(["machine:read"]), "old");
  await old.connect();
  old.dispatch(host.uri, { type: "session/isReadChanged", isRead: true });
  await old.until(() => old.told.some(({ method, params }) => method === "error" && params.code === -32600));
  await expect(old.ask("listSessions", { channel })).rejects.toMatchObject({ code: -32600 });
  await expect(old.ask("ping", { channel })).resolves.toBeNull();
  await expect(
    old.ask("initialize", { channel, protocolVersions: ["0.1.0"], clientId: "x" }),
  ).rejects.toMatchObject({ code: -32005, data: { supportedVersions: ["1.0.0", "0.9.0"] } });
  old.cut();

  const url = host.machine.url.replace(/^http/u, "ws");
  const refusal = (address: string, headers: Record<string, string> = {}): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(address, { headers });
      socket.on("error", (error) => resolve(String(error)));
      socket.on("open", () => resolve("open"));
    });
  expect(await refusal(`${url}/v1/ahp`)).toMatch(/401/u);
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  expect(await refusal(`${url}/v1/ahp`, bearer("wrong"))).toMatch(/401/u);
  expect(await refusal(`${url}/v1/ahp`, bearer(await host.machine.token(["channel:*:read"])))).toMatch(
    /403/u,
  );
  const token = await host.machine.token(["machine:read"]);
  const foreign = { origin: "https://evil.example", ...bearer(token) };
  expect(await refusal(`${url}/v1/ahp`, foreign)).toMatch(/403/u);
  expect(await refusal(`${url}/`, bearer(token))).toBe("open");
});

test("a new session is made with its first prompt, and keeps its name", async () => {
  await using host = await open();
  const [a, b] = [await host.client("a"), await host.client("b")];
  const { snapshot } = await a.ask<{ snapshot: Snapshot }>("subscribe", { channel: "ahp-root://" });
  // Neither agent of `continuo.yaml` has a session.
  for (const provider of ["robot", "other"])
    expect((snapshot.state as RootState).agents).toContainEqual(expect.objectContaining({ provider }));
  const uri = "robot:/new-one";
  const workingDirectories = [`file://${join(host.home.path, "project")}`];
  await a.ask("createSession", { channel: uri, provider: "robot", workingDirectories });
  const chat = await a.look(uri);
  const { items: before } = await a.ask<{ items: readonly unknown[] }>("listSessions", {
    channel: "ahp-root://",
  });
  expect((await a.echo(a.say(chat, "hello", "turn-1"))).rejectionReason).toBeUndefined();
  await a.until(() => a.chat(chat).turns.length === 1);
  const { items } = await b.ask<{ items: readonly { resource: string }[] }>("listSessions", {
    channel: "ahp-root://",
  });
  expect(items.map(({ resource }) => resource)).toContain(uri);
  expect(items.length).toBe(before.length + 1);
  await b.look(uri);
  expect(b.chat(chat)).toMatchObject({ turns: [{ message: { text: "hello" }, state: "complete" }] });
});

test("a client receives each action once although its connection breaks often, and a new state if the host no longer knows them", async () => {
  await using host = await open();
  const [a, b] = [await host.client("a"), await host.client("b")];
  const chat = await a.look(host.uri);
  await b.look(host.uri);
  const ways: string[] = [];
  for (let turn = 1; turn <= 10; turn++) {
    a.say(chat, "hello", `turn-${turn}`);
    for (let at = 0; at < 10; at++) {
      b.cut();
      ways.push(await b.reconnect());
    }
    await a.until(() => a.chat(chat).turns.length === turn);
  }
  await b.until(() => b.lastSeen === a.lastSeen);
  // Before the first reconnect, the client may not have received an action since its snapshot.
  expect(ways.slice(1)).toEqual(ways.slice(1).map(() => "replay"));
  expect([...a.faults, ...b.faults]).toEqual([]);
  expect(b.chat(chat)).toEqual(a.chat(chat));
  expect(b.chat(chat).turns.map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, at) => `turn-${at + 1}`),
  );
  b.cut();
  b.lastSeen = 5;
  expect(await b.reconnect()).toBe("snapshot");
  expect(b.chat(chat)).toEqual(a.chat(chat));
});
