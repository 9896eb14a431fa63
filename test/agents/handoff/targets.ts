/** All agents in one sandbox. Each can receive a session, verify it with its own program, and resume it. */

import { join } from "node:path";
import { type HandOff, handOff, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { expect } from "vitest";
import { type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { AGENTS, type AgentInSandbox, type AgentUnderTest, writtenOf } from "../append/begin.ts";
import type { Item } from "../items.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

export interface Targets extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  /** The environment variables of all agents, and `CONTINUO_HOME`. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Hands a session over, and lets the target verify and resume it. Returns the hand-over, and the items of the request
   * that the target sent.
   */
  goOn(session: HandedOver): Promise<{ readonly made: HandOff; readonly items: readonly Item[] }>;
}

interface HandedOver {
  readonly ref: string;
  readonly places: Places;
  readonly to: AgentUnderTest;
}

export async function openTargets(): Promise<Targets> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await makeSandbox());
  const server = stack.adopt(await startModelServer({}), (one) => one.close());
  const begun = new Map<AgentName, AgentInSandbox>();
  for (const { agent, open } of AGENTS) {
    const one = await open(sandbox, server.url);
    // opencode creates its database when it first runs.
    if (agent === "opencode") await one.begin("Hello.");
    begun.set(agent, one);
  }
  const homes = [...begun.values()].map(({ environment }) => environment);
  const env = Object.assign({ CONTINUO_HOME: join(sandbox.root, "continuo") }, ...homes);
  const all = stack.move();
  return {
    sandbox,
    server,
    env,
    async goOn({ ref, places, to: { agent, program } }) {
      const programs = { [agent]: program() };
      const made = await handOff(ref, { to: agent, cwd: sandbox.project, places, programs });
      expect(made.verification).toMatchObject({ by: expect.stringContaining(agent), outcome: "same" });
      const written = writtenOf(made);
      const resume = async (words: string) => begun.get(agent)?.resume(words, written);
      const own = { home: sandbox.root, env };
      const { sessionId } = written;
      return { made, items: await proveResumption({ agent, places: own, sessionId, server, resume }) };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
