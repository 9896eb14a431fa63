/** Loads of long sessions that were never read: the first updates come before a reader has read the session. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatOf } from "@continuo/native";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeSession } from "../../bench/memory/sessions.ts";
import { makeConversation } from "../../bench/sessions/conversation.ts";
import { createRandom } from "../../bench/sessions/random.ts";
import { openOpencode } from "../../bench/sessions/shapes/index.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { type Editor, openEditor } from "./editor.ts";

const BYTES = 2_500_000;
/** A conversation of this size has about half as many bytes as rows of opencode. */
const OPENCODE_BYTES = 6_000_000;

const WRITERS = {
  gemini(home: TalkHome, cwd: string): void {
    writeSession({ agent: "gemini", home: home.path, cwd, sizeBytes: BYTES, shape: "turns" });
  },
  opencode(home: TalkHome, cwd: string): void {
    const random = createRandom(20261129);
    const opencode = openOpencode(home.path);
    opencode.write({ ...makeConversation(random, OPENCODE_BYTES, 1), cwd }, random);
    opencode.close();
  },
} as const;

test.each(["gemini", "opencode"] as const)(
  "the first updates of a long session of %s come before it is read, and none comes twice",
  async (agent) => {
    const home = createTalkHome();
    const cwd = join(home.path, "project");
    WRITERS[agent](home, cwd);
    await using editor = await openEditor(home);
    const [{ sessionId = "" } = {}] = (await editor.agent.request("session/list", {})).sessions;
    const { before, all } = await load(editor, { agent, sessionId, cwd });
    expect(before.length).toBeGreaterThan(2);
    expect(all.length).toBeGreaterThan(before.length + 100);
    // The second load reads the whole session before the first update.
    const reader = await formatOf(agent);
    const first = vi.spyOn(reader, "firstMessages").mockResolvedValue([]);
    onTestFinished(() => first.mockRestore());
    const { before: none, all: same } = await load(editor, { agent, sessionId, cwd });
    expect(none).toEqual([]);
    expect(same).toEqual(all);
  },
);

interface Loading {
  readonly agent: "gemini" | "opencode";
  readonly sessionId: string;
  readonly cwd: string;
}

/** Returns all updates of a load, and separately those that came before the session was opened. */
async function load(editor: Editor, { agent, sessionId, cwd }: Loading) {
  const reader = await formatOf(agent);
  const before: unknown[] = [];
  const { open } = reader;
  const start = editor.updates.length;
  const spy = vi.spyOn(reader, "open").mockImplementation(async (...given) => {
    // Written updates go through several streams to the editor.
    await sleep(100);
    before.push(...editor.updates.slice(start).map(({ update }) => update));
    return await open(...given);
  });
  editor.take();
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  spy.mockRestore();
  return { before, all: editor.take() };
}
