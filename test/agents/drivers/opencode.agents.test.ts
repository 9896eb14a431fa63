/** opencode through ACP. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Step, startModelServer, text, tool } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { proveDriver } from "./contract.ts";
import { opencode } from "./subjects/opencode.ts";

proveDriver(opencode);

test("opencode does not pass on the permission requests of a sub-agent: the sub-agent runs no command, and the turn ends", async () => {
  const description = "Makes a file";
  const task = { description, prompt: "Run it, please.", subagent_type: "general" };
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({
    turns: [
      { user: "Delegate it.", answers: [[tool("task", task)], [text("Delegated.")]] },
      {
        user: task.prompt,
        answers: [
          [{ ...tool("bash", { command: "touch run.txt", description }), insists: true } as Step],
          [text("It is refused.")],
        ],
      },
    ],
  });
  const { driver, cwd } = await opencode.prepare(sandbox, server.url);
  await using conversation = await (await driver()).open({ cwd });
  const events = await Array.fromAsync(conversation.prompt([{ type: "text", text: "Delegate it." }]));
  expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  expect(JSON.stringify(server.conversation().at(-1)?.body)).toContain("It is refused.");
  expect(existsSync(join(sandbox.project, "run.txt"))).toBe(false);
});
