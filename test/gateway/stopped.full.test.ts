/** A gateway is stopped in the middle of a turn, as on a sleeping laptop, while another editor uses its session. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { type Json, Wire } from "../acp/conformance/wire.ts";
import { chunk, DONE, hello1, type Script } from "../acp/script.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";

const SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: { "session/resume": [{ result: {} }] },
  prompts: { slowly: [chunk("One "), { untilFile: "on" }, chunk("two."), DONE] },
};

/** The lease of the stopped process plus the wait for the agent's session. */
const LONGEST_MS = 60_000;

test("an editor gets an error within a minute while a stopped process has its session, and an answer after that process ends", {
  timeout: 180_000,
}, async () => {
  using home = createTalkHome(SCRIPT);
  const cwd = join(home.path, "project");
  const open = async (): Promise<Wire> => {
    const env = cleanEnv(home.path);
    const wire = new Wire({ command: [process.execPath, MAIN, "acp"], cwd, env, answerMs: LONGEST_MS });
    await wire.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return wire;
  };
  await using one = await open();
  const { sessionId } = await one.get("session/new", { cwd, mcpServers: [] });
  const say = (wire: Wire, text: string): Promise<Json> =>
    wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await say(one, "hello");
  await using two = await open();
  await two.get("session/load", { sessionId, cwd, mcpServers: [] });
  say(one, "slowly").catch(() => undefined);
  await expect.poll(() => JSON.stringify(two.updatesOf(sessionId))).toContain('"One "');
  one.kill("SIGSTOP");
  await expect(say(two, "and now?")).rejects.toThrow("open elsewhere");
  expect(two.stderr).toContain("your turn waits for its end");
  one.kill();
  expect(await say(two, "and now?")).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(two.updatesOf(sessionId))).not.toContain("two.");
});
