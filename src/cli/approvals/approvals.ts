/** `continuo approvals list` and `answer`. */

import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { Approval, ApprovalStatus } from "@continuo/server/runtime";
import { linesOfRequest } from "../conversation/index.ts";
import {
  createOutput,
  type Paint,
  relativeTime,
  type Shell,
  screenOf,
  toJsonText,
  wrap,
} from "../terminal/index.ts";
import { type Desk, openDesk } from "./desk.ts";
import type { AnswerFlags, ListFlags, Outcome } from "./flags.ts";

/**
 * The lists show this much of an id, and an answer needs as much. An id is a hash of the question, which an agent can
 * choose: with fewer digits, it could ask a second question whose id begins like that of a harmless first one.
 */
const SHORT_ID = 12;
const BEGINNING_OF_ID = /^[\da-f]{12,31}$/u;

export async function runList(flags: ListFlags, shell: Shell): Promise<number> {
  await using desk = await openDesk(flags, shell);
  const approvals = await desk.list(flags.status);
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(approvals, 2)}\n`);
  else if (approvals.length === 0) shell.stderr.write(NONE[flags.status]);
  else {
    const screen = screenOf(shell, shell.stdout);
    const columns = screen.isTerminal ? screen.columns : null;
    await output.write(approvals.map((approval) => textOf(approval, shell.now, columns)).join("\n"));
    if (flags.status === "open")
      shell.stderr.write("Answer one with `continuo approvals answer ID granted` or `denied`.\n");
  }
  return 0;
}

const NONE: Readonly<Record<ListFlags["status"], string>> = {
  open: "No question waits for an answer.\n",
  granted: "No question was granted.\n",
  denied: "No question was denied.\n",
  cancelled: "No question was cancelled.\n",
  all: "No agent has asked a question.\n",
};

/** Everything that the answer allows is shown, because a person must not grant what they have not seen. */
function textOf(approval: Approval, now: Date, columns: number | null): string {
  const { agent, sessionId, requestedAt, grantedBefore } = approval;
  const asked = `asked by ${agent} in ${sessionId}, ${relativeTime(requestedAt, now)}`;
  const lines = [`${headOf(approval)}  ${visibleLine(asked)}`, ...linesOfRequest(approval)];
  if (grantedBefore !== undefined)
    lines.push("granted before, in an attempt that was cut off: it may already have run");
  if (approval.status !== "open") lines.push(answerText(approval));
  return `${lines.flatMap((line) => fitted(line, columns)).join(`\n${INDENT}`)}\n`;
}

const INDENT = "    ";

/** Breaks a long line: if the terminal broke it, it would continue at the left edge and could look like a question. */
function fitted(line: string, columns: number | null): readonly string[] {
  return columns === null ? [line] : wrap([{ text: line }], Math.max(8, columns - INDENT.length), PLAIN);
}

const PLAIN: Paint = (text) => text;

function headOf({ id, toolName, title }: Approval): string {
  return `${visibleLine(id).slice(0, SHORT_ID)}  ${visibleLine(toolName ?? title ?? "a question")}`;
}

function answerText({ status, by, reason }: Approval): string {
  return visibleLine([status, ...(by ? [`by ${by}`] : []), ...(reason ? [`(${reason})`] : [])].join(" "));
}

interface TypedAnswer {
  /** An id, or the beginning of one. */
  readonly id: string;
  readonly outcome: Outcome;
}

export async function runAnswer(typed: TypedAnswer, flags: AnswerFlags, shell: Shell): Promise<number> {
  await using desk = await openDesk(flags, shell);
  const id = await idOf(typed.id, desk);
  const answer = present({ outcome: typed.outcome, reason: flags.reason });
  const approval = await desk.answer(id, answer).catch((error: unknown) => {
    throw isContinuoError(error, "not_found") ? unknown(typed.id, error) : error;
  });
  const text = flags.json ? toJsonText(approval) : `${headOf(approval)}  ${answerText(approval)}`;
  shell.stdout.write(`${text}\n`);
  return 0;
}

const STATUSES: readonly ApprovalStatus[] = ["open", "granted", "denied", "cancelled"];

/**
 * Returns the whole id of the approval that the person means. A typed beginning is compared only with Continuo's ids,
 * and not with the id that the agent gave its question, because the agent can choose that one. Errors: `ambiguous`,
 * `not_found`.
 */
async function idOf(typed: string, desk: Desk): Promise<string> {
  const beginning = typed.toLowerCase();
  if (!BEGINNING_OF_ID.test(beginning)) return typed;
  const lists = await Promise.all(STATUSES.map((status) => desk.list(status)));
  const [first, ...more] = lists.flat().filter(({ id }) => id.startsWith(beginning));
  if (first === undefined) throw unknown(typed);
  if (more.length === 0) return first.id;
  throw new ContinuoError("ambiguous", `${more.length + 1} approvals begin with ${beginning}`, {
    hint: "Use the whole id, as `continuo approvals --json` prints it.",
  });
}

function unknown(typed: string, cause?: ContinuoError): ContinuoError {
  return new ContinuoError("not_found", `there is no approval ${typed}`, {
    hint: "Run `continuo approvals` to see the open ones, with the same --store or --server, and type all that it shows of an id.",
    ...present({ cause }),
  });
}
