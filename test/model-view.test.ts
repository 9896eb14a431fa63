/** Compares each reader's model view with the request of the real agent: every fixture, without an agent. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOME_VARIABLES, readNativeSession } from "@continuo/agents";
import { AGENT_NAMES } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { normaliseView, TELLS_ERRORS } from "./agents/items.ts";

const FIXTURES = fileURLToPath(new URL("fixtures/", import.meta.url));

describe.each(AGENT_NAMES)("the model view of %s", (agent) => {
  const tellsErrors = TELLS_ERRORS.has(agent);
  test.each(readdirSync(join(FIXTURES, agent)))("%s", async (name) => {
    const folder = join(FIXTURES, agent, name);
    const sent = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
    const places = { home: "/nowhere", env: { [HOME_VARIABLES[agent]]: join(folder, "home") } };
    const { messages } = await readNativeSession(`${agent}:${sent.sessionId}`, { places, view: "model" });
    expect(normaliseView(messages, { tellsErrors, sentBy: agent })).toEqual(sent.items);
  });
});
