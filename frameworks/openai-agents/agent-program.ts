/**
 * `node agent-program.ts STORE SESSION KILL_AT`: a program that kills itself, with an agent, a tool and a scripted
 * model. It dies before the call number KILL_AT of the session or of the model. Without KILL_AT it works to the end of
 * the conversation, and prints the number of calls.
 */

import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  tool,
  Usage,
} from "@openai/agents-core";
import { z } from "zod";
import { ContinuoSession } from "../../packages/openai-agents/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

const [url = "", sessionId = "", killAt = "0"] = process.argv.slice(2);
let calls = 0;

function countCall(): void {
  if (++calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

/** Returns the same object; each of its calls is counted before it is carried out. */
function counted<Thing extends object>(thing: Thing): Thing {
  return new Proxy(thing, {
    get: (target, key) => {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (key !== "getSessionId") countCall();
        return value.apply(target, args);
      };
    },
  });
}

/** It asks the tool twice, and then answers. */
class ScriptedModel implements Model {
  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const results = Array.isArray(input)
      ? input.filter(({ type }) => type === "function_call_result").length
      : 0;
    const output: ModelResponse["output"] =
      results < 2
        ? [
            {
              type: "function_call",
              callId: `call ${results}`,
              name: "look",
              arguments: "{}",
              status: "completed",
            },
          ]
        : [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "It is the cache." }],
            },
          ];
    return { usage: new Usage(), output };
  }

  // biome-ignore lint/correctness/useYield: the program never streams
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error("not asked for");
  }
}

await using store = await openStore(url, { migrate: true });
const session = counted(new ContinuoSession(store, { sessionId }));
const look = tool({
  name: "look",
  description: "looks",
  parameters: z.object({}),
  execute: () => "a stale file",
});
const agent = new Agent({ name: "builder", model: counted(new ScriptedModel()), tools: [look] });
const runner = new Runner({ tracingDisabled: true });

const before = await new ContinuoSession(store, { sessionId }).getItems();
const last = before.at(-1);
const isAnswered = last !== undefined && "role" in last && last.role === "assistant";
if (!isAnswered) await runner.run(agent, before.length === 0 ? "Why does it fail?" : [], { session });
process.stdout.write(`${calls}\n`);
