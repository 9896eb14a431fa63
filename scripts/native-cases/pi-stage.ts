/** pi in a sandbox, for the conversations that are recorded with it. */

import { join } from "node:path";
import { openPi, type Pi } from "../../test/agents/pi/driver.ts";
import { makeSandbox, type Sandbox } from "../../test/agents/sandbox.ts";
import { type ModelServer, type Script, startModelServer } from "../../test/model-servers/index.ts";
import { inProject, TEA_PROJECT } from "./project.ts";

export const SESSION = "01997c1e-5b00-7a11-8c22-9d33ae44bf55";

export interface PiStage {
  readonly sandbox: Sandbox;
  readonly pi: Pi;
  readonly server: ModelServer;
}

export interface PiCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  /** With the skills and prompts of the home. */
  readonly withSkills?: true;
  readonly script: Script;
  /** Holds the conversation; returns the file of the session that is resumed afterwards. */
  readonly hold: (stage: PiStage) => Promise<string>;
}

export async function talkAnew(pi: Pi, said: readonly string[]): Promise<string> {
  await using talk = pi.talk({ sessionId: SESSION });
  for (const words of said) await talk.say(words);
  return await talk.sessionFile();
}

/** A sandbox with the tea project, a scripted model, and pi. */
export async function withPi(
  script: Script,
  hold: (stage: PiStage) => Promise<void>,
  { withSkills }: Pick<PiCase, "withSkills"> = {},
): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  await using server = await startModelServer(inProject(script, sandbox));
  const pi = await openPi(sandbox, server.url);
  await hold({
    sandbox,
    server,
    pi: { ...pi, talk: (start) => pi.talk({ ...(withSkills && { withSkills }), ...start }) },
  });
}
