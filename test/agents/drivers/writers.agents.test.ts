/** The agent itself, in another terminal, continues the session that a conversation of Continuo has open. */

import type { Conversation } from "@continuo/core/model";
import { expect, test } from "vitest";
import { type Script, startModelServer, text } from "../../model-servers/index.ts";
import { makeSandbox, runProgram } from "../sandbox.ts";
import { claude } from "./subjects/claude.ts";
import { pi } from "./subjects/pi.ts";

const RESUME = {
  claude: ["-p", "--resume"],
  pi: ["-p", "--session"],
} as const;

/** The whole answer would take minutes, but the turn ends earlier, with the expected error. */
const STORY = Array.from({ length: 3_000 }, (_, k) => `word${k}`).join(" ");
const SLOW: Script = {
  turns: [{ user: "Slowly, here.", answers: [[{ type: "slow", delayMs: 100 }, text(STORY)]] }],
};

test.each([claude, pi])(
  "$title: a conversation stops writing after the agent continued its session in another terminal",
  async ({ agent, prepare }) => {
    await using sandbox = await makeSandbox();
    const server = await startModelServer({ turns: [] });
    try {
      const { driver, cwd, environment, command } = await prepare(sandbox, server.url);
      const say = (conversation: Conversation, text: string) =>
        Array.fromAsync(conversation.prompt([{ type: "text", text }]));
      const open = async (resumeSessionId?: string) =>
        await (await driver()).open({ cwd, ...(resumeSessionId === undefined ? {} : { resumeSessionId }) });
      await using conversation = await open();
      await say(conversation, "First, here.");
      await say(conversation, "Second, here.");
      const { sessionId } = conversation;
      const [program = "", ...args] = command;
      const way = RESUME[agent as keyof typeof RESUME];
      const options = { cwd, env: environment };
      const there = await runProgram(program, [...args, ...way, sessionId, "Third, there."], options);
      expect(there).toMatchObject({ code: 0 });
      await expect(say(conversation, "Fourth, here.")).rejects.toMatchObject({ code: "session_live" });
      await using again = await open(sessionId);
      await say(again, "Fifth, here.");
      const asked = JSON.stringify(server.conversation().at(-1));
      expect(
        ["First, here.", "Second, here.", "Third, there.", "Fifth, here."].filter(
          (one) => !asked.includes(one),
        ),
      ).toEqual([]);
      expect(asked).not.toContain("Fourth, here.");
    } finally {
      await server.close();
    }
  },
);

// Codex 0.169.0 refuses a second writer itself.
test.each([claude, pi])(
  "$title: a turn ends with session_live when the agent gets a prompt in another terminal during the turn",
  async ({ agent, prepare }) => {
    await using sandbox = await makeSandbox();
    const server = await startModelServer(SLOW);
    try {
      const { driver, cwd, environment, command } = await prepare(sandbox, server.url);
      const ask = (words: string) => conversation.prompt([{ type: "text", text: words }]);
      await using conversation = await (await driver()).open({ cwd });
      await Array.fromAsync(ask("First, here."));
      const { sessionId } = conversation;
      const [program = "", ...args] = command;
      const way = RESUME[agent as keyof typeof RESUME];
      const options = { cwd, env: environment };
      const turn = async (): Promise<unknown> => {
        let there: Promise<unknown> | null = null;
        for await (const { type } of ask("Slowly, here.")) {
          if (type === "text")
            there ??= runProgram(program, [...args, ...way, sessionId, "Second, there."], options);
        }
        return await there;
      };
      await expect(turn()).rejects.toMatchObject({ code: "session_live", details: { began: true } });
      await expect(Array.fromAsync(ask("Third, here."))).rejects.toMatchObject({ code: "conflict" });
    } finally {
      await server.close();
    }
  },
);
