/**
 * Asks an agent's program for its list of sessions, in a private home with a copy of one session. The home is private
 * because Gemini CLI deletes sessions that it does not list, and other agents write too. Claude Code prints no list
 * without a terminal, but it looks up a title in the same list.
 */

import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { execPath } from "node:process";
import { pathToFileURL } from "node:url";
import { type AgentName, isContinuoError } from "@continuo/core/model";
import { isJson, type Json, makeScratchFolder } from "@continuo/files";
import { createCalls } from "../process/index.ts";
import { CLAUDE_OFFLINE } from "./claude.ts";
import { CLOSED_URL, failed, runProgram, talkTo } from "./program.ts";
import type { StagedSession } from "./witness.ts";

export interface OwnListRequest extends StagedSession {
  /** The folder that the session names; `null` if it names none. */
  readonly cwd: string | null;
  /** The provider in the person's settings, for an agent whose list shows only one provider. */
  readonly provider: string | null;
  /** The name of the agent's folder in which the session lies. */
  readonly folder: string;
}

export interface ListAnswer {
  /** The agent and the way in which it was asked. */
  readonly by: string;
  readonly isShown: boolean;
}

/** `null` if the list cannot be asked about this session. Errors: `verification_failed` if the agent gives no list. */
export type OwnList = (asked: OwnListRequest) => Promise<ListAnswer | null>;

const LISTS: Readonly<Partial<Record<AgentName, OwnList>>> = {
  claude: askClaude,
  codex: askCodex,
  gemini: askGemini,
  opencode: askOpencode,
  pi: askPi,
};

/** `null` for an agent whose list cannot be asked without a terminal. */
export function ownListOf(agent: AgentName): OwnList | null {
  return LISTS[agent] ?? null;
}

/** Claude Code (2.1.332) finds a session in its list by a given title, but not by a title from the first prompt. */
async function askClaude(asked: OwnListRequest): Promise<ListAnswer | null> {
  const { customTitleOf, projectNameOf } = await import("@continuo/native/claude");
  const title = await customTitleOf(asked.file);
  if (title === null || asked.cwd === null || title.startsWith("-")) return null;
  const config = join(asked.scratch, "claude-list");
  const folder = join(config, "projects", asked.folder);
  makeScratchFolder(folder);
  copyFileSync(asked.file, join(folder, basename(asked.file)));
  const copy = randomUUID();
  const args = ["-p", "--resume", title, "--fork-session", "--session-id", copy, "/rename listed"];
  const env = {
    ...CLAUDE_OFFLINE,
    CLAUDE_CONFIG_DIR: config,
    // Claude Code uses the folder of the person's project, although it runs in another one.
    CLAUDE_CODE_PROJECT_DIR_NAME: projectNameOf(asked.cwd),
    CLAUDE_CODE_TMPDIR: join(asked.scratch, "tmp"),
  };
  const by = "claude --resume TITLE";
  try {
    await runProgram({ staged: asked, args, env });
    return { by, isShown: true };
  } catch (error) {
    if (!isContinuoError(error, "verification_failed") || !NO_SUCH_TITLE.test(error.message)) throw error;
    return { by, isShown: false };
  }
}

const NO_SUCH_TITLE = /requires a valid session ID or session title/u;

/** The request has no `sourceKinds`, so the list is the one that a person sees. */
async function askCodex(asked: OwnListRequest): Promise<ListAnswer> {
  const home = join(asked.scratch, ".codex");
  makeScratchFolder(home);
  writeFileSync(join(home, "auth.json"), '{"auth_mode":"apikey","OPENAI_API_KEY":"none"}\n', { mode: 0o600 });
  writeFileSync(join(home, "config.toml"), `openai_base_url = "${CLOSED_URL}/v1"\n`, { mode: 0o600 });
  await using talk = talkTo({ staged: asked, args: ["app-server"], env: { CODEX_HOME: home } });
  const { call, notify } = createCalls(talk);
  const clientInfo = { name: "continuo", version: "0" };
  await call({ method: "initialize", params: { clientInfo, capabilities: { experimentalApi: true } } });
  notify({ method: "initialized" });
  const params = asked.provider === null ? {} : { modelProviders: [asked.provider] };
  const { result } = await call({ method: "thread/list", params });
  return { by: "codex app-server", isShown: hasId(isJson(result) ? result.data : null, asked.sessionId) };
}

