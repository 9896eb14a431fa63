/** `resume`: starts the agent's own program on the terminal, in the session's folder. */

import { spawn } from "node:child_process";
import {
  type LocatedSession,
  type LookUpHit,
  lookUp,
  type OwnRow,
  refuseMoved,
} from "@continuo/agents/catalog";
import { handOver } from "@continuo/agents/conversations";
import { findProgram } from "@continuo/agents/drivers/process";
import { folderNotNamed, isAbsoluteFolder } from "@continuo/agents/handoff";
import {
  type AgentName,
  ContinuoError,
  commandLine,
  handOffCommand,
  isAgentName,
  isContinuoError,
  shellWord,
} from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { isFolder, type Places, placesOf, type WriterLock } from "@continuo/files";
import { formatOf, readNativeDetails, resumeCommandOf } from "@continuo/native";
import { refuseOpen, restoreGuardedSession } from "@continuo/native/editing";
import type { FoundSession } from "@continuo/native/kit";
import { lockNative } from "@continuo/native/writing";
import { locate, resumePriceLines } from "../notices/index.ts";
import { createOutput, type Shell, tildePath, writeNote } from "../terminal/index.ts";
import type { ResumeFlags } from "./flags.ts";
import { describeHandOff } from "./receipt.ts";

export interface Resume {
  readonly id: string;
  readonly args: readonly string[];
  readonly flags: ResumeFlags;
}

/** Returns the agent's own exit code. */
export async function runResume({ id, args, flags }: Resume, shell: Shell): Promise<number> {
  const located = await inPlace(await locate(id, shell), flags, shell);
  if (located.kind === "native" && flags.force !== true) refuseMoved(located.native.found, placesOf(shell));
  const { cwd, argv, opens } = await commandFor({ located, id, flags }, shell);
  if (opens !== null) await warnOfPrice(opens, shell);
  const all = [...argv, ...args];
  if (flags.print) {
    await createOutput(shell.stdout).write(`${visibleLine(commandLine(cwd, all))}\n`);
    return 0;
  }
  if (opens === null) return await run(all, cwd, shell);
  return await runAlone(opens, flags, () => run(all, cwd, shell));
}

/**
 * The session belongs to this program as long as the agent runs: no conversation and no edit of Continuo changes it
 * then.
 */
async function runAlone(
  { found, places }: NonNullable<Command["opens"]>,
  { force }: ResumeFlags,
  start: () => Promise<number>,
): Promise<number> {
  const { agent, sessionId } = found;
  const reader = await formatOf(agent);
  const hint = `Close it there first, continue a copy (\`continuo session fork ${shellWord(`${agent}:${sessionId}`)}\`), or add --force.`;
  let lock: WriterLock | null = null;
  try {
    lock = await lockNative({ agent, sessionId, places, hint });
    if (force !== true) await refuseOpen({ found, reader }, { hint });
  } catch (error) {
    lock?.release();
    if (force !== true || !isContinuoError(error, "session_live")) throw error;
  }
  try {
    reader.keepSafe?.(found, places);
    return await start();
  } finally {
    lock?.release();
  }
}

/** An agent opens a session only in its own folder: a session that it deleted is restored there. */
async function inPlace(located: LookUpHit, { print }: ResumeFlags, shell: Shell): Promise<LookUpHit> {
  const copy = located.kind === "native" ? located.native.copyOf : null;
  if (copy === null) return located;
  const mirror = copy.problems.find(({ code }) => code === "mirror");
  if (mirror !== undefined) {
    throw new ContinuoError("conflict", `session ${copy.sessionId} is a mirror: ${mirror.message}`, {
      hint: `Run \`continuo move ${shellWord(`${copy.agent}:${copy.sessionId}`)} --take-over\` when that machine is gone.`,
    });
  }
  if (print) return located;
  const { location } = await restoreGuardedSession(`${copy.agent}:${copy.sessionId}`, {
    places: placesOf(shell),
  });
  shell.stderr.write(`${visibleLine(`Put back: ${tildePath(location, shell.home)}`)}\n`);
  return await lookUp(location, { places: shell });
}

interface Command {
  readonly cwd: string;
  readonly argv: readonly string[];
  /** The earlier session; `null` for the new session of a hand-over. */
  readonly opens: Pick<LocatedSession, "found" | "places"> | null;
}

