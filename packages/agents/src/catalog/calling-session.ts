/**
 * Finds the session of the agent that started this process: used when an agent's MCP server asks about its own
 * conversation.
 *
 * - the agent is the nearest parent process that has the name of an agent
 * - the session is the one that the process names in a note (Claude Code), or whose file it is writing (Codex)
 * - else it is one of the process's folder that was written to since the process started (Gemini CLI, pi, opencode)
 * - of several, or while another process of the agent works in that folder, it is the one that waits for the result of
 *   this call, if only one does so
 *
 * If that does not lead to exactly one session, the candidates are returned and none is chosen.
 */

import { AGENT_NAMES, type AgentName, present, type SessionInfo, textOf } from "@continuo/core/model";
import { ancestorsOf, canonicalFolder, type ParentProcess, type Places, programsIn } from "@continuo/files";
import { formatOf } from "@continuo/native";
import type { AgentReader, FoundSession } from "@continuo/native/kit";
import { rowsOf } from "./examples.ts";
import { byNewest } from "./rows.ts";

export interface CallingSessionOptions {
  readonly places: Places;
  /** The process that started this one. */
  readonly pid: number;
  /** The end of the name of the tool that the agent called. */
  readonly tool: string;
  readonly signal?: AbortSignal;
}

export interface CallingSession {
  /** `null` if no process above this one is an agent. */
  readonly agent: AgentName | null;
  /** `null` if it is unknown. */
  readonly session: SessionInfo | null;
  /** The candidates. Those of a folder are the newest first. */
  readonly choices: readonly SessionInfo[];
}

/** The number of sessions of a folder that are candidates, and are searched for a waiting call. */
const MAX_CHOICES = 20;
/** The tolerance between the start times of processes and the times of files. */
const ROUNDING_MS = 1_000;
/** The size of the end of a session that is searched for a waiting call. */
const END_BYTES: number = 1024 * 1024;

export async function findCallingSession(options: CallingSessionOptions): Promise<CallingSession> {
  const ancestors = ancestorsOf(options.pid) ?? [];
  const process = ancestors.find(({ names }) => agentIn(names) !== null);
  const agent = process === undefined ? null : agentIn(process.names);
  if (process === undefined || agent === null) return { agent: null, session: null, choices: [] };
  const reader = await formatOf(agent);
  const { choices, isProven } = await choicesOf(reader, process, { ...options, ancestors });
  const rows = choices.map(({ info }) => info);
  if (isProven && rows.length === 1) return { agent, session: rows[0] ?? null, choices: rows };
  const waiting: SessionInfo[] = [];
  for (const choice of choices) if (await isWaiting(reader, choice.found, options)) waiting.push(choice.info);
  return { agent, session: waiting.length === 1 ? (waiting[0] ?? null) : null, choices: rows };
}

function agentIn(names: readonly string[]): AgentName | null {
  return AGENT_NAMES.find((agent) => names.includes(agent)) ?? null;
}

interface Choice {
  readonly found: FoundSession;
  readonly info: SessionInfo;
}

interface Choices {
  readonly choices: readonly Choice[];
  /** True if a single candidate is certainly the session. */
  readonly isProven: boolean;
}

interface ChoiceOptions extends CallingSessionOptions {
  readonly ancestors: readonly ParentProcess[];
}

async function choicesOf(
  reader: AgentReader,
  process: ParentProcess,
  options: ChoiceOptions,
): Promise<Choices> {
  const { places, signal } = options;
  const looking = present({ memo: rowsOf(places), signal });
  const noted = reader.sessionOfProcess?.(process.pid, places) ?? null;
  const found = await Array.fromAsync(reader.find(places, looking));
  const skim = async (one: FoundSession): Promise<Choice> => ({
    found: one,
    info: await reader.skim(one, { part: "whole", ...looking }),
  });
  const same = found.filter(({ sessionId }) => sessionId === noted);
  if (same.length > 0) return { choices: await Promise.all(same.map(skim)), isProven: true };
  const writing = new Set(process.writing);
  const open = found.filter(
    ({ location, files }) => !location.includes("#") && files.some(({ path }) => writing.has(path)),
  );
  if (open.length > 0) return { choices: await Promise.all(open.map(skim)), isProven: true };
  const folder = canonicalFolder(process.cwd);
  const choices: Choice[] = [];
  for (const one of found) {
    const choice = await skim(one);
    const { cwd, updatedAt, title } = choice.info;
    // Gemini CLI creates a session at each start. A session without a message cannot have made the call.
    if (title === null) continue;
    const isOfFolder = cwd !== null && canonicalFolder(cwd) === folder;
    if (isOfFolder && lastWritten(one, updatedAt) >= (process.startedMs ?? 0) - ROUNDING_MS)
      choices.push(choice);
  }
  choices.sort((a, b) => byNewest(a.info, b.info));
  // Another process of the same agent may have written the session.
  const own = new Set(options.ancestors.map(({ pid }) => pid));
  const others = programsIn(folder, reader.agent)?.filter(({ pid }) => !own.has(pid)) ?? [];
  return { choices: choices.slice(0, MAX_CHOICES), isProven: others.length === 0 };
}

function lastWritten({ files, location }: FoundSession, updatedAt: string | null): number {
  if (location.includes("#")) return updatedAt === null ? 0 : Date.parse(updatedAt);
  return Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
}

/** True if one of the session's last calls is a call of the tool without a result. */
async function isWaiting(
  reader: AgentReader,
  found: FoundSession,
  { places, tool, signal }: CallingSessionOptions,
): Promise<boolean> {
  using session = await reader.open(found, places, present({ newestBytes: END_BYTES, signal }));
  const open = new Set<string>();
  for await (const { content } of session.history(signal === undefined ? {} : { signal })) {
    for (const block of content) {
      if (block.type === "tool_result" && textOf(block.content) !== "") open.delete(block.toolCallId);
      // The arguments may be a script that calls tools by their names.
      const isMeant = (name: string, args: unknown): boolean =>
        name.endsWith(tool) || JSON.stringify(args).includes(`__${tool}`);
      if (block.type === "tool_call" && isMeant(block.name, block.args)) open.add(block.id);
    }
  }
  return open.size > 0;
}
