/**
 * The modules that the bundle of the command loads together: an agent's program waits for every module that is
 * loaded before it starts.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type BundledChunk, modulesLoadedWith } from "../../scripts/bundle.ts";
import { bundledCommand, CHUNKS } from "../sizes/prepared.ts";

const ROOT = join(import.meta.dirname, "../..");
const HEAVY = /node_modules\/(zod|yaml|marked|kysely|pg|@agentclientprotocol)\/|^node:sqlite$/u;

let chunks: readonly BundledChunk[] = [];

beforeAll(async () => {
  const command = await bundledCommand();
  chunks = JSON.parse(readFileSync(join(dirname(command), CHUNKS), "utf8"));
});

const loadedWith = (module: string): readonly string[] => modulesLoadedWith(chunks, join(ROOT, module));

describe("of the heavy packages nothing is loaded with", () => {
  test.each([
    ["the entry", "src/cli/main.ts"],
    ["the tree of commands", "src/cli/program.ts"],
    ["chat, until the agent's program is started", "src/cli/chat/chat.ts"],
    ["the driver of Claude Code", "packages/agents/src/drivers/claude/index.ts"],
    ["the driver of Codex", "packages/agents/src/drivers/codex/index.ts"],
    ["the driver of pi", "packages/agents/src/drivers/pi/index.ts"],
    ["the list of sessions", "src/cli/session/list/list.ts"],
  ])("%s", (_, module) => {
    expect(loadedWith(module).filter((id) => HEAVY.test(id))).toEqual([]);
  });
});

test("the version is printed before the tree of commands is loaded", () => {
  expect(loadedWith("src/cli/main.ts").filter((id) => id.includes("commander"))).toEqual([]);
});

test("the agents' readers and the store are not loaded with chat", () => {
  const loaded = loadedWith("src/cli/chat/chat.ts");
  expect(
    loaded.filter((id) =>
      /src\/(store|sessions|native\/(claude|codex|gemini|pi|opencode)\/(?!agent\/))/u.test(id),
    ),
  ).toEqual([]);
});