const GEMINI_SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
};

/** A damaged head names only the first eight characters of the id. */
const SHORT_ID = 8;

async function askGemini(asked: OwnListRequest): Promise<ListAnswer> {
  const config = join(asked.scratch, ".gemini");
  makeScratchFolder(config);
  writeFileSync(join(config, "settings.json"), JSON.stringify(GEMINI_SETTINGS), { mode: 0o600 });
  const env = {
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: CLOSED_URL,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  };
  const list = await runProgram({ staged: asked, args: ["--list-sessions"], env });
  return {
    by: "gemini --list-sessions",
    isShown: list.includes(`[${asked.sessionId.slice(0, SHORT_ID)}`),
  };
}

const MOST_ROWS = "100000";

async function askOpencode(asked: OwnListRequest): Promise<ListAnswer> {
  const args = ["session", "list", "--format", "json", "-n", MOST_ROWS];
  const list = await runProgram({ staged: asked, args, env: opencodeHome(asked.scratch) });
  const rows: unknown = list.includes("[") ? JSON.parse(list.slice(list.indexOf("["))) : [];
  return { by: "opencode session list", isShown: hasId(rows, asked.sessionId) };
}

/** The number of the session's messages that opencode itself reads. */
export async function exportedBy(asked: OwnListRequest): Promise<number> {
  const args = ["export", asked.sessionId];
  const text = await runProgram({ staged: asked, args, env: opencodeHome(asked.scratch) });
  const value: unknown = JSON.parse(text.slice(text.indexOf("{")));
  return isJson(value) && Array.isArray(value.messages) ? value.messages.length : 0;
}

function opencodeHome(scratch: string): Readonly<Record<string, string>> {
  return {
    XDG_CONFIG_HOME: join(scratch, "config"),
    XDG_DATA_HOME: join(scratch, ".local", "share"),
    XDG_STATE_HOME: join(scratch, "state"),
    XDG_CACHE_HOME: join(scratch, "cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
}

/** The code that asks the module with which pi draws its list, because pi prints no list. */
function piListSource(module: string, cwd: string | null): string {
  const list = cwd === null ? "listAll()" : `list(${JSON.stringify(cwd)})`;
  return `
const { SessionManager } = await import(${JSON.stringify(module)});
const rows = await SessionManager.${list};
process.stdout.write("\\n" + JSON.stringify(rows.map(({ id }) => ({ id }))));`;
}

async function askPi(asked: OwnListRequest): Promise<ListAnswer> {
  const [program = ""] = asked.program.slice(-1);
  const module = join(dirname(existsSync(program) ? realpathSync(program) : program), "index.js");
  if (!existsSync(module)) throw failed({ staged: asked }, "the module of its list is not next to it");
  const source = piListSource(pathToFileURL(module).href, asked.cwd);
  const args = ["--input-type=module", "--eval", source];
  const env = {
    PI_CODING_AGENT_DIR: join(asked.scratch, ".pi", "agent"),
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
  };
  const list = await runProgram({ staged: { ...asked, program: [execPath] }, args, env });
  const rows: unknown = JSON.parse(list.split("\n").at(-1) ?? "[]");
  return { by: "pi's SessionManager", isShown: hasId(rows, asked.sessionId) };
}

function hasId(rows: unknown, sessionId: string): boolean {
  return Array.isArray(rows) && rows.some((row) => isJson(row) && (row as Json).id === sessionId);
}
