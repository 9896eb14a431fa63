/** pi reads a session back: `pi --mode rpc` opens it and gives its messages (1.5.2). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@continuo/core/model";
import { isJson, makeScratchFolder } from "@continuo/files";
import { piFormat, recogniseFile, toMessage } from "@continuo/native/pi";
import { createCalls } from "../process/index.ts";
import { CLOSED_URL, talkTo } from "./program.ts";
import type { StagedSession, Testimony } from "./witness.ts";

/** pi does not start without a model. */
const MODELS = {
  providers: {
    none: {
      baseUrl: `${CLOSED_URL}/v1`,
      api: "openai-completions",
      apiKey: "none",
      models: [
        {
          id: "none",
          name: "none",
          reasoning: true,
          input: ["text", "image"],
          contextWindow: 128_000,
          maxTokens: 4096,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        },
      ],
    },
  },
};

const ALONE = ["--no-context-files", "--no-skills", "--no-prompt-templates", "--no-extensions"];

export async function piWitness(staged: StagedSession): Promise<Testimony> {
  const home = join(staged.scratch, ".pi", "agent");
  makeScratchFolder(home);
  writeFileSync(join(home, "models.json"), JSON.stringify(MODELS), { mode: 0o600 });
  writeFileSync(join(home, "settings.json"), '{"defaultProvider":"none","defaultModel":"none"}', {
    mode: 0o600,
  });
  const env = { PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" };
  const args = ["--mode", "rpc", ...ALONE, "--session", staged.file];
  await using talk = talkTo({ staged, args, env });
  const { data } = await createCalls(talk).call({ type: "get_messages" });
  const raw = isJson(data) && Array.isArray(data.messages) ? data.messages : [];
  const messages = raw.map((message, at) =>
    toMessage(
      { place: {}, id: String(at), value: { type: "message", message } },
      { native: false, callOf: () => undefined, keptMessageId: null },
    ),
  );
  return { by: "pi --mode rpc", depth: "all", history: [...messages, ...(await modelChosenLast(staged))] };
}

/** `get_messages` does not say which model the person chose after the last answer. */
async function modelChosenLast({ file, home }: StagedSession): Promise<readonly Message[]> {
  const found = await recogniseFile(file, home);
  if (found === null) return [];
  using opened = await piFormat.open(found, home, {});
  const history = await Array.fromAsync(opened.history());
  const answer = history.findLastIndex(({ role }) => role === "assistant");
  return history.slice(answer + 1).filter(({ metadata: { pi } }) => isJson(pi) && pi.type === "model_change");
}