/** The error for a session without an answer, or whose last agent has no session of it that Continuo can read. */
function ofNoAgent({ sessionId, lastAgent, nativeRefs }: OwnRow): ContinuoError {
  const others = nativeRefs.filter(({ agent }) => agent !== lastAgent);
  const ways = [
    `continuo repl --resume ${shellWord(sessionId)}`,
    `continuo resume ${shellWord(sessionId)} --agent AGENT`,
  ].concat(others.map((ref) => `continuo resume ${shellWord(`${ref.agent}:${ref.sessionId}`)}`));
  const whose = lastAgent === null ? "no agent answered in it" : `${lastAgent} has no session of it`;
  return new ContinuoError("unsupported", `cannot resume ${sessionId}: ${whose}`, {
    hint: `Continue it with ${ways.map((way) => `\`${way}\``).join(" or ")}.`,
  });
}

/** Finds the native session of an own session in the named agent, otherwise in the agent that answered last. */
async function nativeOf(row: OwnRow, named: string | null, shell: Shell): Promise<LocatedSession | null> {
  const agent = named ?? row.lastAgent;
  const ref = row.nativeRefs.find((one) => one.agent === agent);
  if (ref === undefined || !isAgentName(ref.agent)) return null;
  try {
    const found = await lookUp(ref.location ?? `${ref.agent}:${ref.sessionId}`, { places: shell });
    return found.kind === "native" ? found.native : null;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

/** `claude` in `last:claude`. */
function agentIn(id: string): string | null {
  return /^last:(.+)$/u.exec(id)?.[1] ?? null;
}

/** Another agent answered since then, and the native session does not have its answer. */
function warnOfNewer({ sessionId, lastAgent }: OwnRow, agent: string, shell: Shell): void {
  if (lastAgent === null || lastAgent === agent) return;
  const command = `continuo resume ${shellWord(sessionId)} --agent ${agent}`;
  const text = `${lastAgent} answered since, which ${agent} does not know: \`${command}\` tells it everything`;
  writeNote([{ text: visibleLine(text), styles: ["dim"] }], shell);
}

interface ResumeTarget extends Pick<Resume, "id" | "flags"> {
  readonly located: LookUpHit;
}

async function commandFor({ located, id, flags }: ResumeTarget, shell: Shell): Promise<Command> {
  const places = placesOf(shell);
  const { agent } = flags;
  if (agent !== undefined && !isOf(located, agent)) {
    // Without the program nobody could open the new session, so none is made.
    if (!flags.print && findProgram(agent, shell.env.PATH ?? "", shell.cwd) === null)
      throw notInstalled(agent);
    // `resume` has no flag for another folder.
    if (located.kind === "native") await folderOf(located.native.found, agent, places);
    const made = await handOver(located, { places: shell, options: { to: agent, places } });
    // Standard output belongs to the printed command, or to the agent.
    shell.stderr.write(describeHandOff(made, flags, shell));
    return { cwd: made.cwd, argv: made.resumeCommand ?? [], opens: null };
  }
  const opens = await openedBy({ located, id, flags }, shell);
  const { found } = opens;
  const cwd = await folderOf(found, found.agent, places);
  return { cwd, argv: resumeCommandOf(found), opens };
}

/** Errors: `unsupported` for an own session that no agent has. */
async function openedBy({ located, id, flags }: ResumeTarget, shell: Shell): Promise<LocatedSession> {
  if (located.kind === "native") return located.native;
  const native = await nativeOf(located.row, flags.agent ?? agentIn(id), shell);
  if (native === null) throw ofNoAgent(located.row);
  warnOfNewer(located.row, native.found.agent, shell);
  return native;
}

/** An own session counts as one of the agent that answered last in it, if that agent has a native session of it. */
function isOf(located: LookUpHit, agent: AgentName): boolean {
  if (located.kind === "native") return located.native.found.agent === agent;
  const { lastAgent, nativeRefs } = located.row;
  return lastAgent === agent && nativeRefs.some((ref) => ref.agent === agent);
}

/** Errors: `usage`, `not_found`; the hint is a command that continues with the agent `to` in another folder. */
async function folderOf(found: FoundSession, to: AgentName, places: Places): Promise<string> {
  const { cwd } = await readNativeDetails(found, { places });
  const elsewhere = handOffCommand(found, to);
  if (!isAbsoluteFolder(cwd)) throw folderNotNamed(cwd, `Continue in a folder that you name: ${elsewhere}.`);
  if (isFolder(cwd)) return cwd;
  throw new ContinuoError("not_found", `the session's folder ${cwd} no longer exists`, {
    hint: `Create it again, or continue in another folder: ${elsewhere}.`,
  });
}

async function run(argv: readonly string[], cwd: string, shell: Shell): Promise<number> {
  const [program = "", ...args] = argv;
  // Ctrl-C is handled by the agent.
  using _held = shell.holdInterrupts();
  // Some agents trust `PWD` more than the current folder itself.
  const child = spawn(program, args, { cwd, env: { ...shell.env, PWD: cwd }, stdio: "inherit" });
  return await new Promise((done, refuse) => {
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const failed = new ContinuoError("agent_failed", `cannot start ${program}`, { cause });
      refuse(cause.code === "ENOENT" ? notInstalled(program) : failed);
    });
    child.once("close", (code) => done(code ?? 1));
  });
}

/** The whole context is sent again, which costs much, and may be unexpected. */
async function warnOfPrice(opens: NonNullable<Command["opens"]>, shell: Shell): Promise<void> {
  for (const text of await resumePriceLines(opens, shell)) writeNote([{ text, styles: ["dim"] }], shell);
}

function notInstalled(program: string): ContinuoError {
  return new ContinuoError("agent_missing", `${program} is not installed`, {
    hint: "Run `continuo agents` to see how to install it.",
  });
}
