/** The chosen model receives the request, and a model that does not exist is reported. */

import type { OpenConversation } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { asText, type RequestRecord, startModelServer } from "../../model-servers/index.ts";
import { isWanted, PINNED } from "../install.ts";
import { makeSandbox } from "../sandbox.ts";
import type { Subject } from "./contract.ts";
import { claudeByAcp, codexByAcp } from "./subjects/adapters.ts";
import { claude } from "./subjects/claude.ts";
import { codex } from "./subjects/codex.ts";
import { gemini } from "./subjects/gemini.ts";
import { opencode } from "./subjects/opencode.ts";
import { pi } from "./subjects/pi.ts";

interface Choice {
  readonly subject: Subject;
  readonly model: string;
  /** The name of the model in a request. */
  readonly asked: RegExp;
  /** The outcome for a model that does not exist. */
  readonly unknown: "is an error that lists the models" | "is left to the model's server" | "is not tried";
}

const CHOICES: readonly Choice[] = [
  {
    subject: gemini,
    model: "gemini-2.5-pro",
    asked: /^gemini-2\.5-pro$/u,
    unknown: "is left to the model's server",
  },
  {
    subject: opencode,
    model: "scripted/scripted-2",
    asked: /^scripted-2$/u,
    unknown: "is an error that lists the models",
  },
  { subject: claude, model: "haiku", asked: /^claude-haiku/u, unknown: "is not tried" },
  { subject: codex, model: "gpt-6-luna", asked: /^gpt-6-luna$/u, unknown: "is not tried" },
  { subject: pi, model: "scripted-2", asked: /^scripted-2$/u, unknown: "is not tried" },
  ...(isWanted(PINNED.claudeAcp)
    ? ([1, 2] as const).map(
        (protocol): Choice => ({
          subject: claudeByAcp(protocol),
          model: "haiku",
          asked: /^claude-haiku/u,
          unknown: "is an error that lists the models",
        }),
      )
    : []),
  ...(isWanted(PINNED.codexAcp)
    ? ([1, 2] as const).map(
        (protocol): Choice => ({
          subject: codexByAcp(protocol),
          model: "gpt-6-luna",
          asked: /^gpt-6-luna$/u,
          unknown: "is an error that lists the models",
        }),
      )
    : []),
];

function modelOf({ path, body }: RequestRecord): string {
  return /\/models\/([^:]+):/u.exec(path)?.[1] ?? asText(body.model);
}

describe.each(CHOICES)("$subject.title", ({ subject, model, asked, unknown }) => {
  test("asks the chosen model, in a new session and in one that is resumed", async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { cwd, driver } = await subject.prepare(sandbox, server.url);
    const open = async (options: Partial<OpenConversation> = {}) =>
      await (await driver()).open({ cwd, ...options });
    const say = async (conversation: Awaited<ReturnType<typeof open>>, words: string): Promise<string> => {
      await Array.fromAsync(conversation.prompt([{ type: "text", text: words }]));
      const request = server.conversation().findLast(({ body }) => JSON.stringify(body).includes(words));
      return request === undefined ? "" : modelOf(request);
    };
    const usual = await open();
    expect(await say(usual, "The usual one, please.")).not.toMatch(asked);
    await usual.close();

    await using chosen = await open({ model });
    expect(await say(chosen, "Another one, please.")).toMatch(asked);
    await chosen.resumeSession(usual.sessionId);
    expect(await say(chosen, "Still another one?")).toMatch(asked);
  });

  if (unknown === "is not tried") return;
  test(`a model that does not exist ${unknown}`, async () => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { cwd, driver } = await subject.prepare(sandbox, server.url);
    const opening = (await driver()).open({ cwd, model: "no-such-model" });
    if (unknown === "is an error that lists the models") {
      const error = { code: "unsupported", hint: expect.stringContaining(model) };
      return await expect(opening).rejects.toMatchObject(error);
    }
    await using conversation = await opening;
    await Array.fromAsync(conversation.prompt([{ type: "text", text: "Are you there?" }]));
    expect(server.conversation().map(modelOf)).toContain("no-such-model");
  });
});
