/** Every command and every action of version 0.9.0 works, or is refused with its code and a reason. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";
import { ACTIONS } from "./protocol-actions.ts";

const ROOT = "ahp-root://";
const NOT_HAD = -32601;
const DENIED = -32009;

const message = (text: string) => ({ text, origin: { kind: "user" } });

async function open() {
  const home = createTalkHome(WAITING_SCRIPT);
  const uri = (await ownSession(home)).replace(":", ":/");
  const machine = await openMachine(home);
  const client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  const chat = await client.look(uri);
  return {
    home,
    uri,
    chat,
    client,
    async [Symbol.asyncDispose]() {
      client.cut();
      await machine[Symbol.asyncDispose]();
    },
  };
}

test("every command works, or is refused with its code and reason", async () => {
  await using host = await open();
  const { uri, chat, client } = host;
  const folder = `file://${join(host.home.path, "project")}`;
  const root = { channel: ROOT };
  const session = { channel: uri };
  const commands: Readonly<Record<string, readonly [params: object, code: number | null]>> = {
    ping: [root, null],
    initialize: [{ ...root, protocolVersions: ["0.9.0"], clientId: "a" }, -32600],
    subscribe: [session, null],
    listSessions: [root, null],
    fetchTurns: [{ channel: chat }, null],
    createSession: [{ channel: "robot:/other", provider: "robot", workingDirectories: [folder] }, null],
    disposeSession: [{ channel: "robot:/other" }, null],
    createChat: [{ ...session, chat: "ahp-chat:/b", source: { kind: "fork", chat, turnId: "1" } }, NOT_HAD],
    disposeChat: [{ channel: chat }, NOT_HAD],
    moveChat: [{ ...session, chat }, NOT_HAD],
    createTerminal: [{ channel: "ahp-terminal:/1", claim: { kind: "client", clientId: "a" } }, NOT_HAD],
    disposeTerminal: [{ channel: "ahp-terminal:/1" }, NOT_HAD],
    invokeChangesetOperation: [{ channel: "ahp-changeset:/1", operationId: "keep" }, NOT_HAD],
    listAutomationTriggerDefinitions: [{ channel: "ahp-automations://" }, NOT_HAD],
    runAutomation: [{ channel: "ahp-automations://", automation: "1" }, NOT_HAD],
    fetchAutomationRuns: [{ channel: "ahp-automations://" }, NOT_HAD],
    authenticate: [{ ...root, resource: "https://api.example", token: "t" }, NOT_HAD],
    resolveSessionConfig: [{ ...root, provider: "robot" }, NOT_HAD],
    sessionConfigCompletions: [{ ...root, provider: "robot", property: "branch", query: "" }, NOT_HAD],
    completions: [{ channel: chat, kind: "userMessage", text: "@a", offset: 2 }, NOT_HAD],
    resourceRead: [{ ...root, uri: `${folder}/readme` }, DENIED],
    resourceWrite: [{ ...root, uri: `${folder}/readme`, data: "x", encoding: "utf-8" }, DENIED],
    resourceList: [{ ...root, uri: folder }, DENIED],
    resourceCopy: [{ ...root, source: `${folder}/readme`, destination: `${folder}/b` }, DENIED],
    resourceDelete: [{ ...root, uri: `${folder}/readme` }, DENIED],
    resourceMove: [{ ...root, source: `${folder}/readme`, destination: `${folder}/b` }, DENIED],
    resourceResolve: [{ ...root, uri: `${folder}/readme` }, DENIED],
    resourceMkdir: [{ ...root, uri: `${folder}/b` }, DENIED],
    resourceRequest: [{ ...root, uri: folder, access: "read" }, DENIED],
    createResourceWatch: [{ ...root, uri: folder }, DENIED],
  };
  for (const [method, [params, code]] of Object.entries(commands)) {
    const told = await client.ask(method, params).then(
      () => ({ code: null, message: "" }),
      (error: { code: number; message: string }) => error,
    );
    expect([method, told.code]).toEqual([method, code]);
    if (code !== null) expect(told.message).toMatch(/Continuo|initialized/u);
  }
  expect(await client.ask("ping", root)).toBeNull();
  await expect(client.ask("fetchTurns", { channel: chat, cursor: "nobody gave it" })).rejects.toMatchObject({
    code: -32602,
  });
  // No refused command had an effect.
  expect(host.home.prompts()).toEqual([]);
});

test("no agent of the root claims several chats, which VS Code needs for a fork", async () => {
  await using host = await open();
  const { snapshot } = await host.client.ask<{
    snapshot: { state: { agents: readonly { provider: string; capabilities?: object }[] } };
  }>("subscribe", { channel: ROOT });
  const { agents } = snapshot.state;
  expect(agents.map(({ provider }) => provider)).toContain("continuo");
  expect(agents.filter(({ capabilities }) => capabilities !== undefined)).toEqual([]);
});

test("every action comes back to the client: it is done, or refused with its reason", async () => {
  await using host = await open();
  const { uri, chat, client } = host;
  const done: Readonly<Record<string, object>> = {
    "session/titleChanged": { title: "Another name" },
    "session/isReadChanged": { isRead: true },
    "session/isArchivedChanged": { isArchived: true },
    "session/activeClientSet": { activeClient: { clientId: "a", tools: [] } },
    "session/activeClientRemoved": { clientId: "a" },
    "chat/draftChanged": { draft: message("a draft") },
    "chat/queuedMessagesReordered": { order: [] },
    "chat/pendingMessageRemoved": { kind: "queued", id: "nobody" },
    "chat/turnStarted": { turnId: "turn-1", message: message("hello") },
  };
  /** Known actions that are refused because of the present state. */
  const refusedNow: Readonly<Record<string, readonly [action: object, reason: RegExp]>> = {
    "chat/turnCancelled": [{ turnId: "turn-9" }, /no turn runs/u],
    "chat/toolCallConfirmed": [{ turnId: "t", toolCallId: "c", approved: true }, /nobody asks/u],
    "chat/pendingMessageSet": [{ kind: "steering", id: "m", message: message("x") }, /cannot be steered/u],
  };
  const channels: Readonly<Record<string, string>> = { root: ROOT, chat, session: uri };
  const outcomes: Record<string, string> = {};
  for (const [kind, names] of Object.entries(ACTIONS))
    for (const name of names.split(" ")) {
      const type = `${kind}/${name}`;
      const channel = channels[kind] ?? `ahp-${kind.toLowerCase()}:/1`;
      const fields = done[type] ?? refusedNow[type]?.[0] ?? {};
      const { rejectionReason, origin } = await client.echo(client.dispatch(channel, { type, ...fields }));
      expect(origin?.clientId).toBe("a");
      if (refusedNow[type] !== undefined) expect(rejectionReason).toMatch(refusedNow[type][1]);
      else if (done[type] === undefined)
        expect(rejectionReason).toBe(`Continuo does not take the action ${type}`);
      outcomes[type] = rejectionReason === undefined ? "done" : "refused";
    }
  const of = (outcome: string) => Object.keys(outcomes).filter((type) => outcomes[type] === outcome);
  expect(of("done").toSorted()).toEqual(Object.keys(done).toSorted());
  expect(Object.keys(outcomes)).toHaveLength(96);
  await client.until(() => client.chat(chat).turns.length === 1);
  expect(client.chat(chat).turns.map(textOfParts)).toEqual([expect.stringMatching(/./u)]);
  const again = { type: "chat/turnStarted", turnId: "turn-1", message: message("hello") };
  const { rejectionReason } = await client.echo(client.dispatch(chat, again));
  expect(rejectionReason).toMatch(/a turn with this id has ended/u);
  expect(host.home.prompts()).toHaveLength(1);
  expect(client.session(uri)).toMatchObject({ title: "Another name", activeClients: [] });
  expect(client.session(uri).status & 64).toBe(64);
  expect(client.chat(chat).draft).toMatchObject({ text: "a draft" });
  expect(client.faults).toEqual([]);
});
