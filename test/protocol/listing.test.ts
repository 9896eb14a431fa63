/**
 * Codex's own list is requested from the server that is open for a conversation, or from one that is started for it.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rememberCapabilities } from "@continuo/agents/drivers/link";
import { NO_CAPABILITIES } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { createCodexDriver } from "../../packages/agents/src/drivers/codex/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import type { StandInScript } from "./stand-in.ts";

const SESSION = "01a00000-0000-7000-8000-000000000001";
const STAND_IN = await bundledProgram("test/protocol/stand-in.ts");

let home: string;

beforeEach(() => {
  home = scratchFolder("listing");
});

function write(script: Partial<StandInScript>): string {
  const path = join(home, "script.json");
  writeFileSync(path, JSON.stringify({ help: "", reactions: [], ...script }));
  return path;
}

const GREETING = { to: '"initialize"', print: '{"id":$id,"result":{"userAgent":"continuo/1.0 (x)"}}\n' };
const LIST = { to: '"thread/list"', print: `{"id":$id,"result":{"data":[{"id":"${SESSION}"}]}}\n` };
const OTHERS = { to: '"thread/', print: `{"id":$id,"result":{"thread":{"id":"${SESSION}"}}}\n` };

test("the open server is asked, and no second one is started", async () => {
  const places = { home, env: { PATH: process.env.PATH ?? "" } };
  const command = [process.execPath, STAND_IN, write({ reactions: [GREETING, LIST, OTHERS] })];
  await rememberCapabilities(places, command, async () => ({ capabilities: NO_CAPABILITIES, version: null }));
  const driver = createCodexDriver({ places, command });
  const conversation = await driver.open({ cwd: home });
  // Every server that starts from now on refuses.
  write({ refusal: "no second one" });
  const { items } = await driver.listSessions({ cwd: home });
  expect(items.map(({ sessionId }) => sessionId)).toEqual([SESSION]);
  await conversation.close();
  await expect(driver.listSessions({ cwd: home })).rejects.toMatchObject({ code: "agent_failed" });
});
