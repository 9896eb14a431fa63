/** The model and the mode that a session is to have, in both versions of ACP and by the older methods. */

import { ContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { hello1, type Json, type Script } from "./script.ts";
import { scripted } from "./scripted-program.ts";

const HELLO_2 = { protocolVersion: 2, capabilities: { session: {} }, info: { name: "s", version: "1" } };
const values = (...names: readonly string[]): Json[] => names.map((value) => ({ value, name: value }));

type Protocol = 1 | 2;

/** Returns an option in the form of a version: its name is `id` in one, `configId` in the other. */
function option(protocol: Protocol, category: string, options: Json[], currentValue: string): Json {
  const name = protocol === 1 ? { id: `the-${category}` } : { configId: `the-${category}` };
  return { ...name, name: category, category, type: "select", currentValue, options };
}

interface Offering {
  readonly protocol: Protocol;
  readonly session: Json;
  readonly answers?: Script["answers"];
}

function offering({ protocol, session, answers = {} }: Offering) {
  return scripted(
    {
      hello: protocol === 1 ? hello1({ resume: {}, fork: {} }) : HELLO_2,
      answers: {
        "session/new": [{ result: { sessionId: "new-1", ...session } }],
        "session/resume": [{ result: session }],
        ...answers,
      },
    },
    { protocol },
  );
}

const callsOf = (sent: readonly Json[]): readonly unknown[] =>
  sent
    .filter(({ method }) => String(method).startsWith("session/set_"))
    .map(({ method, params }) => [method, params]);

describe.each([1, 2] as const)("in version %i", (protocol) => {
  const type = protocol === 1 ? {} : { type: "id" };
  const options = [
    option(protocol, "model", [{ group: "g", name: "G", options: values("small", "large") }], "small"),
    option(protocol, "mode", values("free", "plan"), "free"),
  ];
  const session = { configOptions: options };

  test("both are set by the session's options, also after a change to another session", async () => {
    const answers = { "session/set_config_option": [{ result: { configOptions: [] } }] };
    const { driver, cwd, sent } = offering({ protocol, session, answers });
    await using conversation = await driver.open({ cwd, model: "large", mode: "plan" });
    const set = (sessionId: string) => [
      ["session/set_config_option", { sessionId, configId: "the-model", ...type, value: "large" }],
      ["session/set_config_option", { sessionId, configId: "the-mode", ...type, value: "plan" }],
    ];
    expect(callsOf(sent())).toEqual(set("new-1"));
    await conversation.resumeSession("s7");
    expect(callsOf(sent())).toEqual([...set("new-1"), ...set("s7")]);
  });

  const refused = { "session/set_config_option": [{ error: { code: -32602, message: "Invalid params" } }] };
  test("a value that is refused is an error with the list of all values, also those in groups", async () => {
    const { driver, cwd } = offering({ protocol, session, answers: refused });
    const open = driver.open({ cwd, model: "huge" });
    await expect(open).rejects.toMatchObject({
      code: "unsupported",
      message: 'scripted has no model "huge"',
      hint: "Choose one of small, large.",
      details: { category: "model", value: "huge", offered: ["small", "large"] },
    });
  });

  test("a setting that does not exist is reported for a continued session too, and no other session begins", async () => {
    const { driver, cwd, sent } = offering({ protocol, session, answers: refused });
    const open = driver.open({ cwd, model: "huge", resumeSessionId: "s7", onMissing: "new" });
    await expect(open).rejects.toMatchObject({
      code: "unsupported",
      message: 'scripted has no model "huge"',
    });
    expect(sent().filter(({ method }) => method === "session/new")).toEqual([]);
  });

  test("a setting that is offered and then refused is reported in the agent's own words", async () => {
    const { driver, cwd } = offering({ protocol, session, answers: refused });
    await expect(driver.open({ cwd, model: "large" })).rejects.toMatchObject({
      code: "agent_failed",
      message: "scripted refused session/set_config_option: Invalid params",
    });
  });

  const now = (model: string) => ({
    "session/set_config_option": [
      { result: { configOptions: [option(protocol, "model", values("small", "large"), model)] } },
    ],
  });
  test.each([
    ["as it was asked for", "large", "large", true],
    ["under its longer name", "lar", "large", true],
    ["not at all, and without a word", "huge", "small", false],
    ["as another one", "large", "small", false],
  ])("a model that is set %s", async (_, model, told, isTaken) => {
    const { driver, cwd } = offering({ protocol, session, answers: now(told) });
    const opened = driver.open({ cwd, model });
    if (!isTaken) return await expect(opened).rejects.toMatchObject({ code: "unsupported" });
    await using conversation = await opened;
    expect(conversation.sessionId).toBe("new-1");
  });

  test.each(["model", "mode"])("an agent without a choice of its %s is reported", async (category) => {
    const { driver, cwd } = offering({ protocol, session: {} });
    await expect(driver.open({ cwd, [category]: "large" })).rejects.toMatchObject({
      code: "unsupported",
      message: `scripted has no setting for its ${category}`,
    });
  });
});

describe("by the older methods", () => {
  const session = {
    modes: { currentModeId: "free", availableModes: [{ id: "free" }, { id: "plan" }] },
    models: { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "large" }] },
  };
  const done = { "session/set_model": [{ result: {} }], "session/set_mode": [{ result: {} }] };

  test("both are set, by an option if there is one", async () => {
    const { driver, cwd, sent } = offering({ protocol: 1, session, answers: done });
    await using conversation = await driver.open({ cwd, model: "a name that is not listed", mode: "plan" });
    expect(conversation.sessionId).toBe("new-1");
    expect(callsOf(sent())).toEqual([
      ["session/set_model", { sessionId: "new-1", modelId: "a name that is not listed" }],
      ["session/set_mode", { sessionId: "new-1", modeId: "plan" }],
    ]);
    const answers = { ...done, "session/set_config_option": [{ result: {} }] };
    const both = { ...session, configOptions: [option(1, "mode", values("free", "plan"), "free")] };
    const mixed = offering({ protocol: 1, session: both, answers });
    await using other = await mixed.driver.open({ cwd: mixed.cwd, model: "large", mode: "plan" });
    expect(other.sessionId).toBe("new-1");
    expect(callsOf(mixed.sent()).map((call) => (call as unknown[])[0])).toEqual([
      "session/set_model",
      "session/set_config_option",
    ]);
  });

  test.each([
    ["model", "huge", ["small", "large"]],
    ["mode", "wild", ["free", "plan"]],
  ])("a %s that is refused is an error with the list", async (category, value, offered) => {
    const no = [{ error: { code: -32603, message: "Internal error" } }];
    const answers = { "session/set_model": no, "session/set_mode": no };
    const { driver, cwd } = offering({ protocol: 1, session, answers });
    const error: unknown = await driver.open({ cwd, [category]: value }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ContinuoError);
    expect(error).toMatchObject({ code: "unsupported", details: { category, value, offered } });
  });

  test("the error names the first values of a long list", async () => {
    const many = Array.from({ length: 40 }, (_, k) => ({ modelId: `m${k}` }));
    const answers = { "session/set_model": [{ error: { code: -32603, message: "no" } }] };
    const { driver, cwd } = offering({
      protocol: 1,
      session: { models: { availableModels: many } },
      answers,
    });
    await expect(driver.open({ cwd, model: "huge" })).rejects.toMatchObject({
      hint: expect.stringMatching(/^Choose one of m0, .*, m29, and 10 more\.$/u),
    });
  });

  test("invalid options are ignored", async () => {
    const odd = {
      configOptions: [null, 1, { category: "model" }, { id: 7, category: "model" }],
      models: "none",
    };
    const { driver, cwd } = offering({ protocol: 1, session: odd });
    await expect(driver.open({ cwd, model: "large" })).rejects.toMatchObject({ code: "unsupported" });
  });
});
