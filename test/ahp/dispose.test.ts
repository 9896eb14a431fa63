/** Sessions that a client of the agent host disposes. */

import { openOwn, restoreOwn, trashedOwn } from "@continuo/agents/catalog";
import { listTrashedSessions, restoreNativeSession } from "@continuo/native/editing";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { CLAUDE_ID, CONVERSATION, claudeFile, claudeText, cleanEnv, HOSTILE_ID } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession, storeOf, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient } from "./client.ts";

const LIST = { channel: "ahp-root://" };

test("a disposed session is in the trash, whether it is native or Continuo's, and a taken-over native one does not come back", async () => {
  const home = createTalkHome(WAITING_SCRIPT);
  for (const id of [CLAUDE_ID, HOSTILE_ID]) home.write(claudeFile(id), claudeText(id, CONVERSATION));
  const key = await ownSession(home);
  {
    await using store = await openStore(storeOf(home));
    // The conversation began as a session of Claude Code.
    const metadata = { providerSessions: { claude: { sessionId: HOSTILE_ID } } };
    await store.updateSession(key.slice("continuo:".length), { metadata });
    await store.append(key.slice("continuo:".length), [{ type: "message_sent", data: { content: "Why?" } }]);
  }
  const places = { home: home.path, env: cleanEnv(home.path) };
  await using machine = await openMachine(home);
  using client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), "a");
  await client.open();
  type Items = { readonly items: readonly { readonly resource: string }[] };
  const listed = async (): Promise<readonly string[]> =>
    (await client.ask<Items>("listSessions", LIST)).items.map(({ resource }) => resource).toSorted();
  const [native, own] = [`claude:/${CLAUDE_ID}`, key.replace(":", ":/")];
  expect(await listed()).toEqual([native, own]);
  await client.ask("disposeSession", { channel: native });
  await client.ask("disposeSession", { channel: own });
  expect(await listed()).toEqual([]);
  await expect(client.ask("subscribe", { channel: own })).rejects.toMatchObject({ code: -32001 });
  await using opened = await openOwn({ ...places, cwd: home.path });
  if (opened === null) throw new Error("the store is there");
  const [trashed] = await trashedOwn(opened);
  expect(trashed?.info.sessionId).toBe(key.slice("continuo:".length));
  const natives = listTrashedSessions({ places }).map(({ info }) => info.sessionId);
  expect(natives.toSorted()).toEqual([CLAUDE_ID, HOSTILE_ID].toSorted());
  await restoreOwn(trashed?.trashId ?? "", opened, { places });
  await restoreNativeSession(CLAUDE_ID, { places });
  expect(listTrashedSessions({ places })).toEqual([]);
  await expect.poll(listed).toEqual([native, own]);
  const chat = await client.look(own);
  expect(client.chat(chat).turns).toMatchObject([{ message: { text: "Why?" } }]);
});
