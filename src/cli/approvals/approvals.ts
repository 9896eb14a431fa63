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

/** The lists show this much of an id. */
const SHORT_ID = 8;
const BEGINNING_OF_ID = /^[\da-f]{4,31}$/u;

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

const NONE: Readonly<Record<ApprovalStatus, string>> = {
  open: "No question waits for an answer.\n",
  granted: "No question was granted.\n",
  denied: "No question was denied.\n",
  cancelled: "No question was cancelled.\n",
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

/** A line that the terminal breaks would continue at its left edge, and could look like another question. */
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
  const id = await idOf(typed.id.toLowerCase(), desk);
  const answer = present({ outcome: typed.outcome, reason: flags.reason });
  const approval = await desk.answer(id ?? typed.id, answer).catch((error: unknown) => {
    if (!isContinuoError(error, "not_found")) throw error;
    throw new ContinuoError("not_found", `there is no approval ${typed.id}`, {
      hint: "Run `continuo approvals` to see the open ones, with the same --store or --server.",
      cause: error,
    });
  });
  const text = flags.json ? toJsonText(approval) : `${headOf(approval)}  ${answerText(approval)}`;
  shell.stdout.write(`${text}\n`);
  return 0;
}

const ANSWERED: readonly ApprovalStatus[] = ["granted", "denied", "cancelled"];

/** Open questions have priority. `null` if no id begins in this way. Errors: `ambiguous`. */
async function idOf(beginning: string, desk: Desk): Promise<string | null> {
  if (!BEGINNING_OF_ID.test(beginning)) return null;
  for (const statuses of [["open"] as const, ANSWERED]) {
    const lists = await Promise.all(statuses.map((status) => desk.list(status)));
    const [first, ...more] = lists.flat().filter(({ id }) => id.startsWith(beginning));
    if (more.length > 0) {
      throw new ContinuoError("ambiguous", `${more.length + 1} approvals begin with ${beginning}`, {
        hint: "Use the whole id, as `continuo approvals --json` prints it.",
      });
    }
    if (first !== undefined) return first.id;
  }
  return null;
}
