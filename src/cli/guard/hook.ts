/**
 * `continuo guard hook`: a hook of an agent reports that the agent has a session open, and shows the person which
 * other program has it open. No error ends this command, because an agent treats the exit code of a hook as an
 * answer.
 */

import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { ancestorsOf, noteHolder, type ParentProcess, placesOf, removeHolder } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { type OtherProgram, othersWith } from "@continuo/native/writing";
import { createOutput, type Shell } from "../terminal/index.ts";
import { type HookEvent, readEvent } from "./hook-event.ts";

export interface HookFlags {
  readonly agent?: AgentName;
  readonly session?: string;
  /** True if the agent closes the session that `session` names. */
  readonly end?: true;
  readonly block?: true;
}

const PROMPT_EVENTS: ReadonlySet<string> = new Set(["UserPromptSubmit", "BeforeAgent"]);
const LAST_EVENT = "SessionEnd";

export async function runHook(flags: HookFlags, shell: Shell): Promise<number> {
  const event = await eventOf(flags, shell);
  const ancestors = ancestorsOf(process.pid) ?? [];
  const caller = callerIn(ancestors, flags.agent);
  if (event === null || caller === null) return 0;
  const { pid, agent } = caller;
  const session = { agent, sessionId: event.sessionId, places: placesOf(shell) };
  if (event.name === LAST_EVENT) {
    removeHolder(session, pid);
    return 0;
  }
  const own = new Set(ancestors.map((one) => one.pid));
  const others = othersWith({
    ...session,
    reader: await formatOf(agent),
    files: event.file === null ? [] : [event.file],
    isOwn: (one) => own.has(one) || one === process.pid,
  });
  noteHolder(session, { pid, program: agent, since: shell.now.toISOString() });
  if (others.length > 0) await warn(others, flags.block === true && PROMPT_EVENTS.has(event.name), shell);
  return 0;
}

/** Some agents name the session by flags instead of an event on standard input. */
async function eventOf({ session, end }: HookFlags, shell: Shell): Promise<HookEvent | null> {
  if (session === undefined) return await readEvent(shell);
  return { name: end === true ? LAST_EVENT : "", sessionId: session, file: null };
}

interface Caller {
  readonly pid: number;
  readonly agent: AgentName;
}

/**
 * The nearest process above this one that has the name of an agent; if an agent is named, only a process with the name
 * of that agent counts.
 */
function callerIn(ancestors: readonly ParentProcess[], named: AgentName | undefined): Caller | null {
  for (const { pid, names } of ancestors) {
    const agent = AGENT_NAMES.find((one) => names.includes(one) && (named === undefined || one === named));
    if (agent !== undefined) return { pid, agent };
  }
  return null;
}

async function warn(others: readonly OtherProgram[], isBlocked: boolean, shell: Shell): Promise<void> {
  const who = others.map(({ program, pid }) => `${program} (process ${pid})`).join(", ");
  const text = visibleLine(
    `This session is open in ${who} too. Neither program sees the messages of the other one: close one of them, or continue a copy.`,
  );
  const answer = isBlocked ? { decision: "block", reason: text } : { systemMessage: text };
  await createOutput(shell.stdout).write(`${JSON.stringify(answer)}\n`);
}
