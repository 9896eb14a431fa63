/**
 * The modules that the bundle of the command loads together: an agent's program waits for every module that is
 * loaded before it starts.
 */

import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type BundledChunk, modulesLoadedWith } from "../../scripts/bundle.ts";
import { bundledCommand, CHUNKS } from "../sizes/shared-programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const HEAVY = /node_modules\/(zod|yaml|marked|kysely|pg|@agentclientprotocol)\/|^node:sqlite$/u;

let chunks: readonly BundledChunk[] = [];
let folder: string;

beforeAll(async () => {
  const command = await bundledCommand();
  folder = dirname(command);
  chunks = JSON.parse(readFileSync(join(folder, CHUNKS), "utf8"));
});

const loadedWith = (module: string): readonly string[] => modulesLoadedWith(chunks, join(ROOT, module));

describe("no heavy package is loaded with", () => {
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

const SHORT_COMMANDS = ["src/cli/session/list/list.ts", "src/cli/search/search.ts"];

describe("Node's own modules that few commands need are loaded only at their first call, with", () => {
  test.each(["src/cli/main.ts", "src/cli/program.ts", ...SHORT_COMMANDS])("%s", (module) => {
    const loaded = new Set(loadedWith(module));
    const code = chunks
      .filter(({ moduleIds }) => moduleIds.some((id) => loaded.has(id)))
      .map(({ fileName }) => readFileSync(join(folder, fileName), "utf8"))
      .join("\n");
    expect(code).toContain("process.getBuiltinModule");
    expect(code.match(/^import .+ from "node:.+$/gmu)).toBeNull();
    expect(code.match(AT_ONCE)).toBeNull();
  });
});

/** Imports that are loaded at once; a function that is loaded at its first call begins with `let`. */
const AT_ONCE =
  /^const .+ = process\.getBuiltinModule\("node:(?:child_process|crypto|fs\/promises|tty|v8|vm|worker_threads)"\);$/gmu;

test("a chunk that only passes on the names of another one is not in the bundle, and every import has its file", () => {
  const files = globSync("{*,chunks/*}.mjs", { cwd: folder });
  const codes = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  expect(codes.size).toBeGreaterThan(100);
  expect(
    files.filter((file) => /^export\s*\{[^}]*\}\s*from\s*"[^"]*";?\s*$/u.test(codes.get(file) ?? "")),
  ).toEqual([]);
  const imported = [...codes].flatMap(([file, code]) =>
    [...code.matchAll(/(?:import\(|from)\s*[`"](\.\/[^`"]+\.mjs)[`"]/gu)].map(([, path = ""]) =>
      join(dirname(file), path),
    ),
  );
  expect(imported.length).toBeGreaterThan(codes.size);
  expect(imported.filter((file) => !codes.has(file))).toEqual([]);
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
