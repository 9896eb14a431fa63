/** `fix`: what solved an error before. */

import { type FoundRepair, findRepairs } from "@continuo/agents/search";
import { cutMiddle, visibleLine } from "@continuo/core/transcript";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote } from "./answer.ts";
import { experienceOptions, notReadText } from "./experience.ts";
import { type FileState, filesSince, sinceOutput } from "./file-changes.ts";
import { MCP_LIMITS } from "./limits.ts";
import { isPlainName, nameFor } from "./sessions.ts";
import { defineTool, maxTokensInput, type Tool } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";

const fileOutput = z.object({ path: z.string(), lines: z.array(z.string()), since: sinceOutput });

export const fixTool: Tool = defineTool({
  name: "fix",
  title: "What solved this error before",
  description:
    "Show what solved an error in earlier sessions of any agent: the command that failed, the lines that were changed after it, the commands that were run, and whether the same command ended without the error afterwards. Call it with an error message as it was printed, before you look for its cause yourself.",
  input: z.object({
    error: z.string().min(1).max(MCP_LIMITS.queryChars).describe("the error as it was printed"),
    maxTokens: maxTokensInput,
  }),
  output: z.object({
    note: z.string(),
    total: z.number(),
    notRead: z.number(),
    repairs: z.array(
      z.object({
        session: z.string(),
        turn: z.number(),
        at: z.string().nullable(),
        folder: z.string().nullable(),
        outcome: z.enum(["solved", "not confirmed", "not solved"]),
        similarity: z.number(),
        attempts: z.number(),
        line: z.string(),
        failed: z.string().nullable(),
        files: z.array(fileOutput),
        commands: z.array(z.string()),
        said: z.string().nullable(),
      }),
    ),
  }),
  async call({ error, maxTokens = MCP_LIMITS.answerTokens }, context, signal) {
    const { repairs, sessions, notRead } = await findRepairs(error, await experienceOptions(context, signal));
    const shown = await Promise.all(repairs.slice(0, MAX_SHOWN).map((repair) => toData(repair, context)));
    return largestWithin(LEVELS.length - 1, maxTokens, (level) =>
      toAnswer(shown, { total: repairs.length, sessions, notRead }, LEVELS[level] ?? LEAST),
    );
  },
});

const MAX_SHOWN = 10;
const [LINE_CHARS, COMMAND_CHARS, SAID_CHARS] = [200, 300, 600];
const MAX_FILES = 8;
const MAX_LINES = 30;

interface Level {
  readonly repairs: number;
  readonly lines: number;
  readonly saidChars: number;
}

const LEAST: Level = { repairs: 1, lines: 1, saidChars: 80 };
/** The levels go from least to most detail, and a level with more detail is never shorter. */
const LEVELS: readonly Level[] = [
  LEAST,
  { repairs: 1, lines: 4, saidChars: 150 },
  { repairs: 1, lines: 8, saidChars: 250 },
  { repairs: 2, lines: 8, saidChars: 250 },
  { repairs: 3, lines: 8, saidChars: 250 },
  { repairs: 3, lines: 12, saidChars: 400 },
  { repairs: 5, lines: 12, saidChars: 400 },
  { repairs: 5, lines: 20, saidChars: SAID_CHARS },
  { repairs: MAX_SHOWN, lines: MAX_LINES, saidChars: SAID_CHARS },
];

interface RepairData extends Omit<FoundRepair, "session" | "edits" | "keys" | "id"> {
  readonly session: string;
  readonly folder: string | null;
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly string[];
    readonly since: FileState | null;
  }[];
}

