/** The real agents pass the effort on to their model, and report their own commands and the remaining context. */

import { type AgentName, isContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { type JsonObject, startModelServer } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { SUBJECTS } from "./subjects/index.ts";

interface Told {
  /** Reads the effort from a request; `null` if the agent has no setting for it. */
  readonly effort: ((body: JsonObject) => unknown) | null;
  /** One of the agent's commands, or `null` if it reports none. */
  readonly command: string | null;
  readonly tellsContext: boolean;
}

const TOLD: Readonly<Record<AgentName, Told>> = {
  claude: {
    effort: ({ output_config: config }) => (config as JsonObject).effort,
    command: "compact",
    tellsContext: true,
  },
  codex: { effort: ({ reasoning }) => (reasoning as JsonObject).effort, command: null, tellsContext: true },
  pi: { effort: ({ reasoning_effort: effort }) => effort, command: "mcp", tellsContext: true },
  gemini: { effort: null, command: "memory", tellsContext: false },
  opencode: {
    effort: ({ reasoning_effort: effort }) => effort,
    command: "init",
    tellsContext: true,
  },
  copilot: { effort: null, command: "compact", tellsContext: true },
};

test.each(Object.entries(TOLD))(
  "%s refuses an unknown effort, and sends and reports what the table says",
  async (name, { effort, command, tellsContext }) => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { cwd, driver } = await SUBJECTS[name as AgentName].prepare(sandbox, server.url);
    const open = async (level?: string) =>
      await (await driver()).open({ cwd, ...(level === undefined ? {} : { effort: level }) });
    const refused = await open("bogus").then(
      () => null,
      (error: unknown) => (isContinuoError(error) ? { code: error.code, message: error.message } : error),
    );
    expect(refused).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining(
        effort === null ? "has no setting for its effort" : 'no effort "bogus"',
      ),
    });
    await using conversation = await open(effort === null ? undefined : "high");
    await Array.fromAsync(conversation.prompt([{ type: "text", text: "Think about it." }]));
    const body = server.conversation().at(-1)?.body ?? {};
    if (effort !== null) expect(effort(body)).toBe("high");
    const commands = (await conversation.commands?.()) ?? [];
    if (command === null) expect(commands).toEqual([]);
    else expect(commands.map((one) => one.name)).toContain(command);
    const { usedTokens = 0, windowTokens = 0 } = conversation.context ?? {};
    expect(usedTokens > 0 && windowTokens > usedTokens).toBe(tellsContext);
  },
);
