/** One session, with a client of the agent host and an editor at another process, `continuo acp`. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { type Json, Wire } from "../acp/conformance/wire.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { ownSession, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient, textOfParts } from "./client.ts";

interface Both extends AsyncDisposable {
  readonly home: TalkHome;
  readonly client: AhpClient;
  /** The channel of the session. */
  readonly uri: string;
  readonly chat: string;
  readonly editor: Wire;
  /** The same session for the editor. */
  readonly id: string;
  say(text: string): Promise<Json>;
}

async function open(): Promise<Both> {
  const home = createTalkHome(WAITING_SCRIPT);
  const id = await ownSession(home);
  const machine = await openMachine(home);
  const client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  const uri = id.replace(":", ":/");
  const chat = await client.look(uri);
  const cwd = join(home.path, "project");
  const editor = new Wire({ command: [process.execPath, MAIN, "acp"], cwd, env: cleanEnv(home.path) });
  await editor.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
  await editor.get("session/load", { sessionId: id, cwd, mcpServers: [] });
  editor.choose = null;
  return {
    home,
    client,
    uri,
    chat,
    editor,
    id,
    say: (text) => editor.get("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] }),
    async [Symbol.asyncDispose]() {
      client.cut();
      await editor[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

function textsOf({ editor, id }: Both, kind: "user" | "agent"): string {
  return editor
    .updatesOf(id)
    .filter(({ sessionUpdate }) => sessionUpdate === `${kind}_message_chunk`)
    .map(({ content }) => String((content as Json).text))
    .join("");
}

const askedOf = ({ editor }: Both) =>
  editor.asked.filter(({ method }) => method === "session/request_permission");

test("a turn of the agent host is shown in an editor while it runs, and the editor answers its question", async () => {
  await using both = await open();
  const { home, client, chat, uri, editor } = both;
  client.say(chat, "wait", "turn-1");
  await expect.poll(() => textsOf(both, "agent")).toBe("one two ");
  expect(textsOf(both, "user")).toBe("wait");
  home.write("go", "");
  await expect.poll(() => textsOf(both, "agent")).toBe("one two three");
  await client.until(() => client.chat(chat).activeTurn === undefined);
  client.say(chat, "edit it", "turn-2");
  await client.until(() => (client.session(uri).inputNeeded ?? []).length === 1);
  await expect.poll(() => askedOf(both).length).toBe(1);
  const result = { outcome: { outcome: "selected", optionId: "no" } };
  editor.write(`${JSON.stringify({ jsonrpc: "2.0", id: askedOf(both)[0]?.id, result })}\n`);
  await client.until(() => client.chat(chat).activeTurn === undefined);
  expect(client.session(uri).inputNeeded).toBeUndefined();
  expect(textOfParts(client.chat(chat).turns.at(-1) ?? { responseParts: [] })).toContain('"optionId":"no"');
  expect([editor.violations, client.faults]).toEqual([[], []]);
});

test("a turn of an editor is shown by the agent host while it runs, and its client answers the question", async () => {
  await using both = await open();
  const { home, client, chat, uri, editor } = both;
  const waiting = both.say("wait");
  await client.until(() => textOfParts(client.chat(chat).activeTurn ?? { responseParts: [] }) === "one two ");
  expect(client.chat(chat).activeTurn?.message.text).toBe("wait");
  home.write("go", "");
  expect(await waiting).toEqual({ stopReason: "end_turn" });
  const editing = both.say("edit it");
  await client.until(() => client.session(uri).inputNeeded?.[0]?.toolCall.toolCallId === "t1");
  const [request] = client.session(uri).inputNeeded ?? [];
  expect(request?.toolCall).toMatchObject({ status: "pending-confirmation", options: { length: 3 } });
  const answer = await client.echo(
    client.dispatch(chat, {
      type: "chat/toolCallConfirmed",
      turnId: request?.turnId,
      toolCallId: "t1",
      approved: true,
      confirmed: "user-action",
      selectedOptionId: "yes",
    }),
  );
  expect(answer.rejectionReason).toBeUndefined();
  expect(await editing).toEqual({ stopReason: "end_turn" });
  expect(textsOf(both, "agent")).toContain('"optionId":"yes"');
  await client.until(() => client.chat(chat).activeTurn === undefined);
  expect(client.session(uri).inputNeeded).toBeUndefined();
  const withdrawn = editor.messages.filter(({ method }) => method === "$/cancel_request");
  expect(withdrawn.map(({ params }) => params?.requestId)).toEqual([askedOf(both)[0]?.id]);
  expect([editor.violations, client.faults]).toEqual([[], []]);
});

test("the agent's session passes between the agent host and an editor from turn to turn", async () => {
  await using both = await open();
  const { client, chat } = both;
  for (let turn = 1; turn <= 3; turn += 1) {
    client.say(chat, `host ${turn}`, `turn-${turn}`);
    await client.until(() => client.chat(chat).turns.length === 2 * turn - 1);
    expect(await both.say(`editor ${turn}`)).toEqual({ stopReason: "end_turn" });
    await client.until(() => client.chat(chat).turns.length === 2 * turn);
  }
  expect(client.chat(chat).turns.map(({ state, message }) => [state, message.text])).toEqual([
    ["complete", "host 1"],
    ["complete", "editor 1"],
    ["complete", "host 2"],
    ["complete", "editor 2"],
    ["complete", "host 3"],
    ["complete", "editor 3"],
  ]);
});
