/** Every agent gets the answer to its permission request only after the answer is stored, even if that takes long. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { toAgent } from "../../../packages/agents/src/drivers/link/index.ts";
import { withMethods } from "../../intercepted.ts";
import { startModelServer, text } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { claude } from "./subjects/claude.ts";
import { codex } from "./subjects/codex.ts";
import { gemini } from "./subjects/gemini.ts";
import { opencode } from "./subjects/opencode.ts";
import { pi } from "./subjects/pi.ts";

/** An agent that has the answer writes its file in much less time. */
const WRITTEN_WITHIN_MS = 2_000;

test.each([claude, codex, gemini, opencode, pi])(
  "$title: a tool runs only after the grant is in the log",
  async ({ prepare, writes }) => {
    await using sandbox = await makeSandbox();
    const file = join(sandbox.project, "written.txt");
    await using server = await startModelServer({
      turns: [
        {
          user: "Write it down.",
          answers: [writes === null ? [] : [writes(file, "words")], [text("It is written.")]],
        },
      ],
    });
    const { driver, cwd } = await prepare(sandbox, server.url);
    await using store = await openStore("memory:");
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = withMethods(store, {
      append: async (id, events, options) => {
        if (events.some(({ type }) => type === "approval_resolved")) {
          reached.resolve();
          await released.promise;
        }
        return await store.append(id, events, options);
      },
    });
    const { sessionId } = await store.createSession({});
    await using agent = toAgent(await driver(), {
      cwd,
      onPermission: async () => ({ outcome: "granted", by: "person" }),
    });
    const run = runOnce(held, agent, "Write it down.", { sessionId });
    await reached.promise;
    await new Promise((resolve) => setTimeout(resolve, WRITTEN_WITHIN_MS));
    expect(existsSync(file)).toBe(false);
    released.resolve();
    expect(await run).toMatchObject({ status: "completed" });
    expect(existsSync(file)).toBe(true);
  },
  120_000,
);
