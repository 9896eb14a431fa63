/** `search`: ranked turns of every session. */

import { z } from "zod";
import { updateTexts } from "../catalog/index.ts";
import { parseQuery, searchIndex } from "../search/index.ts";
import { DATA_NOTE, largestWithin, QUOTED_NOTE } from "./answer.ts";
import { bestOf, foundOutput, hitToData, hitToText } from "./found.ts";
import { MCP_LIMITS } from "./limits.ts";
import { missingNote, visibleResults } from "./results.ts";
import { defineTool, maxTokensInput, offsetInput, type Tool } from "./tool.ts";

const input = z.object({
  query: z
    .string()
    .min(1)
    .max(MCP_LIMITS.queryChars)
    .describe(
      'words that must all occur, "a phrase", -without, agent:claude project:NAME file:PATH tool:Bash role:user since:3d error:',
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
  output: z.object({
    note: z.string(),
    total: z.number(),
    notSearched: z.number(),
    next: z.number().nullable(),
    results: z.array(foundOutput),
  }),
  async call({ query: text, limit, offset, maxTokens = MCP_LIMITS.answerTokens }, machine, signal) {
    const query = parseQuery(text, machine);
    const exclude = await machine.exclude();
    const texts = await updateTexts({ places: machine.places, exclude, timeMs: MCP_LIMITS.updateMs, signal });
    const found = visibleResults(
      await searchIndex(machine.places, query, { texts, nowMs: machine.nowMs(), mask: machine.mask }),
      machine,
    );
    const hits = found.results
      .slice(offset, offset + limit)
      .map((result) => hitToData(bestOf(result), machine.mask));
    const notSearched = texts.left + found.changed;
    return largestWithin(hits.length, maxTokens, (count) => {
      const results = hits.slice(0, count);
      const end = offset + count;
      const next = end < found.total ? end : null;
      const head = [
        found.total === 0
          ? "No session matches."
          : `${found.total} ${found.total === 1 ? "session matches" : "sessions match"}, best first. ${QUOTED_NOTE}`,
        missingNote(notSearched),
        next === null || count === 0 ? "" : `Results ${offset + 1} to ${end}; offset: ${next} shows more.`,
      ];
      const texts = results.map((data, at) => hitToText(data, offset + at + 1));
      return {
        text: [head.filter((line) => line !== "").join("\n"), ...texts].join("\n\n"),
        data: { note: DATA_NOTE, total: found.total, notSearched, next, results },
      };
    });
  },
});
