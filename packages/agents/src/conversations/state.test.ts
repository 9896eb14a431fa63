import type { Session } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { AgentSettings, Configuration } from "../config/index.ts";
import { beginState, nextPlace, saidBefore, step, type TalkSetting, type TalkState } from "./state.ts";

const settingsFor = (name: string): AgentSettings => ({
  name,
  environment: null,
  command: null,
  args: [],
  env: {},
  model: null,
  transport: null,
  session: { resumeId: "auto", continueLast: "auto", onMissing: "error", alwaysContinue: null },
  permissions: { policy: "ask", timeoutMs: 1_000 },
  budget: {},
  context: {},
});

const configuration: Configuration = {
  agent: null,
  continuation: "auto",
  indexExclude: [],
  indexBackground: "on",
  serverLimits: {},
  prices: {},
  live: {},
  releaseFeed: null,
  blobs: null,
  askChannels: [],
  mcpServers: {},
  files: [],
  problems: [],
  untrusted: null,
  agents: { robot: settingsFor("robot"), other: settingsFor("other") },
};

const setting: TalkSetting = { configuration, flags: {}, cwd: "/work" };

const session = {
  sessionId: "s",
  agent: "robot",
  cwd: "/elsewhere",
  metadata: { providerSessions: { robot: { sessionId: "n" } } },
} as unknown as Session;

const types = ({ effects }: ReturnType<typeof step>): readonly string[] => effects.map(({ type }) => type);

const enter = { type: "enter", session, isFresh: false, open: null } as const;

test("a change to another session ends the agent's program, wakes that session, and starts the program in it", () => {
  const begun = beginState("robot", setting);
  const entered = step(begun, enter, setting);
  expect(types(entered)).toEqual(["end program", "wake", "start program"]);
  expect(nextPlace(entered.state, setting)).toEqual({ nativeId: "n", cwd: "/elsewhere" });
});

test("a program that is open in that native session and folder stays", () => {
  const begun = beginState("robot", setting);
  const at = (nativeId: string, cwd: string) => step(begun, { ...enter, open: { nativeId, cwd } }, setting);
  expect(types(at("n", "/elsewhere"))).toEqual(["wake"]);
  expect(types(at("n", "/work"))).toContain("end program");
  expect(types(at("m", "/elsewhere"))).toContain("end program");
  const other = step(
    beginState("other", setting),
    { ...enter, open: { nativeId: "n", cwd: "/elsewhere" } },
    setting,
  );
  expect(types(other)).toContain("end program");
});

test("a flag decides which agent answers in a session that another one had", () => {
  const flags = { ...setting, flags: { agent: "other" } };
  const { state } = step(beginState("other", flags), enter, flags);
  expect(state.settings.name).toBe("other");
  expect(nextPlace(state, flags)).toBeNull();
});

test("a policy is valid for every agent of the conversation, a mode only for the agent that has it", () => {
  let state: TalkState = beginState("robot", setting);
  const then = (change: Parameters<typeof step>[1]): readonly string[] => {
    const next = step(state, change, setting);
    state = next.state;
    return types(next);
  };
  expect(then({ type: "mode", mode: "plan" })).toEqual(["end program", "check program"]);
  expect(then({ type: "permissions", policy: "safe" })).toEqual(["end program"]);
  expect(then({ type: "permissions", policy: "safe" })).toEqual([]);
  expect(state).toMatchObject({ mode: "plan", settings: { permissions: { policy: "safe" } } });
  expect(then({ type: "agent", name: "other" })).toEqual(["end program"]);
  expect(state).toMatchObject({ mode: null, settings: { name: "other", permissions: { policy: "safe" } } });
  expect(() => step(state, { type: "agent", name: "nobody" }, setting)).toThrow('no agent "nobody"');
});

test("only the first turn in a session that was requested by name continues messages from elsewhere", () => {
  const begun = beginState("robot", setting);
  expect(saidBefore(begun)).toBe("nothing");
  const entered = step(begun, { ...enter, isFresh: true }, setting).state;
  expect(saidBefore(entered)).toBe("elsewhere");
  const said = step(entered, { type: "turn", session }, setting).state;
  expect(saidBefore(said)).toBe("here");
  expect(saidBefore(step(said, { type: "stored", session: null }, setting).state)).toBe("nothing");
});

test("a session is opened with the agent that is named for it, rather than with that of a flag or its own", () => {
  const state = beginState("robot", setting);
  const change = { type: "enter", session, isFresh: false, open: null } as const;
  const named = step(state, { ...change, agent: "other" }, { ...setting, flags: { agent: "robot" } });
  expect(named.state.settings.name).toBe("other");
});

test("a model is used for the agent that it was chosen for, until another agent answers", () => {
  const before = beginState("robot", { ...setting, flags: { model: "small" } });
  const chosen = step(before, { type: "model", model: "large" }, setting);
  expect([chosen.state.settings.model, types(chosen)]).toEqual(["large", ["end program", "check program"]]);
  expect(step(chosen.state, { type: "permissions", policy: "safe" }, setting).state.settings.model).toBe(
    "large",
  );
  expect(step(chosen.state, { type: "agent", name: "other" }, setting).state.settings.model).toBeNull();
  expect(step(chosen.state, { type: "model", model: null }, setting).state.settings.model).toBeNull();
});
