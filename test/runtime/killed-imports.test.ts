/** Imports of a native session that are killed when a part of it is stored. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readNativeSession } from "@continuo/agents";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { lookUpSession } from "@continuo/native";
import { importNativeSession } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { newOwner, startRun } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { importNative } from "../../packages/agents/src/conversations/native-import.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";

const MESSAGES = 900;

/** Its folder must exist, because a chat takes place in it. */
function sessionIn(home: Home, lines: Parameters<typeof claudeText>[1]): string {
  return claudeText(CLAUDE_ID, lines).replaceAll("/home/ann/app", home.path);
}

test.each(["library", "chat"] as const)(
  "a session whose import by %s was killed is left out of exports and counted, and the next import completes or replaces it",
  { timeout: 60_000 },
  async (way) => {
    using home = createHome();
    const time = "08:00:00";
    const conversation = Array.from({ length: MESSAGES }, (_, at) => {
      const parent = at === 0 ? null : `u${at - 1}`;
      const role = at % 2 === 0 ? ("user" as const) : ("assistant" as const);
      return { uuid: `u${at}`, parent, role, content: `message ${at}`, time };
    });
    home.write(claudeFile(CLAUDE_ID), sessionIn(home, conversation));
    const file = join(home.path, claudeFile(CLAUDE_ID));
    const url = `sqlite:${join(home.path, "store.db")}`;
    const places = { home: home.path, env: {}, cwd: home.path };
    const program = await bundledProgram("test/runtime/processes/importer.ts");
    const args = [program, url, home.path, file, way];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    expect(String(await once(child.stdout, "data"))).toContain("a part is stored");
    child.kill("SIGKILL");
    await exited;

    const exported = async (...which: readonly string[]) =>
      await runHere(home, ["session", "export", ...which, "--format", "openai"], {
        env: { CONTINUO_STORE: url },
      });
    const partial = await exported("--agent", "continuo");
    expect([partial.code, partial.stdout]).toEqual([0, ""]);
    expect(partial.stderr).toContain("left out: 1 session that an import has not completed\n");

    await using store = await openStore(url);
    const [left] = (await store.listSessions()).items;
    expect(left?.metadata.importing).toBe(`claude:${CLAUDE_ID}`);
    const named = await exported(left?.sessionId ?? "");
    expect(named.stderr).toContain("incomplete: an import of this session has not been completed");
    if (way === "library") await importNativeSession(store, file, { places });
    else {
      const { found } = await lookUpSession(file, { places });
      await importNative(found, { store, places, cwd: home.path });
    }
    const [session, ...others] = (await store.listSessions()).items;
    expect(others).toEqual([]);
    expect(session?.sessionId === left?.sessionId).toBe(way === "library");
    expect(session?.metadata).not.toHaveProperty("importing");
    const { messages } = await TranscriptBuilder.fromStore(store, session?.sessionId ?? "");
    const native = await readNativeSession(file, { places });
    expect(messages.map(({ content }) => content)).toEqual(native.messages.map(({ content }) => content));
    expect((await exported("--agent", "continuo")).stderr).toContain("1 session as openai\n");
  },
);

test("an import of messages that is under way, or in which somebody wrote, is not removed by the next one", async () => {
  await using store = await openStore("memory:");
  using home = createHome();
  const asked = {
    uuid: "u0",
    parent: null,
    role: "user",
    content: "Where is it?",
    time: "08:00:00",
  } as const;
  home.write(claudeFile(CLAUDE_ID), sessionIn(home, [asked]));
  const places = { home: home.path, env: {}, cwd: home.path };
  const importing = `claude:${CLAUDE_ID}`;
  const gone = newOwner().replace(/\/\d+\/\d+$/u, "/1/1");
  const made = async (sessionId: string, importedBy: string): Promise<void> =>
    void (await store.createSession({ sessionId, metadata: { importing, importedBy } }));
  await made("under way", newOwner());
  await made("written", gone);
  await made("killed", gone);
  await startRun(store, "written", "And now?");
  const { found } = await lookUpSession(join(home.path, claudeFile(CLAUDE_ID)), { places });
  const { session } = await importNative(found, { store, places, cwd: home.path });
  const ids = (await store.listSessions()).items.map(({ sessionId }) => sessionId);
  expect(new Set(ids)).toEqual(new Set(["under way", "written", session.sessionId]));
});
