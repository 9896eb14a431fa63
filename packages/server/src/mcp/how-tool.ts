/** `how`: how a command was used here. */

import { type CommandUses, type CommandWay, findCommandUses } from "@continuo/agents/search";
import { cutMiddle, visibleLine } from "@continuo/core/transcript";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote } from "./answer.ts";
import { experienceOptions, notReadText } from "./experience.ts";
import { MCP_LIMITS } from "./limits.ts";
import { isPlainName, nameFor } from "./sessions.ts";
import { defineTool, maxTokensInput, type Tool } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";

export const howTool: Tool = defineTool({
  name: "how",
  title: "How a command was used here",
  description:
    "Show how a command was called in earlier sessions of any agent: each way with how often it worked and failed, first those of your folder, and what it printed when it failed. Call it before you use a command, a script or a flag of this project for the first time.",
  input: z.object({
    command: z
      .string()
      .min(1)
      .max(MCP_LIMITS.nameChars)
      .describe("its first words, such as `docker compose` or `npm run bench`"),
    maxTokens: maxTokensInput,
  }),
  output: z.object({
    note: z.string(),
    uses: z.number(),
    failed: z.number(),
    ways: z.array(
      z.object({
        command: z.string(),
        times: z.number(),
        worked: z.number(),
        failed: z.number(),
        here: z.number(),
        session: z.string(),
        turn: z.number(),
        at: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    leftOut: z.number(),
    notRead: z.number(),
  }),
  async call({ command, maxTokens = MCP_LIMITS.answerTokens }, context, signal) {
    const found = await findCommandUses(command, await experienceOptions(context, signal));
    const ways = found.ways.slice(0, MAX_SHOWN).map((way) => toData(way, context));
    return largestWithin(ways.length, maxTokens, (count) => toAnswer(found, ways.slice(0, count)));
  },
});

const MAX_SHOWN = 100;
const [COMMAND_CHARS, ERROR_CHARS] = [300, 160];

interface WayData extends Omit<CommandWay, "last"> {
  readonly session: string;
  readonly turn: number;
  readonly at: string | null;
}

function toData({ last, command, error, ...counts }: CommandWay, { mask }: ToolContext): WayData {
  return {
    command: cutMiddle(mask(command), COMMAND_CHARS),
    ...counts,
    session: nameFor(last.session),
    turn: last.turn,
    at: last.at,
    error: error === null ? null : cutMiddle(mask(error), ERROR_CHARS),
  };
}

function toAnswer(
  { uses, failed, ways: all, sessions, notRead }: CommandUses,
  ways: readonly WayData[],
): Answer {
  const leftOut = all.length - ways.length;
  const head = [
    uses === 0
      ? `No session used it (${sessions} were read).`
      : `Used ${uses === 1 ? "once" : `${uses} times`} in ${all.length === 1 ? "one way" : `${all.length} ways`}${failed === 0 ? "" : `, ${failed} failed`}.`,
    leftOut === 0 ? "" : `${leftOut} ways are left out.`,
    notReadText(notRead),
    uses === 0 ? "" : QUOTED_NOTE,
  ];
  const body = ways.map(wayText).join("\n");
  return {
    text: `${head.filter((one) => one !== "").join(" ")}${ways.length === 0 ? "" : `\n${quote(body)}`}`,
    data: { note: DATA_NOTE, uses, failed, ways, leftOut, notRead },
  };
}

function wayText({ command, times, worked, failed, here, session, turn, at, error }: WayData): string {
  const counts = [
    times === 1 ? "once" : `${times} times`,
    worked === 0 ? "" : `${worked} worked`,
    failed === 0 ? "" : `${failed} failed`,
    here === 0 ? "" : here === times ? "here" : `${here} here`,
  ].filter((one) => one !== "");
  const name = isPlainName(session) ? session : visibleLine(session);
  const last = `last ${at ?? "at an unknown time"}, ${name} turn ${turn}`;
  const printed = error === null ? "" : `\n    printed: ${visibleLine(error)}`;
  return `${visibleLine(command)}\n    ${counts.join(", ")}; ${last}${printed}`;
}
