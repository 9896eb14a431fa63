/** Codex in a sandbox, for the conversations that are recorded with it. */

import { join } from "node:path";
import { type Codex, openCodex } from "../../test/agents/codex/driver.ts";
import { makeSandbox, type Sandbox } from "../../test/agents/sandbox.ts";
import { type ModelServer, type Script, startModelServer } from "../../test/model-servers/index.ts";
import { inProject, TEA_PROJECT } from "./project.ts";

export interface CodexStage {
  readonly sandbox: Sandbox;
  readonly codex: Codex;
  readonly server: ModelServer;
}

export interface CodexCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  readonly script: Script;
  /** Holds the conversation; returns the thread that is resumed afterwards. */
  readonly hold: (stage: CodexStage) => Promise<string>;
  /** Changes the home before Codex resumes the session. */
  readonly beforeResume?: (stage: CodexStage, threadId: string) => Promise<unknown>;
}

/** A sandbox with the tea project, a scripted model, and Codex. */
export async function withCodex(script: Script, hold: (stage: CodexStage) => Promise<void>): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  await using server = await startModelServer(inProject(script, sandbox));
  await hold({ sandbox, server, codex: await openCodex(sandbox, server.url) });
}
