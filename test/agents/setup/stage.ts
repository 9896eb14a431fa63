/** Sets an agent up for the tests of `continuo setup`, and looks through the requests that its model received. */

import type { AgentName } from "@continuo/core/model";
import { expect } from "vitest";
import type { ModelServer } from "../../model-servers/index.ts";
import { runContinuo } from "../proof.ts";
import type { Sandbox } from "../sandbox.ts";

export type Environment = Readonly<Record<string, string>>;

export async function setUp(agent: AgentName, sandbox: Sandbox, environment: Environment): Promise<void> {
  const { code, stdout, stderr } = await runContinuo(["setup", agent, "--yes"], sandbox, environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Each agent uses the new setup from its next start.");
}

/** Returns the bodies of the requests that ask the model for an answer, the oldest first. */
export function sentTo(server: ModelServer): readonly string[] {
  return server.requests.filter(({ kind }) => kind === "answer").map(({ body }) => JSON.stringify(body));
}

export function expectSent(server: ModelServer, words: string): void {
  expect(sentTo(server).some((request) => request.includes(words))).toBe(true);
}
