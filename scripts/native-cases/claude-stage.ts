/** Claude Code in a sandbox, for the conversations that are recorded with it. */

import { join } from "node:path";
import { type Claude, type ClaudeMode, openClaude } from "../../test/agents/claude/driver.ts";
import { callSdk } from "../../test/agents/claude/sdk.ts";
import { makeSandbox, type Sandbox } from "../../test/agents/sandbox.ts";
import { type ModelServer, type Script, startModelServer } from "../../test/model-servers/index.ts";
import { inProject, TEA_PROJECT } from "./project.ts";

export const SESSION = "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";

export interface ClaudeStage {
  readonly sandbox: Sandbox;
  readonly claude: Claude;
  readonly server: ModelServer;
  readonly sdk: (name: string, ...args: readonly unknown[]) => Promise<unknown>;
}

export interface ClaudeCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  /** True for Claude Code with all its tools; otherwise it starts with `--bare`. */
  readonly full?: true;
  readonly script: Script;
  /** Holds the conversation; returns the session that is resumed afterwards, if it is not `SESSION`. */
  readonly hold: (
    stage: ClaudeStage,
  ) => Promise<{ readonly resume?: string; readonly cwd?: string } | undefined>;
}

/** A sandbox with the tea project, a scripted model, and Claude Code. */
export async function withClaude(
  script: Script,
  mode: ClaudeMode,
  hold: (stage: ClaudeStage) => Promise<void>,
): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  await using server = await startModelServer(inProject(script, sandbox));
  const claude = await openClaude(sandbox, server.url, mode);
  await hold({ sandbox, claude, server, sdk: (name, ...args) => callSdk(sandbox, claude, name, args) });
}
