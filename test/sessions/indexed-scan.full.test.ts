/** A long session that the index knows opens without being read first, and is the same session. */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookUp, openCatalogSession, updateTexts } from "@continuo/agents/catalog";
import { expect, test } from "vitest";
import { FILE_AGENTS, type FileAgent, writeSession } from "../../bench/memory/sessions.ts";
import { scratchFolder } from "../scratch-folder.ts";

/** A home with one session of this agent, which is in the index. */
async function indexedHome(agent: FileAgent, sizeBytes: number) {
  const home = scratchFolder(`indexed-scan-${agent}`);
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const { path } = writeSession({ agent, home, cwd, sizeBytes, shape: "turns" });
  const places = { home, cwd, env: {} };
  // Files that were written just now have no reliable stamp.
  await updateTexts({ places, nowMs: Date.now() + 60_000 });
  const open = async (reading: "the whole file" | "by the index") => {
    let missing = 0;
    const index = { onMissing: () => (missing += 1) };
    const options = reading === "by the index" ? { index } : {};
    using session = await openCatalogSession(await lookUp(`last:${agent}`, { places }), places, options);
    const { details, leaves, problems } = session;
    const isContinued = "continued" in session && session.continued;
    return {
      isContinued,
      missing,
      session: { details, leaves, problems, messages: await Array.fromAsync(session.history()) },
    };
  };
  return { path, open };
}

test.each(FILE_AGENTS)(
  "a session of %s that is in the index opens at its records, as it is, with what was added, and after it was rewritten",
  async (agent) => {
    const { path, open } = await indexedHome(agent, 2_100_000);
    const same = async (isContinued: boolean) => {
      const whole = await open("the whole file");
      expect(whole.session.messages.length).toBeGreaterThan(100);
      expect(await open("by the index")).toEqual({ ...whole, isContinued });
      return whole.session;
    };
    const before = await same(true);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    appendFileSync(path, `${lines.at(-1)}\n`);
    await same(true);
    writeFileSync(path, `${lines.join("\n")}\n`.replace(/the/u, "THE"));
    const after = await same(false);
    expect(after.messages).not.toEqual(before.messages);
  },
);

test("a short session is read as a whole", async () => {
  const { open } = await indexedHome("claude", 1_000_000);
  expect(await open("by the index")).toMatchObject({ isContinued: false, missing: 0 });
});
