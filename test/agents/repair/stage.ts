/**
 * One session of a real agent, with thinking, two parallel calls of which one fails, and two turns. Tests damage it,
 * resume it, and restore it from a copy of the whole home, so that no trial affects the next one.
 */

import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import {
  type ModelServer,
  type ScriptedTurn,
  type Step,
  startModelServer,
  text,
  thinking,
  tool,
} from "../../model-servers/index.ts";
import type { AgentUnderTest, SessionPlace } from "../append/begin.ts";
import type { Item } from "../items.ts";
import { LAST_WORDS } from "../proof.ts";
import { normaliseRequest } from "../requests.ts";
import { makeSandbox } from "../sandbox.ts";

const COMPARE = "Compare the two notes.";
const CONCLUDE = "And what do you conclude?";

/** The result when the agent resumes a session. */
export interface ResumeResult {
  /** The items before the last prompt in the agent's request to its model, or `null` if it sent none. */
  readonly items: readonly Item[] | null;
  readonly failure: string | null;
}

export interface Stage extends AsyncDisposable {
  readonly session: SessionPlace;
  readonly places: Places;
  readonly server: ModelServer;
  /** Restores the home to its state after the conversation. */
  reset(): void;
  resume(): Promise<ResumeResult>;
}

type Read = (file: string) => Step;

const READS: Readonly<Record<AgentName, (project: string) => Read>> = {
  claude: (project) => (file) => tool("Read", { file_path: join(project, file) }),
  codex: () => (file) => tool("exec_command", { cmd: `cat ${file}` }),
  gemini: () => (file) => tool("read_file", { file_path: file }),
  pi: () => (file) => tool("read", { path: file }),
  opencode: (project) => (file) => tool("read", { filePath: join(project, file) }),
  copilot: (project) => (file) => tool("view", { path: join(project, file) }),
};

function turnsOf(read: Read): readonly ScriptedTurn[] {
  return [
    {
      user: COMPARE,
      answers: [
        [thinking("Both have to be read."), text("I read both."), read("one.md"), read("missing.md")],
        [text("One is short, the other is not there.")],
      ],
    },
    { user: CONCLUDE, answers: [[thinking("It is enough."), text("The second note is missing.")]] },
  ];
}

export async function openStage({ agent, open }: AgentUnderTest): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await makeSandbox());
  await sandbox.write("project/one.md", "A short note.\n");
  const server = await startModelServer({ turns: turnsOf(READS[agent](sandbox.project)) });
  stack.defer(() => server.close());
  const begun = await open(sandbox, server.url);
  const session = await begun.begin(COMPARE);
  await begun.resume(CONCLUDE, session);
  const home = begun.environment[HOME_VARIABLES[agent]] ?? "";
  const copy = join(sandbox.root, "as-it-was");
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  const all = stack.move();
  return {
    session,
    places: {
      home: sandbox.root,
      env: { ...begun.environment, CONTINUO_HOME: join(sandbox.root, "continuo") },
    },
    server,
    reset() {
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      rmSync(join(sandbox.root, "continuo"), { recursive: true, force: true });
      cpSync(copy, home, { recursive: true, preserveTimestamps: true });
    },
    async resume() {
      const before = server.requests.length;
      const failure = await begun.resume(LAST_WORDS, session).then(
        () => null,
        (error: unknown) => String(error),
      );
      const sent = server.requests
        .slice(before)
        .filter(({ kind }) => kind === "answer")
        .map(normaliseRequest)
        .find((items) => isSaid(items.at(-1)));
      return { items: sent?.slice(0, -1) ?? null, failure };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function isSaid(item: Item | undefined): boolean {
  return item?.kind === "text" && item.role === "user" && item.text === LAST_WORDS;
}
