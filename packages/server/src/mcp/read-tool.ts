/** `read`: a window of turns of one session. */

import { type SessionTurn, sessionTurns } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { z } from "zod";
import { MCP_LIMITS } from "./limits.ts";
import { openNamed } from "./sessions.ts";
import { defineTool, maxTokensInput, sessionInput, type Tool } from "./tool.ts";
import { turnOutput } from "./turn-text.ts";
import { nextOutput, turnsAnswer } from "./turns-answer.ts";

const input = z.object({
  session: sessionInput,
  turn: z.number().int().min(1).optional().describe("the first turn (default: the last ones)"),
  entry: z.number().int().min(1).default(1).describe("the first entry of that turn"),
  turns: z.number().int().min(1).max(100).default(3).describe("how many"),
  detail: z
    .enum(["brief", "full"])
    .default("brief")
    .describe("full: also all that calls were given, and results as long as what was said"),
  maxTokens: maxTokensInput,
});

export const readTool: Tool = defineTool({
  name: "read",
  title: "Read turns of a session",
  description:
    "Show what was said and done in some turns of a session, for example around a result of `search`. Long texts are cut in the middle: fewer turns or more `maxTokens` show more of them.",
  input,
  output: z.object({
    note: z.string(),
    session: z.string(),
    title: z.string().nullable(),
    folder: z.string().nullable(),
    ofTurns: z.number(),
    next: nextOutput,
    turns: z.array(turnOutput),
  }),
  async call(
    { session: name, turn, entry, turns: count, detail, maxTokens = MCP_LIMITS.answerTokens },
    context,
    signal,
  ) {
    const { name: session, shown } = await openNamed(name, context);
    using opened = shown;
    const read = await windowOf(sessionTurns(opened, { signal }), { first: turn, count });
    if (read.turns.length === 0) throw noTurn(turn, read.ofTurns);
    const { title, cwd } = opened.details;
    return turnsAnswer(read.turns, {
      session,
      ofTurns: read.ofTurns,
      detail,
      maxTokens,
      mask: context.mask,
      folder: cwd,
      entry,
      title: title === null ? null : context.mask(title),
    });
  },
});

function noTurn(turn: number | undefined, ofTurns: number): ContinuoError {
  if (turn === undefined) return new ContinuoError("not_found", "the session has no turn yet");
  return new ContinuoError("not_found", `the session has no turn ${turn}`, {
    hint: `Give a turn from 1 to ${ofTurns}.`,
  });
}

interface Window {
  readonly first: number | undefined;
  readonly count: number;
}

/** The turns from `first` on, or the last ones; the others are only counted. */
async function windowOf(
  turns: AsyncIterable<SessionTurn>,
  { first, count }: Window,
): Promise<{ readonly turns: readonly SessionTurn[]; readonly ofTurns: number }> {
  const kept: SessionTurn[] = [];
  let ofTurns = 0;
  for await (const turn of turns) {
    ofTurns = turn.number;
    if (first !== undefined && (turn.number < first || kept.length >= count)) continue;
    kept.push(turn);
    if (first === undefined && kept.length > count) kept.shift();
  }
  return { turns: kept, ofTurns };
}
