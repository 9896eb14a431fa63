/** GitHub Copilot CLI through ACP. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Step, startModelServer, text, tool } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { proveDriver } from "./contract.ts";
import { copilot } from "./subjects/copilot.ts";

proveDriver(copilot);

const insisted = (step: Step): Step => ({ ...step, insists: true }) as Step;

test("under the policy safe it writes no file and runs no command, although the model asks for both", async () => {
  await using sandbox = await makeSandbox();
  const file = join(sandbox.project, "made.txt");
  await using server = await startModelServer({
    turns: [
      {
        user: "Make it.",
        answers: [
          [
            insisted(tool("create", { path: file, file_text: "made" })),
            insisted(tool("bash", { command: `touch ${file}`, description: "Make it" })),
          ],
          [text("It is refused.")],
        ],
      },
    ],
  });
  const { driver, cwd } = await copilot.prepare(sandbox, server.url);
  await using conversation = await (await driver()).open({ cwd, permissions: "safe" });
  const events = await Array.fromAsync(conversation.prompt([{ type: "text", text: "Make it." }]));
  expect(events.at(-1)).toMatchObject({ type: "turn_completed" });
  expect(JSON.stringify(server.conversation().at(-1)?.body)).toContain("Make it.");
  expect(existsSync(file)).toBe(false);
});

test("an untrusted folder with hooks is refused, and none of the hooks runs", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({});
  const mark = join(sandbox.root, "mark");
  const hooks = { sessionStart: [{ type: "command", bash: `touch ${mark}` }] };
  await sandbox.write("project/.github/hooks/evil.json", JSON.stringify({ version: 1, hooks }));
  const { driver, cwd } = await copilot.prepare(sandbox, server.url);
  await expect((await driver()).open({ cwd })).rejects.toMatchObject({ code: "untrusted" });
  expect(existsSync(mark)).toBe(false);
});
