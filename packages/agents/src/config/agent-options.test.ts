import { expect, test } from "vitest";
import { agentOptionsOf } from "./agent-options.ts";
import { type AgentSettings, defaultSettings } from "./settings.ts";

const settings = (agent: string, said: Partial<AgentSettings>): AgentSettings => ({
  ...defaultSettings(agent),
  transport: null,
  ...said,
});

test.each<[string, AgentSettings, object]>([
  ["nothing said", settings("claude", {}), { env: {} }],
  [
    "arguments of an agent's own program",
    settings("claude", { args: ["--x"] }),
    { env: {}, command: ["claude", "--x"] },
  ],
  [
    "a program, a model, a transport, a variable taken away",
    settings("codex", { command: "/c", args: ["a"], model: "m", transport: "acp", env: { A: "1", B: null } }),
    { env: { A: "1", B: undefined }, command: ["/c", "a"], model: "m", transport: "acp" },
  ],
  [
    "a version of ACP",
    settings("mine", { command: "/m", protocol: 2 }),
    { env: {}, command: ["/m"], protocol: 2 },
  ],
])("%s", (_, said, driving) => expect(agentOptionsOf(said)).toEqual(driving));

test("arguments for an adapter without a command are refused", () => {
  expect(() => agentOptionsOf(settings("pi", { args: ["--x"], transport: "acp" }))).toThrow(
    expect.objectContaining({ code: "usage" }),
  );
});
