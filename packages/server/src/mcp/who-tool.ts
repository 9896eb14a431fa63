/** `who`: from lines of a file to the turns that wrote them. */

import { resolve } from "node:path";
import { type FileOriginsOptions, openOrigins, readFileLines } from "@continuo/agents/search";
import { ContinuoError, type FileBlame, type LineOrigin } from "@continuo/core/model";
import { cutMiddle, visibleLine } from "@continuo/core/transcript";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote } from "./answer.ts";
import { MCP_LIMITS } from "./limits.ts";
import { isPlainName, isVisible, nameFor } from "./sessions.ts";
import { defineTool, maxTokensInput, type Tool } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";

const input = z.object({
  file: z.string().min(1).max(MCP_LIMITS.nameChars).describe("the path of a file below your folder"),
  line: z.number().int().min(1).optional().describe("the first line (default: the whole file)"),
  lastLine: z.number().int().min(1).optional().describe("the last line (default: only the first)"),
  maxTokens: maxTokensInput,
});

export const whoTool: Tool = defineTool({
  name: "who",
  title: "Who wrote these lines",
  description:
    "Show which turns of which sessions wrote lines of a file, over all agents, with the prompts that they answer: the reason for a line of code. Call it before you change or remove code whose reason you do not know. A line without a turn was written by a person, by a command, or before all sessions.",
  input,
  output: z.object({
    note: z.string(),
    file: z.string(),
    runs: z.array(
      z.object({
        from: z.number(),
        to: z.number(),
        session: z.string().nullable(),
        turn: z.number().nullable(),
        at: z.string().nullable(),
        prompt: z.string().nullable(),
        before: z.array(z.string()),
      }),
    ),
    formerPaths: z.array(z.string()),
    leftOut: z.number(),
    notRead: z.number(),
  }),
  async call({ file, line, lastLine, maxTokens = MCP_LIMITS.answerTokens }, context, signal) {
    const { places } = context;
    const path = resolve(places.cwd, file);
    // Only an agent of this machine has a folder, and no file outside of it is read.
    const lines = readFileLines(path, context.callerPid === null ? [] : [places.cwd]);
    const range = rangeOf(line, lastLine, lines.length);
    const blame = await openOrigins(await originsOptions(context, signal)).ofFile(path, lines);
    const runs = runsOf(blame, range, context);
    return largestWithin(runs.length, maxTokens, (count) => toAnswer(file, blame, runs, count));
  },
});

/** Only sessions that the caller may see are named as writers. */
export async function originsOptions(context: ToolContext, signal: AbortSignal): Promise<FileOriginsOptions> {
  const { places, exclude, nowMs, onUnindexed } = context;
  return {
    places,
    signal,
    onUnindexed,
    exclude: await exclude(),
    nowMs: nowMs(),
    isVisible: (session) => isVisible(session, context),
  };
}

interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Errors: `usage`, `out_of_range`. */
function rangeOf(line: number | undefined, lastLine: number | undefined, ofLines: number): LineRange {
  if (line === undefined && lastLine === undefined) return { from: 1, to: ofLines };
  if (line === undefined) {
    throw new ContinuoError("usage", "`lastLine` is given without `line`", {
      hint: "Give `line` too: the first line.",
    });
  }
  const to = lastLine ?? line;
  if (to < line) {
    throw new ContinuoError("usage", `\`lastLine\` ${to} comes before \`line\` ${line}`, {
      hint: "Give the smaller number as `line`.",
    });
  }
  if (to > ofLines) {
    throw new ContinuoError("out_of_range", `the file has no line ${to}`, {
      hint: ofLines === 0 ? "Leave out `line`: the file is empty." : `Give lines from 1 to ${ofLines}.`,
    });
  }
  return { from: line, to };
}

/** Consecutive lines that one turn wrote; `null` if no turn did. */
interface Run {
  readonly from: number;
  to: number;
  readonly session: string | null;
  readonly turn: number | null;
  readonly at: string | null;
  readonly prompt: string | null;
  readonly before: readonly string[];
}

const PROMPT_CHARS = 200;

function runsOf(
  { lines, origins }: FileBlame,
  { from, to }: LineRange,
  { mask }: ToolContext,
): readonly Run[] {
  const runs: Run[] = [];
  for (const { line, origin, others, earlier } of lines.slice(from - 1, to)) {
    const writer = origin === null ? undefined : origins[origin];
    const before = [...others, ...earlier].flatMap((at) => placeOf(origins[at]));
    const session = writer === undefined ? null : nameFor(writer);
    const last = runs.at(-1);
    const isSame = last?.session === session && last.turn === (writer?.turn ?? null);
    if (last !== undefined && isSame && last.before.join() === before.join()) last.to = line;
    else {
      const prompt = writer?.prompt ?? null;
      runs.push({
        from: line,
        to: line,
        session,
        turn: writer?.turn ?? null,
        at: writer?.at ?? null,
        prompt: prompt === null ? null : cutMiddle(mask(prompt), PROMPT_CHARS),
        before,
      });
    }
  }
  return runs;
}

function placeOf(origin: LineOrigin | undefined): string[] {
  return origin === undefined ? [] : [`${nameFor(origin)} turn ${origin.turn}`];
}

function toAnswer(
  file: string,
  { formerPaths, left, sessions }: FileBlame,
  runs: readonly Run[],
  count: number,
): Answer {
  const shown = runs.slice(0, count);
  const notRead = left.sessions + left.unreadable + left.unsearched;
  const leftOut = runs.length - count;
  const head = [
    `${sessions} ${sessions === 1 ? "session names" : "sessions name"} the file.`,
    formerPaths.length === 0 ? "" : "It had another name before.",
    leftOut === 0 ? "" : `${leftOut} runs of lines are left out: ask for fewer lines.`,
    notRead === 0 ? "" : `${notRead} sessions were not searched or read.`,
    QUOTED_NOTE,
  ].filter((one) => one !== "");
  const body = shown.map(lineOf).join("\n");
  return {
    text: `${head.join(" ")}\n${quote(body === "" ? "no lines" : body)}`,
    data: { note: DATA_NOTE, file, runs: shown, formerPaths: formerPaths.map(visibleLine), leftOut, notRead },
  };
}

function lineOf({ from, to, session, turn, at, prompt, before }: Run): string {
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  if (session === null) return `${lines}: no session`;
  const name = isPlainName(session) ? session : visibleLine(session);
  const more = before.length === 0 ? "" : `; before: ${before.map(visibleLine).join(", ")}`;
  return `${lines}: ${name} turn ${turn}${at === null ? "" : `, ${at}`}: ${prompt ?? "without a prompt"}${more}`;
}
