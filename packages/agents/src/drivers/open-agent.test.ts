import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { openAgent } from "./open-agent.ts";

const places = { home: scratchFolder("open"), env: { PATH: "/nowhere" } };

test.each([
  ["claude", {}, "claude"],
  ["claude", { transport: "acp" }, "claude-agent-acp"],
  ["codex", {}, "codex"],
  ["codex", { transport: "acp" }, "codex-acp"],
  ["gemini", {}, "gemini"],
  ["pi", {}, "pi"],
  ["pi", { transport: "acp" }, "pi-acp"],
  ["opencode", {}, "opencode"],
  ["anything", { command: ["my-agent", "--acp"] }, "my-agent"],
] as const)("%s %j is driven by the program %s", async (name, options, program) => {
  const driver = await openAgent(name, { places, ...options });
  expect(driver.agent).toBe(name);
  await expect(driver.open({ cwd: places.home, permissions: "unrestricted" })).rejects.toMatchObject({
    code: "agent_missing",
    message: expect.stringMatching(new RegExp(`${program}$`, "u")),
  });
});

test("an unknown name without a command is an error of the caller", async () => {
  await expect(openAgent("anything", { places })).rejects.toMatchObject({ code: "usage" });
});
