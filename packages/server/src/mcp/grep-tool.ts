/** `grep`: every turn with a text that a regular expression matches. */

import { parseQuery } from "@continuo/agents/search";
import { ContinuoError } from "@continuo/core/model";
import { z } from "zod";
import { type Hit, hitToData } from "./hits.ts";
import { MCP_LIMITS } from "./limits.ts";
import { searchMachine } from "./machine-search.ts";
import { hitsAnswer, hitsOutput, visibleResults } from "./results.ts";
import { defineTool, maxTokensInput, offsetInput, type Tool } from "./tool.ts";

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(MCP_LIMITS.queryChars)
    .describe("a regular expression (JavaScript, flags m and u)"),
  ignoreCase: z.boolean().default(false),
  query: z
    .string()
    .max(MCP_LIMITS.queryChars)
    .default("")
    .describe("words and filters, as `search` takes them"),
  offset: offsetInput,
  maxTokens: maxTokensInput,
});

export const grepTool: Tool = defineTool({
  name: "grep",
  title: "Find every occurrence",
  description:
    "Find every turn of all sessions that contains a text which a regular expression matches, newest session first. Call it for an exact name, number, path or error message, and when nothing may be missed. It is slower than `search`: filters in `query` make it faster.",
  input,
  output: hitsOutput,
  async call(
    { pattern, ignoreCase, query: text, offset, maxTokens = MCP_LIMITS.answerTokens },
    context,
    signal,
  ) {
    const regex = toRegex(pattern, ignoreCase ? "imu" : "mu");
    const query = parseQuery(text, { toTime: context.toTime, isEmptyAllowed: true });
    const found = visibleResults(await searchMachine(query, context, { regex, signal }), context);
    const hits = found.results.toSorted(byNewest).flatMap(eachTurn);
    return hitsAnswer(
      hits.slice(offset).map((hit) => hitToData(hit, context.mask)),
      {
        total: hits.length,
        offset,
        maxTokens,
        notSearched: found.unsearched,
        head: (total) => `${total === 1 ? "1 turn matches" : `${total} turns match`}, newest session first.`,
        nothing: "No turn matches.",
      },
    );
  },
});

type Result = Hit["result"];

function byNewest({ session: a }: Result, { session: b }: Result): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  return a.location < b.location ? -1 : 1;
}

function eachTurn(result: Result): Hit[] {
  return result.turns.map((turn) => ({ result, turn, excerpt: turn.excerpt ?? null, others: [] }));
}

/** Errors: `usage`. */
function toRegex(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new ContinuoError("usage", `the pattern cannot be used: ${(error as Error).message}`, {
      hint: "Write a backslash before signs that have a meaning, such as ( [ . or *.",
    });
  }
}
