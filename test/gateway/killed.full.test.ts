/**
 * Editors whose gateway is killed at random moments: each answered prompt is stored once and in order, a prompt that is
 * repeated after a kill is stored once, and the id of the session does not change.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Wire } from "../acp/conformance/wire.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { rounds } from "../sizes/counts.ts";

const EDITORS = 3;
const KILLS = rounds(30);

test("each answer that an editor received is stored once, whenever its gateway is killed", {
  timeout: 600_000,
}, async () => {
  await Promise.all(Array.from({ length: EDITORS }, (_, n) => beAnEditor(n)));
});

/**
 * Each editor has a separate home, because the scripted agent gives its sessions the same ids in each of its processes.
 */
async function beAnEditor(editor: number): Promise<void> {
  using home = createTalkHome();
  const cwd = join(home.path, "project");
  const program = { command: [process.execPath, MAIN, "acp"] as const, cwd, env: cleanEnv(home.path) };
  const open = async (): Promise<Wire> => {
    const wire = new Wire(program);
    await wire.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return wire;
  };
  let wire = await open();
  const { sessionId } = await wire.get("session/new", { cwd, mcpServers: [] });
  const said: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const words = `question ${editor}-${kill}`;
    const asked = wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
    asked.catch(() => undefined);
    // The kill comes before the turn begins, in the middle of it, or after its end.
    await Promise.race([asked.catch(() => undefined), sleep(Math.random() * 1_500)]);
    wire.kill();
    wire = await open();
    await wire.get("session/load", { sessionId, cwd, mcpServers: [] });
    const { user, agent } = spokenIn(wire, sessionId);
    expect(user.slice(0, said.length)).toEqual(said);
    expect(user.length).toBeLessThanOrEqual(said.length + 1);
    if (!agent.some((text) => text.includes(words))) {
      await wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
    }
    said.push(words);
  }
  await using last = await open();
  await last.get("session/load", { sessionId, cwd, mcpServers: [] });
  const { user, agent } = spokenIn(last, sessionId);
  expect(user).toEqual(said);
  for (const words of said) expect(agent.filter((text) => text.endsWith(words))).toHaveLength(1);
  expect(wire.violations).toEqual([]);
}

/** The messages of a replay, each as one text. */
function spokenIn(wire: Wire, sessionId: unknown): { user: readonly string[]; agent: readonly string[] } {
  const texts = new Map<string, string>();
  for (const { sessionUpdate, content, messageId } of wire.updatesOf(sessionId)) {
    const { text } = (content ?? {}) as { readonly text?: string };
    if (text === undefined) continue;
    const key = `${String(sessionUpdate)} ${String(messageId)}`;
    texts.set(key, (texts.get(key) ?? "") + text);
  }
  const of = (kind: string): readonly string[] =>
    [...texts].filter(([key]) => key.startsWith(kind)).map(([, text]) => text);
  return { user: of("user_message_chunk"), agent: of("agent_message_chunk") };
}
