/** `recall`: what a compaction cut from the session that asks. */

import {
  type CallingSession,
  cutOffBy,
  findCallingSession,
  type SessionTurn,
  sessionTurns,
} from "@continuo/agents/catalog";
import { ContinuoError, shorten } from "@continuo/core/model";
import { cutMiddle, messageKind } from "@continuo/core/transcript";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote } from "./answer.ts";
import { filesSince, type NamedFile, sinceText } from "./file-changes.ts";
import { MCP_LIMITS } from "./limits.ts";
import { isPlainName, nameFor, openNamed } from "./sessions.ts";
import { defineTool, maxTokensInput, sessionInput, type Tool } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";
import { entriesOf, turnOutput } from "./turn-text.ts";
import { nextOutput, turnsAnswer } from "./turns-answer.ts";

export const recallTool: Tool = defineTool({
  name: "recall",
  title: "Recall what was compacted",
  description:
    "Show what a compaction cut from your own current session: without arguments an outline of those turns, with `query` the turns that contain all words, with `turn` everything from that turn on. Call it when you miss a decision, a file, a command or an error of this very session.",
  input: z.object({
    query: z.string().max(MCP_LIMITS.queryChars).optional().describe("words that must all occur"),
    turn: z.number().int().min(1).optional().describe("show this turn and the next ones in full"),
    entry: z.number().int().min(1).default(1).describe("the first entry of that turn"),
    session: sessionInput.optional().describe("only if an answer asked you to choose one"),
    maxTokens: maxTokensInput,
  }),
  output: z.object({
    note: z.string(),
    status: z.enum(["cut", "nothing cut", "choose"]),
    session: z.string().nullable(),
    title: z.string().nullable(),
    folder: z.string().nullable(),
    ofTurns: z.number(),
    changedSince: z.array(z.string()),
    next: nextOutput,
    turns: z.array(turnOutput),
    choices: z.array(
      z.object({ session: z.string(), title: z.string().nullable(), updatedAt: z.string().nullable() }),
    ),
  }),
  async call({ query, turn, entry, session: named, maxTokens = MCP_LIMITS.answerTokens }, context, signal) {
    const current = named === undefined ? await findCurrent(context, signal) : null;
    if (current !== null && current.session === null) return chooseAnswer(current, maxTokens, context.mask);
    const name = named ?? nameFor(current?.session ?? never());
    const { name: session, shown, located } = await openNamed(name, context);
    using opened = shown;
    const cut = await cutOffBy(located, opened);
    const turns: SessionTurn[] = [];
    for await (const one of sessionTurns(opened, { signal })) {
      if (!one.messages.some((message) => cut.has(message.id) && isShown(message))) continue;
      // Some agents keep the person's words in the context. They are included, to show what the cut part was about.
      const messages = one.messages.filter(
        (message) => cut.has(message.id) || messageKind(message) === "person",
      );
      turns.push({ ...one, messages });
    }
    const { title, cwd } = opened.details;
    const facts = { session, title: title === null ? null : context.mask(title), folder: cwd };
    const last = turns.at(-1);
    if (last === undefined) return nothingCut(facts);
    const detail = turn === undefined ? ("brief" as const) : ("full" as const);
    const wanted = chosen(turns, { query, turn, mask: context.mask });
    if (wanted.length === 0) throw noneFound(turns);
    const answer = turnsAnswer(wanted, {
      ...facts,
      entry,
      detail,
      mask: context.mask,
      maxTokens: maxTokens - HEAD_TOKENS - SINCE_TOKENS,
      ofTurns: wanted.at(-1)?.number ?? 0,
    });
    const states = await filesSince(namedIn(wanted), cwd);
    const changed = [...states].filter(([, state]) => state !== "same").map(([path]) => context.mask(path));
    const count = `Cut from your context: ${turns.length} ${turns.length === 1 ? "turn" : "turns"}.`;
    const since = changed.length === 0 ? "" : ` Of the files that they name, ${sinceText(states.values())}`;
    return {
      text: `${count}${since} ${answer.text}`,
      data: {
        note: DATA_NOTE,
        status: "cut",
        ...answer.data,
        changedSince: changed.slice(0, SHOWN_FILES).map((path) => cutMiddle(path, SHOWN_PATH_CHARS)),
        choices: [],
      },
    };
  },
});

const HEAD_TOKENS = 60;
/** The tokens for the paths of changed files. */
const SINCE_TOKENS = 60;
const [SHOWN_FILES, SHOWN_PATH_CHARS] = [5, 40];

