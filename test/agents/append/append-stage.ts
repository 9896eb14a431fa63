/** An agent in a sandbox of its own, with a model server that answers one prompt. */

import type { Places } from "@continuo/agents";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import type { Item } from "../items.ts";
import { proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { AgentInSandbox, AgentUnderTest, SessionPlace } from "./begin.ts";

export interface AppendStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly begun: AgentInSandbox;
  readonly places: Places;
  /** Resumes a session and compares what is sent with the model view. */
  prove(session: SessionPlace): Promise<readonly Item[]>;
}

/** @param prompt that the model answers with "A word." */
export async function layOut({ agent, open }: AgentUnderTest, prompt: string): Promise<AppendStage> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await makeSandbox());
  const server = await startModelServer({ turns: [{ user: prompt, answers: [[text("A word.")]] }] });
  stack.defer(() => server.close());
  const begun = await open(sandbox, server.url);
  const places = { home: sandbox.root, env: begun.environment };
  const all = stack.move();
  const prove = (session: SessionPlace): Promise<readonly Item[]> =>
    proveResumption({
      agent,
      places,
      sessionId: session.sessionId,
      server,
      resume: (words) => begun.resume(words, session),
    });
  return { sandbox, server, begun, places, prove, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
