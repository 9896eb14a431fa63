/** `continuo` and `continuo pick`: the picker over all sessions, and over the candidates for another command. */

import {
  isOwn,
  type ListedSession,
  listCatalog,
  nameOf,
  type OwnRow,
  rowsByIdPrefix,
} from "@continuo/agents/catalog";
import { ContinuoError, isAgentName } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { resumeWork } from "../handoff/index.ts";
import { startIndexingOf } from "../indexing/index.ts";
import { replWork } from "../repl/index.ts";
import { listWork } from "../session/index.ts";
import { createOutput, createProgress, plural, type SessionWish, type Shell } from "../terminal/index.ts";
import { toEntries } from "./filter.ts";
import { openPicker } from "./picker.ts";
import { type Purpose, startPicking } from "./state.ts";

export interface PickFlags {
  readonly print?: true;
}

/** This many rows are read before the picker opens; the others follow while the person looks at the first ones. */
const FIRST = 200;
/** The exit code of `--print` if nothing was chosen. */
const NOTHING_CHOSEN = 1;

/** Errors: `usage` if there is no terminal. */
export async function runPick(query: string, flags: PickFlags, shell: Shell): Promise<number> {
  const out = flags.print ? shell.stderr : shell.stdout;
  assertTerminal(out, shell);
  const { sessions, message, isWhole } = await newest(shell);
  if (sessions.length === 0) {
    if (!flags.print) return await listWork(shell);
    throw new ContinuoError("not_found", "no session yet", {
      hint: "Run `continuo list` to see where Continuo looked.",
    });
  }
  await startIndexingOf(sessions.length, shell);
  const purpose: Purpose = flags.print ? { type: "choose", verb: "print", many: true } : { type: "browse" };
  const state = startPicking(toEntries(sessions), { message, query, isWhole, purpose });
  const end = await openPicker(state, { shell, out, isLive: true });
  switch (end.type) {
    case "leave":
      return flags.print && end.exitCode === 0 ? NOTHING_CHOSEN : end.exitCode;
    case "take": {
      const names = end.entries.map(({ info }) => `${visibleLine(shortName(info, sessions))}\n`);
      await createOutput(shell.stdout).write(names.join(""));
      return 0;
    }
    case "chat":
      return await replWork(isOwn(end.entry.info) ? end.entry.info.sessionId : nameOf(end.entry.info), shell);
    case "resume": {
      const { info } = end.entry;
      return isOwn(info) && !isResumable(info)
        ? await replWork(info.sessionId, shell)
        : await resumeWork(nameOf(info), shell);
    }
  }
}

/** Returns true if the agent that answered last has a native session of this conversation. */
function isResumable({ lastAgent, nativeRefs }: OwnRow): boolean {
  return isAgentName(lastAgent ?? "") && nativeRefs.some(({ agent }) => agent === lastAgent);
}

/** `AGENT:ID`, or the place of a session that shares its id with another one. */
function shortName(info: ListedSession, sessions: readonly ListedSession[]): string {
  const { agent, sessionId } = info;
  const isTwin = sessions.filter((one) => one.agent === agent && one.sessionId === sessionId).length > 1;
  return isTwin ? nameOf(info) : `${agent}:${sessionId}`;
}

/**
 * Lets the person choose the sessions for a command. Errors: `interrupted` if the person chose none; `not_found` if
 * there are none.
 */
export async function chooseSessions(wish: SessionWish, shell: Shell): Promise<readonly string[]> {
  const { verb, many, prefix } = wish;
  const { sessions, message, isWhole } =
    prefix === null
      ? await newest(shell)
      : { sessions: await rowsByIdPrefix(prefix, { places: shell }), message: null, isWhole: true };
  if (sessions.length === 0) {
    throw new ContinuoError("not_found", "no session yet", {
      hint: "Run `continuo list` to see where Continuo looked.",
    });
  }
  const purpose: Purpose = { type: "choose", verb, many };
  const state = startPicking(toEntries(sessions), { message, isWhole, purpose });
  const end = await openPicker(state, { shell, out: outOf(shell), isLive: prefix === null });
  if (end.type === "take") return end.entries.map(({ info }) => nameOf(info));
  throw new ContinuoError("interrupted", "no session was chosen");
}

/** Standard output may be reserved for the result of the command. */
function outOf({ stdout, stderr }: Shell): NodeJS.WriteStream {
  return stdout.isTTY === true ? stdout : stderr;
}

function assertTerminal(out: NodeJS.WriteStream, { stdin, env }: Shell): void {
  if (stdin.isTTY === true && out.isTTY === true && env.TERM !== "dumb") return;
  throw new ContinuoError("usage", "cannot open the picker without a terminal", {
    hint: "Run `continuo session list` to print the sessions.",
  });
}

interface Newest {
  readonly sessions: readonly ListedSession[];
  readonly message: string | null;
  readonly isWhole: boolean;
}

async function newest(shell: Shell): Promise<Newest> {
  using progress = createProgress(shell);
  const onProgress = (looked: number): void => progress.show(() => `looked at ${plural(looked, "session")}`);
  const { sessions, error, total } = await listCatalog({ limit: FIRST, onProgress }, { places: shell });
  const message = error === null ? null : `cannot list Continuo's own sessions: ${error.message}`;
  return { sessions, message, isWhole: total <= sessions.length };
}
