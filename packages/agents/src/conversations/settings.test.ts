import { expect, test } from "vitest";
import type { AgentSettings, Configuration } from "../config/index.ts";
import { settingsOf } from "./settings.ts";

const own = {
  model: "small",
  transport: null,
  session: { onMissing: "error" },
  permissions: { policy: "ask", timeoutMs: 1_000 },
  context: { maxMessages: 5, maxChars: 100 },
} as unknown as AgentSettings;
const configuration = { agents: { robot: own, other: own } } as unknown as Configuration;

test("a flag replaces a setting, and the other settings stay", () => {
  const flags = { onMissing: "replay", permissions: "safe", maxChars: 7, model: "large" } as const;
  expect(settingsOf(configuration, "robot", flags)).toEqual({
    ...own,
    model: "large",
    session: { onMissing: "replay" },
    permissions: { policy: "safe", timeoutMs: 1_000 },
    context: { maxMessages: 5, maxChars: 7 },
  });
});

test("the model and the transport of a flag are for the agent that a flag names, and for no other one", () => {
  const flags = { agent: "robot", model: "large", transport: "acp" } as const;
  expect(settingsOf(configuration, "robot", flags)).toMatchObject({ model: "large", transport: "acp" });
  expect(settingsOf(configuration, "other", flags)).toMatchObject({ model: "small", transport: null });
});
