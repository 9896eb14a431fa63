/** Sessions that a client of the agent host archives, and those that are archived elsewhere. */

import { listCatalog } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { archiveSession } from "../../src/gateway/actions.ts";
import { CLAUDE_ID, CONVERSATION, claudeFile, claudeText, cleanEnv } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { ownSession, WAITING_SCRIPT } from "../machine/open-chat.ts";
import { openMachine } from "../machine/open-machine.ts";
import { AhpClient } from "./client.ts";

const ARCHIVED = 64;
const LIST = { channel: "ahp-root://" };

test("a session that one client archives is archived for the others and in every list, and returns", async () => {
  const home = createTalkHome(WAITING_SCRIPT);
  home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, CONVERSATION));
  const own = await ownSession(home);
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  await using machine = await openMachine(home);
  const open = async (id: string): Promise<AhpClient> => {
    const client = new AhpClient(machine.url, await machine.token(["machine:read,write"]), id);
    await client.open();
    return client;
  };
  const [a, b] = [await open("a"), await open("b")];
  const statusIn = async (client: AhpClient, uri: string): Promise<number | undefined> => {
    type Items = { readonly items: readonly { readonly resource: string; readonly status: number }[] };
    const { items } = await client.ask<Items>("listSessions", LIST);
    return items.find(({ resource }) => resource === uri)?.status;
  };
  for (const key of [own, `claude:${CLAUDE_ID}`]) {
    const uri = key.replace(":", ":/");
    await a.look(uri);
    await b.look(uri);
    for (const isArchived of [true, false]) {
      const bit = isArchived ? ARCHIVED : 0;
      const echo = await a.echo(a.dispatch(uri, { type: "session/isArchivedChanged", isArchived }));
      expect(echo.rejectionReason).toBeUndefined();
      for (const client of [a, b]) {
        await client.until(() => (client.session(uri).status & ARCHIVED) === bit, `${uri} ${bit}`);
        expect(((await statusIn(client, uri)) ?? 0) & ARCHIVED).toBe(bit);
      }
      const { sessions } = await listCatalog({ archived: "include" }, { places });
      expect(sessions.find(({ sessionId }) => key.endsWith(sessionId))?.archived).toBe(isArchived);
    }
    // The gateway for editors and the command archive in the same way.
    await archiveSession(key, true, places);
    for (const client of [a, b])
      await client.until(() => (client.session(uri).status & ARCHIVED) !== 0, `${uri} is archived elsewhere`);
  }
  for (const client of [a, b]) {
    expect(client.faults).toEqual([]);
    client.cut();
  }
}, 60_000);
