/** `search`: ranked turns of every session. */

import { parseQuery } from "@continuo/agents/search";
import { z } from "zod";
import { bestOf, hitToData } from "./hits.ts";
import { MCP_LIMITS } from "./limits.ts";
import { searchMachine } from "./machine-search.ts";
import { hitsAnswer, hitsOutput, visibleResults } from "./results.ts";
import { defineTool, maxTokensInput, offsetInput, type Tool } from "./tool.ts";

const input = z.object({
  query: z
    .string()
    .min(1)
    .max(MCP_LIMITS.queryChars)
    .describe(
      'a question, or words (turns with all of them, else with most), "a phrase", -without, agent:claude project:NAME file:PATH tool:Bash role:user since:3d error: (each can be negated: -role:tool). Text that a program inserted is searched only with role:system',
    ),
  limit: z.number().int().min(1).max(MCP_LIMITS.maxResults).default(MCP_LIMITS.searchResults),
  offset: offsetInput,
  maxTokens: maxTokensInput,
});

export const searchTool: Tool = defineTool({
  name: "search",
  title: "Search old sessions",
  description:
    "Find turns in all earlier sessions of every coding agent on this machine, best first. Call it when the person refers to earlier work, or when the problem may have been solved before. Each result names a session and a turn for `read`.",
  input,
  output: hitsOutput,
  async call({ query: text, limit, offset, maxTokens = MCP_LIMITS.answerTokens }, context, signal) {
    const query = parseQuery(text, context);
    const found = visibleResults(await searchMachine(query, context, { signal }), context);
    const hits = found.results
      .slice(offset, offset + limit)
      .map((result) => hitToData(bestOf(result), context.mask));
    return hitsAnswer(hits, {
      total: found.total,
      offset,
      maxTokens,
      notSearched: found.unsearched,
      head: (total) =>
        found.matched === "all"
          ? `${total} ${total === 1 ? "session matches" : "sessions match"}, best first.`
          : `${total} ${total === 1 ? "session has" : "sessions have"} most of the words, best first.`,
      nothing: "No session matches.",
    });
  },
});
