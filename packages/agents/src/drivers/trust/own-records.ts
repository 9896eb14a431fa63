/**
 * The folders that an agent's own record trusts. A record that cannot be read trusts nothing; a setting that
 * trusts every folder does not count for this one.
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { isJson, type Json, type Places } from "@continuo/files";
import { agentOf } from "@continuo/native";
import { MAX_RECORD_BYTES } from "./limits.ts";

/** @param folders the folder, then those above it, up to the root of its repository. */
type OwnRecord = (folders: readonly string[], places: Places) => boolean;

/** Other agents bring their own rule, or none. */
const RECORDS: Readonly<Partial<Record<AgentName, OwnRecord>>> = {
  claude: isTrustedByClaude,
  codex: isTrustedByCodex,
  gemini: isTrustedByGemini,
  pi: isTrustedByPi,
  opencode: () => false,
};

export function isTrustedByAgent(agent: AgentName, folders: readonly string[], places: Places): boolean {
  const [folder] = folders;
  const own = folder !== undefined && agentOf(agent).isTrusted?.(folder, places);
  return RECORDS[agent]?.(folders, places) ?? own ?? false;
}

/** `projects[FOLDER].hasTrustDialogAccepted` of `.claude.json`: the answer to its dialog. Seen in 2.1.330. */
function isTrustedByClaude(folders: readonly string[], { home, env }: Places): boolean {
  const file = readRecord(join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"));
  const projects = objectIn(file.projects);
  return folders.some((folder) => objectIn(projects[folder]).hasTrustDialogAccepted === true);
}

/** `[projects."FOLDER"]` with `trust_level = "trusted"`, as Codex writes it (0.169.0). */
function isTrustedByCodex(folders: readonly string[], { home, env }: Places): boolean {
  const text = readText(join(env.CODEX_HOME || join(home, ".codex"), "config.toml"));
  let table: string | null = null;
  for (const line of text.split("\n")) {
    const header = /^\s*\[(.*)\]\s*(?:#.*)?$/u.exec(line)?.[1];
    if (header !== undefined) table = projectIn(header);
    else if (
      table !== null &&
      folders.includes(table) &&
      /^\s*trust_level\s*=\s*["']trusted["']/u.test(line)
    ) {
      return true;
    }
  }
  return false;
}

/** The path in `projects."PATH"` or `projects.'PATH'`. */
function projectIn(header: string): string | null {
  const [, quote, path = ""] = /^projects\.(["'])(.*)\1$/u.exec(header.trim()) ?? [];
  if (quote !== '"') return quote === undefined ? null : path;
  try {
    const value: unknown = JSON.parse(`"${path}"`);
    return typeof value === "string" ? value : null;
  } catch {
    // It is no path that Codex wrote.
    return null;
  }
}

/** The environment, or `trustedFolders.json`, where the longest rule that fits decides (0.61.0). */
function isTrustedByGemini(folders: readonly string[], { home, env }: Places): boolean {
  if (env.GEMINI_RESTRICTED_MODE === "true" || env.GEMINI_CLI_TRUST_WORKSPACE === "false") return false;
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true") return true;
  const file =
    env.GEMINI_CLI_TRUSTED_FOLDERS_PATH ||
    join(env.GEMINI_CLI_HOME || home, ".gemini", "trustedFolders.json");
  const rules = readRecord(file);
  for (const folder of folders) {
    if (rules[folder] === "DO_NOT_TRUST") return false;
    if (rules[folder] === "TRUST_FOLDER" || rules[folder] === "TRUST_PARENT") return true;
  }
  return false;
}

/** `trust.json` in its folder: the nearest decision counts (1.5.2). */
function isTrustedByPi(folders: readonly string[], { home, env }: Places): boolean {
  const agent = env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
  const decisions = readRecord(join(agent, "trust.json"));
  const nearest = folders.find((folder) => typeof decisions[folder] === "boolean");
  return nearest !== undefined && decisions[nearest] === true;
}

function readRecord(path: string): Json {
  try {
    return objectIn(JSON.parse(readText(path)));
  } catch {
    // A record that is none trusts nothing.
    return {};
  }
}

function readText(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_RECORD_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    // There is none, or it is none of ours to read.
    return "";
  }
}

function objectIn(value: unknown): Json {
  return isJson(value) ? value : {};
}
