/** A person can allow rules that Claude Code offers. Claude Code then applies each rule exactly as it is worded. */

import { existsSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { openAgent } from "@continuo/agents/drivers";
import type { Conversation, PermissionRequest } from "@continuo/core/model";
import { expect, test } from "vitest";
import { startModelServer, text, tool } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { claude } from "./subjects/claude.ts";

const COMMANDS = {
  "Build it.": "npm run build",
  "Build it again.": "npm run build",
  "Test it.": "npm run test",
  "Remove it.": "rm -rf build",
  "Chain it.": "npm run build && rm -rf build",
} as const;
type Said = keyof typeof COMMANDS;

interface Stage extends AsyncDisposable {
  /**
   * Chooses the option with this name. Returns the names of the options that the person saw, or `null` if there was no
   * question.
   */
  say(words: Said, choice: string): Promise<readonly string[] | null>;
  localSettings(): unknown;
}

async function stage(folder: "trusted" | "untrusted"): Promise<Stage> {
  const sandbox = await makeSandbox();
  const turns = Object.entries(COMMANDS).map(([user, command]) => ({
    user,
    answers: [[tool("Bash", { command, description: "x" })], [text("Done.")]],
  }));
  const server = await startModelServer({ turns });
  // Puts an `npm` that does nothing on the search path, so that the project needs no package.json.
  await sandbox.write("bin/npm", "#!/bin/sh\n");
  await chmod(join(sandbox.root, "bin/npm"), 0o755);
  const { command, cwd, environment } = await claude.prepare(sandbox, server.url);
  const places = {
    home: sandbox.root,
    env: { ...environment, PATH: `${join(sandbox.root, "bin")}:${environment.PATH}` },
  };
  const driver = await openAgent("claude", { places, command, isTrusted: () => folder === "trusted" });
  let asked: PermissionRequest | null = null;
  let choice = "";
  const conversation: Conversation = await driver.open({
    cwd,
    onPermission: async (request) => {
      asked = request;
      const option = request.options.find(({ name }) => name === choice);
      if (option === undefined) throw new Error(`there is no option ${choice}`);
      return option.kind === "reject_once"
        ? { outcome: "denied", by: "person" }
        : { outcome: "granted", by: "person", optionId: option.id };
    },
  });
  const file = join(cwd, ".claude/settings.local.json");
  return {
    async say(words, option) {
      [asked, choice] = [null, option];
      for await (const event of conversation.prompt([{ type: "text", text: words }])) {
        if (event.type === "diagnostics") continue;
      }
      return (asked as PermissionRequest | null)?.options.map(({ name }) => name) ?? null;
    },
    localSettings: () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null),
    async [Symbol.asyncDispose]() {
      await conversation.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

test("a rule for a command in this session: the agent does not ask for the command again, asks for another one, and stores the rule in no file", async () => {
  await using on = await stage("trusted");
  expect(await on.say("Build it.", "Bash(npm run build), in this session")).toEqual([
    "Allow",
    "Bash(npm run build), in this session",
    "Bash(npm run *), in this session",
    "Bash(npm run *), always in this project (.claude/settings.local.json)",
    "Deny",
  ]);
  expect(await on.say("Build it again.", "Deny")).toBe(null);
  expect(await on.say("Test it.", "Deny")).toContain("Bash(npm run *), in this session");
  expect(await on.say("Chain it.", "Deny")).not.toBe(null);
  expect(on.localSettings()).toBe(null);
});

test("a rule for this project: the file has only this rule, and the mode does not change", async () => {
  await using on = await stage("trusted");
  const always = "Bash(npm run *), always in this project (.claude/settings.local.json)";
  await on.say("Build it.", always);
  expect(on.localSettings()).toEqual({ permissions: { allow: ["Bash(npm run *)"] } });
  expect(await on.say("Test it.", "Deny")).toBe(null);
  // The mode acceptEdits would allow this edit.
  expect(await on.say("Remove it.", "Deny")).toContain(
    "mode acceptEdits (edits files without asking), in this session",
  );
});

test("in an untrusted folder no rule for the project is offered, and after `Allow` the agent asks again for the same command", async () => {
  await using on = await stage("untrusted");
  expect(await on.say("Build it.", "Allow")).toEqual([
    "Allow",
    "Bash(npm run build), in this session",
    "Bash(npm run *), in this session",
    "Deny",
  ]);
  expect(await on.say("Build it again.", "Deny")).not.toBe(null);
  expect(on.localSettings()).toBe(null);
});