/** The files that turns name, each with the last turn that names it. */
function namedIn(turns: readonly SessionTurn[]): readonly NamedFile[] {
  const files = new Map<string, NamedFile>();
  for (const { files: paths, at } of turns) {
    for (const path of paths) files.set(path, { path, at, isChanged: false });
  }
  return [...files.values()];
}

function isShown(message: SessionTurn["messages"][number]): boolean {
  return messageKind(message) !== "injected" && message.content.length > 0;
}

async function findCurrent({ callerPid, places }: ToolContext, signal: AbortSignal): Promise<CallingSession> {
  if (callerPid !== null) return await findCallingSession({ places, pid: callerPid, tool: "recall", signal });
  throw new ContinuoError(
    "usage",
    "the server cannot see which session asks: it is not started by your agent",
    {
      hint: "Give `session`: find its name with `search`, by words of the conversation.",
    },
  );
}

interface Wish {
  readonly query: string | undefined;
  readonly turn: number | undefined;
  mask(text: string): string;
}

/** Without arguments, each turn has only the person's words and the agent's answer. */
function chosen(turns: readonly SessionTurn[], { query, turn, mask }: Wish): SessionTurn[] {
  const from = turns.filter(({ number }) => turn === undefined || number >= turn);
  const words = (query ?? "")
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length > 0) return from.filter((one) => hasAll(one, words, mask));
  return turn === undefined ? from.map(outline) : from;
}

function hasAll(turn: SessionTurn, words: readonly string[], mask: Wish["mask"]): boolean {
  const text = entriesOf(turn, { detail: "full", mask })
    .map((entry) => `${entry.tool ?? ""} ${entry.text}`)
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function outline(turn: SessionTurn): SessionTurn {
  const said = turn.messages.filter((message) => messageKind(message) === "person");
  const answer = turn.messages.findLast(
    (message) => messageKind(message) === "agent" && hasText(message.content),
  );
  return { ...turn, messages: [...said.slice(0, 1), ...(answer === undefined ? [] : [answer])] };
}

function hasText(content: SessionTurn["messages"][number]["content"]): boolean {
  return content.some((block) => block.type === "text" && block.text.trim() !== "");
}

function noneFound(turns: readonly SessionTurn[]): ContinuoError {
  const [first, last] = [turns[0]?.number, turns.at(-1)?.number];
  return new ContinuoError("not_found", "nothing that was cut matches", {
    hint: `Give other words, or a turn from ${first} to ${last}; \`search\` and \`read\` see the rest of the session.`,
  });
}

interface Facts {
  readonly session: string;
  readonly title: string | null;
  readonly folder: string | null;
}

function nothingCut(facts: Facts): Answer {
  const name = isPlainName(facts.session) ? facts.session : "your session";
  return {
    text: `Nothing was cut from ${name}: all of it is in your context, or was never said in this session. \`search\` looks into other sessions.`,
    data: { ...emptyData("nothing cut"), ...facts },
  };
}

function emptyData(status: "nothing cut" | "choose"): Readonly<Record<string, unknown>> {
  return {
    note: DATA_NOTE,
    status,
    session: null,
    title: null,
    folder: null,
    ofTurns: 0,
    changedSince: [],
    next: null,
    turns: [],
    choices: [],
  };
}

function chooseAnswer(
  { agent, choices: rows }: CallingSession,
  maxTokens: number,
  mask: (text: string) => string,
): Answer {
  const all = rows.map((row) => ({
    session: nameFor(row),
    title: row.title === null ? null : shorten(mask(row.title), 100),
    updatedAt: row.updatedAt,
  }));
  return largestWithin(all.length, maxTokens, (count) => {
    const choices = all.slice(0, count);
    const lines = choices.map(({ session, title, updatedAt }) =>
      [session, updatedAt, title].filter((fact) => fact !== null).join(" · "),
    );
    const why =
      agent === null
        ? "No process above this server is an agent, so that your session is not known."
        : all.length === 0
          ? `No session of ${agent} in its folder was written to since it started.`
          : "Several sessions may be yours.";
    const what =
      all.length === 0
        ? "Give `session`: find its name with `search`, by words of the conversation."
        : `Choose by what you know of it, and give it as \`session\`; do not guess. ${QUOTED_NOTE}`;
    return {
      text: `${why} ${what}${lines.length === 0 ? "" : `\n${quote(lines.join("\n"))}`}`,
      data: { ...emptyData("choose"), choices },
    };
  });
}

function never(): never {
  throw new Error("a session is there");
}
