/**
 * Scripts the model for a hand-over that begins inside an agent, and checks the other agent's session after the
 * hand-over.
 */

import type { AgentName } from "@continuo/core/model";
import { expect } from "vitest";
import {
  asObjects,
  asText,
  type ModelServer,
  type Script,
  type ScriptedTurn,
  text,
  tool,
} from "../../model-servers/index.ts";
import { historyOf, runContinuo } from "../proof.ts";
import type { Sandbox } from "../sandbox.ts";
import { type Environment, sentTo } from "./stage.ts";

export const SAID = "Remember that the parcel is heliotrope.";
const ANSWERED = "I keep the colour in mind.";

/** The names of Continuo's tools in an agent. */
export interface Tools {
  readonly recall: string;
  readonly shell: string;
}

/**
 * Returns the script of a model that knows about Continuo only the texts that it receives.
 *
 * @param sent the requests that it received
 */
export function scriptOf(
  [from, to]: readonly [AgentName, AgentName],
  { recall, shell }: Tools,
  sent: () => readonly string[],
): Script {
  const run: ScriptedTurn["answers"][number] = ({ results }) => {
    const [id = "no id"] = new RegExp(`${from}:[\\w-]+`, "u").exec(results.join("\n")) ?? [];
    const command = commandIn(sent().at(-1) ?? "");
    return [tool(shell, command.replace("SESSION", id).replace("AGENT", to))];
  };
  return {
    turns: [
      { user: SAID, answers: [[text(ANSWERED)]] },
      {
        user: `Hand this session over to: ${to}`,
        answers: [[tool(recall, {})], run, [text("Continue there.")]],
      },
    ],
  };
}

function commandIn(request: string): string {
  return /`([^`]+ handoff SESSION --to AGENT)`/u.exec(request)?.[1] ?? "false # the request has no command";
}

export interface HandOverSetup {
  readonly server: ModelServer;
  readonly sandbox: Sandbox;
  readonly environment: Environment;
  readonly to: AgentName;
}

/** Throws if the other agent's session lacks a message, or if the model did not receive the command to continue it. */
export async function expectHandedOver({ server, sandbox, environment, to }: HandOverSetup): Promise<void> {
  const { stdout } = await runContinuo(["list", "--agent", to, "--json"], sandbox, environment);
  const listed = asObjects(JSON.parse(stdout)).map(({ sessionId }) => asText(sessionId));
  expect(listed).toEqual([expect.any(String)]);
  const [id = ""] = listed;
  const history = JSON.stringify(await historyOf(to, id, { home: sandbox.root, env: environment }));
  for (const words of [SAID, ANSWERED]) expect(history).toContain(words);
  const [, printed = ""] = sentTo(server).at(-1)?.split("Continue it with:") ?? [];
  expect(printed.slice(0, 400)).toMatch(new RegExp(` && ${to} .*${id}`, "u"));
}
