/** Begins a session with each real agent, and resumes it for another turn. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type AdapterFormat, type HandOff, lookUpSession, type Places } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { asObjects, asText } from "../../model-servers/index.ts";
import { openClaude, projectFolderName } from "../claude/driver.ts";
import { callSdk } from "../claude/sdk.ts";
import { openCodex } from "../codex/driver.ts";
import { copilotPlaces, openCopilot, sessionFileIn } from "../copilot/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { PINNED, type PinnedName, packageFolder } from "../install.ts";
import { openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { createOwnReader } from "../pi/own-reader.ts";
import type { Sandbox } from "../sandbox.ts";

export interface SessionPlace {
  readonly sessionId: string;
  readonly sessionFile: string;
}

/** Returns the session that a hand-over made. A location in a database ends with `#` and the id of the session. */
export function writtenOf({ sessionId, location }: Pick<HandOff, "sessionId" | "location">): SessionPlace {
  return { sessionId: sessionId ?? "", sessionFile: (location ?? "").replace(/#[^/#]*$/u, "") };
}

/** One agent, ready to run in a sandbox. */
export interface AgentInSandbox {
  readonly environment: Readonly<Record<string, string>>;
  /** The file that holds all sessions of the agent, if there is only one such file. */
  readonly database?: string;
  /** Sends a prompt in a new session. */
  begin(words: string): Promise<SessionPlace>;
  resume(words: string, session: SessionPlace): Promise<unknown>;
  /** The agent's own list: titles by session id, `""` for a session without one. */
  titles(): Promise<ReadonlyMap<string, string>>;
}

export interface AgentUnderTest {
  readonly agent: AgentName;
  readonly format: AdapterFormat;
  /** The approximate length to which the agent itself cuts a result. */
  readonly longResultChars: number;
  /** The command that starts it. */
  readonly program: () => readonly string[];
  readonly open: (sandbox: Sandbox, modelUrl: string) => Promise<AgentInSandbox>;
}

export const AGENTS: readonly AgentUnderTest[] = [
  {
    agent: "claude",
    format: "ccsdk",
    longResultChars: 180_000,
    program: () => binary("claude"),
    open: beginClaude,
  },
  {
    agent: "codex",
    format: "codex",
    longResultChars: 180_000,
    program: () => script("codex"),
    open: beginCodex,
  },
  {
    agent: "pi",
    format: "pi-agent",
    longResultChars: 50_000,
    program: () => script("pi"),
    open: beginPi,
  },
  {
    agent: "gemini",
    format: "gemini",
    longResultChars: 45_000,
    program: () => script("gemini"),
    open: beginGemini,
  },
  {
    agent: "opencode",
    format: "opencode",
    longResultChars: 45_000,
    program: () => binary("opencode"),
    open: beginOpencode,
  },
  {
    agent: "copilot",
    format: "copilot",
    longResultChars: 15_000,
    program: () => binary("copilot"),
    open: beginCopilot,
  },
];

async function beginCopilot(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const copilot = await openCopilot(sandbox, modelUrl);
  return {
    environment: copilotPlaces(copilot),
    async begin(words) {
      const sessionId = randomUUID();
      await copilot.say(words, { sessionId });
      return { sessionId, sessionFile: sessionFileIn(copilot.home, sessionId) };
    },
    resume: (words, { sessionId }) => copilot.say(words, { resume: sessionId }),
    async titles() {
      await using acp = await copilot.acp();
      return titlesOf(asObjects((await acp.request("session/list", {})).sessions), "sessionId", "title");
    },
  };
}

function binary(name: PinnedName): readonly string[] {
  return [join(packageFolder(PINNED[name]), PINNED[name].proof)];
}

function script(name: PinnedName): readonly string[] {
  return [process.execPath, ...binary(name)];
}

async function beginClaude(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const claude = await openClaude(sandbox, modelUrl, "full");
  return {
    environment: { CLAUDE_CONFIG_DIR: claude.configFolder },
    async begin(words) {
      const sessionId = randomUUID();
      await claude.say([words], { sessionId });
      const folder = join(claude.configFolder, "projects", projectFolderName(sandbox.project));
      return { sessionId, sessionFile: join(folder, `${sessionId}.jsonl`) };
    },
    resume: (words, { sessionId }) => claude.say([words], { resume: sessionId }),
    async titles() {
      const rows = asObjects(await callSdk(sandbox, claude, "listSessions", [{ dir: sandbox.project }]));
      return titlesOf(rows, "sessionId", "customTitle");
    },
  };
}

/** Finds the location where an agent stored its own session. */
async function found(agent: AgentName, sessionId: string, places: Places): Promise<SessionPlace> {
  const { found: session } = await lookUpSession(`${agent}:${sessionId}`, { places });
  return { sessionId, sessionFile: session.location };
}

async function beginCodex(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const codex = await openCodex(sandbox, modelUrl);
  const environment = { CODEX_HOME: codex.home };
  return {
    environment,
    async begin(words) {
      const { threadId } = await codex.exec(words);
      return await found("codex", threadId, { home: sandbox.root, env: environment });
    },
    resume: (words, { sessionId }) => codex.exec(words, { resume: sessionId }),
    async titles() {
      await using app = await codex.appServer();
      const params = { modelProviders: [], sourceKinds: ["exec", "cli", "vscode", "appServer"] };
      return titlesOf(asObjects((await app.request("thread/list", params)).data), "id", "name");
    },
  };
}

async function beginPi(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const pi = await openPi(sandbox, modelUrl);
  const environment = { PI_CODING_AGENT_DIR: pi.home };
  return {
    environment,
    async begin(words) {
      const sessionId = randomUUID();
      await using talk = pi.talk({ sessionId });
      await talk.say(words);
      return { sessionId, sessionFile: await talk.sessionFile() };
    },
    async resume(words, { sessionFile }) {
      await using talk = pi.talk({ session: sessionFile });
      await talk.say(words);
    },
    async titles() {
      const rows = await createOwnReader(sandbox, pi, "pi").list();
      return new Map(rows.map(({ id, title }) => [id, title]));
    },
  };
}

async function beginGemini(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const gemini = await openGemini(sandbox, modelUrl);
  const environment = { GEMINI_CLI_HOME: gemini.home };
  return {
    environment,
    async begin(words) {
      const sessionId = randomUUID();
      await gemini.say(words, { sessionId });
      return await found("gemini", sessionId, { home: sandbox.root, env: environment });
    },
    resume: (words, { sessionId }) => gemini.say(words, { resume: sessionId }),
    async titles() {
      const { stdout, stderr } = await gemini.command(["--list-sessions"]);
      const rows = [...`${stdout}\n${stderr}`.matchAll(/^ +\d+\. (.*) \([^()]*\) \[([^\]]+)\]$/gmu)];
      return new Map(rows.map(([, title = "", id = ""]) => [id, title]));
    },
  };
}

async function beginOpencode(sandbox: Sandbox, modelUrl: string): Promise<AgentInSandbox> {
  const opencode = await openOpencode(sandbox, modelUrl);
  return {
    environment: { XDG_DATA_HOME: opencode.dataHome },
    database: opencode.database,
    async begin(words) {
      await using server = await opencode.serve();
      const sessionId = await server.create({ title: "A session" });
      await server.say(sessionId, words);
      return { sessionId, sessionFile: opencode.database };
    },
    async resume(words, { sessionId }) {
      await using server = await opencode.serve();
      await server.say(sessionId, words);
    },
    async titles() {
      const { stdout } = await opencode.command(["session", "list", "--format", "json"]);
      return titlesOf(asObjects(JSON.parse(stdout)), "id", "title");
    },
  };
}

function titlesOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  id: string,
  title: string,
): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [asText(row[id]), asText(row[title])]));
}
