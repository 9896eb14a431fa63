/**
 * The real agents after `continuo setup` hand their own session over: a person types the command that was added, the agent's model
 * does what it is told there, and another agent has the conversation.
 */

import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import {
  asObjects,
  asText,
  type ModelServer,
  type Script,
  startModelServer,
  text,
  tool,
} from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { historyOf, runContinuo } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { type Environment, sentTo, setUp } from "./stage.ts";

const SAID = "Remember that the parcel is heliotrope.";
const ANSWERED = "I keep the colour in mind.";

/** The names of the tools in an agent. */
interface Tools {
  readonly recall: string;
  readonly shell: string;
}

/** A model that knows nothing of Continuo but what it is sent. */
function scriptOf(from: AgentName, to: AgentName, { recall, shell }: Tools): Script {
  let told = "";
  return {
    turns: [
      { user: SAID, answers: [[text(ANSWERED)]] },
      {
        user: `Hand this session over to: ${to}`,
        answers: [
          ({ prompt }) => {
            told = commandIn(prompt);
            return [tool(recall, {})];
          },
          ({ results }) => {
            const [id = "no id"] = new RegExp(`${from}:[\\w-]+`, "u").exec(results.join("\n")) ?? [];
            return [tool(shell, told.replace("SESSION", id).replace("AGENT", to))];
          },
          [text("Continue there.")],
        ],
      },
    ],
  };
}

function commandIn(prompt: string): string {
  return /`([^`\n]+ handoff SESSION --to AGENT)`/u.exec(prompt)?.[1] ?? "false # it was told no command";
}

interface HandOver {
  readonly server: ModelServer;
  readonly sandbox: Sandbox;
  readonly environment: Environment;
  readonly to: AgentName;
}

/** The other agent has what was said, and the model was told the command that continues it. */
async function expectHandedOver({ server, sandbox, environment, to }: HandOver): Promise<void> {
  const { stdout } = await runContinuo(["list", "--agent", to, "--json"], sandbox, environment);
  const listed = asObjects(JSON.parse(stdout)).map(({ sessionId }) => asText(sessionId));
  expect(listed).toEqual([expect.any(String)]);
  const [id = ""] = listed;
  const history = JSON.stringify(await historyOf(to, id, { home: sandbox.root, env: environment }));
  for (const words of [SAID, ANSWERED]) expect(history).toContain(words);
  const [, printed = ""] = sentTo(server).at(-1)?.split("Continue it with:") ?? [];
  expect(printed.slice(0, 400)).toMatch(new RegExp(` && ${to} .*${id}`, "u"));
}

test("Claude Code hands its session over to Codex", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "mcp__continuo__recall", shell: "Bash" };
  await using server = await startModelServer(scriptOf("claude", "codex", tools));
  const claude = await openClaude(sandbox, server.url, "full");
  const settings = { permissions: { allow: ["mcp__continuo"] }, env: { ENABLE_TOOL_SEARCH: "false" } };
  await sandbox.write(".claude/settings.json", JSON.stringify(settings));
  await setUp("claude", sandbox, claude.environment);
  await claude.say([SAID, "/continuo-handoff codex"]);
  await expectHandedOver({ server, sandbox, environment: claude.environment, to: "codex" });
});