async function toData(repair: FoundRepair, { mask }: ToolContext): Promise<RepairData> {
  const { session, edits, at, turn, outcome, similarity, attempts } = repair;
  const files = new Map<string, string[]>();
  for (const { path, hunks } of edits) {
    const lines = files.get(path) ?? [];
    if (files.size < MAX_FILES || files.has(path)) files.set(path, lines);
    const changed = hunks.flatMap((hunk) => hunk.lines).filter(({ sign }) => sign !== " ");
    lines.push(...changed.slice(0, MAX_LINES).map(({ sign, text }) => `${sign}${text}`));
  }
  const named = [...files.keys()].map((path) => ({ path, at, isChanged: true }));
  const since = await filesSince(named, session.cwd);
  return {
    session: nameFor(session),
    turn,
    at,
    folder: session.cwd,
    outcome,
    similarity: Math.round(similarity * 100) / 100,
    attempts,
    line: cutMiddle(mask(repair.line), LINE_CHARS),
    failed: repair.failed === null ? null : cutMiddle(mask(repair.failed), COMMAND_CHARS),
    files: [...files].map(([path, lines]) => ({
      path: cutMiddle(mask(path), LINE_CHARS),
      lines: maskedLines(lines.slice(0, MAX_LINES), mask),
      since: since.get(path) ?? null,
    })),
    commands: repair.commands.slice(0, MAX_FILES).map((one) => cutMiddle(mask(one), COMMAND_CHARS)),
    said: repair.said === null ? null : cutMiddle(mask(repair.said), SAID_CHARS),
  };
}

/** A secret can span several lines, as a private key does. */
function maskedLines(lines: readonly string[], mask: ToolContext["mask"]): readonly string[] {
  if (lines.length === 0) return [];
  return mask(lines.join("\n"))
    .split("\n")
    .map((line) => cutMiddle(line, LINE_CHARS));
}

interface Counts {
  readonly total: number;
  readonly sessions: number;
  readonly notRead: number;
}

function toAnswer(all: readonly RepairData[], { total, sessions, notRead }: Counts, level: Level): Answer {
  const repairs = all.slice(0, level.repairs).map((repair) => shortened(repair, level));
  const solved = all.filter(({ outcome }) => outcome === "solved").length;
  const times = total === 1 ? "once" : `${total} times`;
  const found =
    total === 0
      ? `No session shows this error (${sessions} that fit best were read).`
      : `Seen ${times} in the ${sessions === 1 ? "session that fits" : `${sessions} sessions that fit`} best${total > all.length ? "" : `, solved ${solved === total ? (total === 1 ? "then" : "each time") : `${solved} of them`}`}.`;
  const head = [
    found,
    notReadText(notRead),
    total > repairs.length ? `${total - repairs.length} are left out.` : "",
    total === 0 ? "" : QUOTED_NOTE,
  ];
  const texts = repairs.map((repair, at) => toText(repair, at + 1));
  return {
    text: [head.filter((line) => line !== "").join(" "), ...texts].join("\n\n"),
    data: { note: DATA_NOTE, total, notRead, repairs },
  };
}

function shortened(repair: RepairData, { lines: most, saidChars }: Level): RepairData {
  let left = most;
  const files = repair.files.map((file) => {
    const lines = file.lines.slice(0, left);
    left -= lines.length;
    return { ...file, lines };
  });
  return { ...repair, files, said: repair.said === null ? null : cutMiddle(repair.said, saidChars) };
}

function toText(repair: RepairData, number: number): string {
  const { session, turn, at, folder, outcome, line, failed, files, commands, said, attempts } = repair;
  const isPlain = isPlainName(session);
  const heading = `${number}. ${outcome}: ${isPlain ? session : "session as quoted"}, turn ${turn}${attempts === 0 ? "" : `, after ${attempts} that did not help`}`;
  const lines = [
    [isPlain ? null : `session: ${session}`, folder, at].filter((fact) => fact !== null).join(" · "),
    `${failed === null ? "reported" : `failed: ${failed}`}`,
    `error: ${line}`,
    ...files.flatMap(({ path, lines: changed, since }) => [
      `changed ${path}${since === "changed" ? " (changed again since)" : since === "gone" ? " (gone since)" : ""}:`,
      ...changed.map((one) => `  ${one}`),
    ]),
    ...commands.map((command) => `ran: ${command}`),
    said === null ? "" : `agent: ${said}`,
  ];
  return `${heading}\n${quote(
    lines
      .filter((one) => one !== "")
      .map((one) => (one.startsWith("agent: ") ? one : visibleLine(one)))
      .join("\n"),
  )}`;
}
