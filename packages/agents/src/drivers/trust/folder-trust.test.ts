import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { assertHoldable, type FolderTrust, trustIn } from "./index.ts";

let home: string;
let folder: string;

beforeEach(() => {
  home = scratchFolder("trust");
  folder = join(home, "work/app");
  mkdirSync(join(folder, ".git"), { recursive: true });
  mkdirSync(join(folder, "src"));
});

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content));
}

function trust(agent: string, env: Record<string, string> = {}, cwd = join(folder, "src")): FolderTrust {
  return trustIn({ agent, cwd, places: { home, env } });
}

describe("an agent's own record", () => {
  test.each(["app", "app/src"])("Claude Code's answer for %s trusts app/src", (name) => {
    write(".claude.json", { projects: { [join(home, "work", name)]: { hasTrustDialogAccepted: true } } });
    expect(trust("claude").by).toBe("agent");
    expect(trust("codex").by).toBe(null);
  });

  test("is not taken from above the repository", () => {
    write(".claude.json", { projects: { [join(home, "work")]: { hasTrustDialogAccepted: true } } });
    expect(trust("claude").by).toBe(null);
  });

  test("is in the folder of CLAUDE_CONFIG_DIR", () => {
    write("moved/.claude.json", { projects: { [folder]: { hasTrustDialogAccepted: true } } });
    expect([trust("claude").by, trust("claude", { CLAUDE_CONFIG_DIR: join(home, "moved") }).by]).toEqual([
      null,
      "agent",
    ]);
  });

  test.each([
    ["claude", ".claude.json", '{"projects":'],
    ["claude", ".claude.json", '{"projects":{"FOLDER":{"hasTrustDialogAccepted":"true"}}}'],
    ["codex", ".codex/config.toml", '[projects."FOLDER"]\ntrust_level = "untrusted"\n'],
    ["codex", ".codex/config.toml", '[projects."FOLDER"]\n[other]\ntrust_level = "trusted"\n'],
    ["codex", ".codex/config.toml", 'x = """\n[projects."FOLDER/"]\n"""\ntrust_level = "trusted"\n'],
    ["gemini", ".gemini/trustedFolders.json", '{"FOLDER":"DO_NOT_TRUST"}'],
    ["pi", ".pi/agent/trust.json", '{"FOLDER":false}'],
  ])("%s: %s with %j trusts nothing", (agent, file, content) => {
    write(file, content.replace("FOLDER", folder));
    expect(trust(agent).by).toBe(null);
  });

  test.each([
    ["codex", ".codex/config.toml", 'model = "x"\n[projects."FOLDER"]\ntrust_level = "trusted"\n'],
    ["codex", ".codex/config.toml", "[projects.'FOLDER'] # mine\ntrust_level='trusted'\n"],
    ["gemini", ".gemini/trustedFolders.json", '{"FOLDER":"TRUST_FOLDER"}'],
    ["pi", ".pi/agent/trust.json", '{"FOLDER":true}'],
  ])("%s: %s with %j trusts the folder", (agent, file, content) => {
    write(file, content.replace("FOLDER", folder));
    expect(trust(agent)).toEqual({ folder: join(folder, "src"), by: "agent", leftOut: [] });
  });

  test("the nearest decision of pi counts", () => {
    write(".pi/agent/trust.json", { [folder]: true, [join(folder, "src")]: false });
    expect(trust("pi").by).toBe(null);
  });
});

describe("what is left out", () => {
  test("lies in the folder or above it in its repository, and not in the person's home", () => {
    write("work/app/.mcp.json", "{}");
    write("work/app/src/.claude/settings.json", "{}");
    write("work/CLAUDE.md", "above the repository");
    expect(trust("claude").leftOut).toEqual([
      join(folder, "src/.claude/settings.json"),
      join(folder, ".mcp.json"),
    ]);
    write(".claude/settings.json", "{}");
    expect(trust("claude", {}, home).leftOut).toEqual([]);
  });

  test("is found through a symbolic link", () => {
    write("work/app/.mcp.json", "{}");
    symlinkSync(folder, join(home, "link"));
    expect(trust("claude", {}, join(home, "link"))).toMatchObject({
      folder,
      leftOut: [join(folder, ".mcp.json")],
    });
  });

  test("is nothing for an agent that Continuo does not know", () => {
    expect(trust("mine")).toEqual({ folder: join(folder, "src"), by: null, leftOut: [] });
  });
});

test("an agent that cannot be kept from a project's configuration is refused there, unless the person trusts the project", () => {
  expect(() => assertHoldable("opencode", trust("opencode"))).not.toThrow();
  write("work/app/opencode.json", "{}");
  expect(() => assertHoldable("opencode", trust("opencode"))).toThrow(
    expect.objectContaining({ code: "untrusted", hint: expect.stringContaining("continuo trust") }),
  );
  const trusted = trustIn({
    agent: "opencode",
    cwd: folder,
    places: { home, env: {} },
    isTrusted: () => true,
  });
  expect(() => assertHoldable("opencode", trusted)).not.toThrow();
});
