/** `digest`: one session in at most 2,000 tokens. */

import { sessionTurns } from "@continuo/agents/catalog";
import { cutMiddle, visibleLine } from "@continuo/core/transcript";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote } from "./answer.ts";
import { createDigest, type Digest, type DigestPiece, type FileUse } from "./digest.ts";
import { type FileState, filesSince, sinceOutput, sinceText } from "./file-changes.ts";
import { MCP_LIMITS } from "./limits.ts";
import { isPlainName, openNamed } from "./sessions.ts";
import { defineTool, sessionInput, type Tool, tokensInput } from "./tool.ts";

const piece = z.object({ turn: z.number(), text: z.string() });

export const digestTool: Tool = defineTool({
  name: "digest",
  title: "Digest of a session",
  description:
    "Show one session in short: the goal, further requests, decisions, files, open ends and the last answer, each with the number of its turn for `read`. Call it before you continue the work of another session. It is made of sentences of the session, without a model.",
  input: z.object({ session: sessionInput, maxTokens: tokensInput(MCP_LIMITS.digestTokens) }),
  output: z.object({
    note: z.string(),
    session: z.string(),
    title: z.string().nullable(),
    folder: z.string().nullable(),
    updatedAt: z.string().nullable(),
    turns: z.number(),
    goal: piece.nullable(),
    requests: z.array(piece),
    decisions: z.array(piece),
    files: z.array(
      z.object({ path: z.string(), changes: z.number(), looks: z.number(), since: sinceOutput }),
    ),
    changedSince: z.number(),
    openEnds: z.array(piece),
    lastAnswer: piece.nullable(),
    leftOut: z.number(),
  }),
  async call({ session: name, maxTokens = MCP_LIMITS.digestTokens }, context, signal) {
    const { name: session, shown } = await openNamed(name, context);
    using opened = shown;
    const fold = createDigest(context.mask);
    for await (const turn of sessionTurns(opened, { signal })) fold.add(turn);
    const { title, cwd, updatedAt } = opened.details;
    const facts = { session, title: title === null ? null : context.mask(title), folder: cwd, updatedAt };
    const digest = fold.finish();
    const named = digest.files.map(({ path, changes }) => ({ path, at: updatedAt, isChanged: changes > 0 }));
    const since = await filesSince(named, cwd);
    return largestWithin(LEVELS.length - 1, maxTokens, (level) =>
      toAnswer(digest, { ...facts, since }, LEVELS[level] ?? LEAST),
    );
  },
});

interface Level {
  /** The number of items in each list. */
  readonly items: number;
  /** Characters of the goal and of the last answer; other texts have a third. */
  readonly chars: number;
}

const LEAST: Level = { items: 0, chars: 90 };
const LEVELS: readonly Level[] = [
  LEAST,
  ...[1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100, 200, 2_000].map((items) => ({
    items,
    chars: 90 + items * 60,
  })),
];

interface Facts {
  readonly session: string;
  readonly title: string | null;
  readonly folder: string | null;
  readonly updatedAt: string | null;
}

/** The states of the files of the session, by their paths. */
type FileStates = ReadonlyMap<string, FileState>;

function toAnswer(
  digest: Digest,
  { since, ...facts }: Facts & { readonly since: FileStates },
  { items, chars }: Level,
): Answer {
  const short = ({ turn, text }: DigestPiece): DigestPiece => ({
    turn,
    text: cutMiddle(text, Math.ceil(chars / 3)),
  });
  const long = (one: DigestPiece | undefined | null): DigestPiece | null =>
    one === null || one === undefined ? null : { turn: one.turn, text: cutMiddle(one.text, chars) };
  const [goal, ...later] = digest.requests;
  const requests = later
    .slice(-items || later.length)
    .slice(0, items)
    .map(short);
  const decisions = digest.decisions
    .slice(-items || digest.decisions.length)
    .slice(0, items)
    .map(short);
  const openEnds = digest.openEnds
    .slice(-items || digest.openEnds.length)
    .slice(0, items)
    .map(short);
  const files = digest.files
    .slice(0, items)
    .map((file) => ({ ...file, path: cutMiddle(file.path, 200), since: since.get(file.path) ?? null }));
  const data = {
    note: DATA_NOTE,
    ...facts,
    turns: digest.turns,
    goal: long(goal),
    requests,
    decisions,
    files,
    openEnds,
    changedSince: [...since.values()].filter((state) => state !== "same").length,
    lastAnswer: long(digest.lastAnswer),
    leftOut:
      later.length +
      digest.decisions.length +
      digest.openEnds.length +
      digest.files.length -
      (requests.length + decisions.length + openEnds.length + files.length),
  };
  return { text: toText(data, facts, since), data };
}

interface DigestFile extends FileUse {
  readonly since: FileState | null;
}

interface DigestData extends Omit<Digest, "turns" | "files"> {
  readonly files: readonly DigestFile[];
  readonly turns: number;
  readonly goal: DigestPiece | null;
  readonly leftOut: number;
}

function toText(
  { goal, requests, decisions, files, openEnds, lastAnswer, turns, leftOut }: DigestData,
  facts: Facts,
  since: FileStates,
): string {
  const { session, title, folder, updatedAt } = facts;
  const isPlain = isPlainName(session);
  const changed = sinceText(since.values());
  const head = `Digest of ${isPlain ? session : "the session"}, ${turns} ${turns === 1 ? "turn" : "turns"}.${leftOut === 0 ? "" : ` ${leftOut} items are left out.`}${changed === "" ? "" : ` ${changed}`} ${QUOTED_NOTE}`;
  const about = [isPlain ? null : `session ${session}`, title, folder, updatedAt].filter(
    (fact) => fact !== null,
  );
  const body = [
    about.map(visibleLine).join(" · "),
    ...section("goal", goal === null ? [] : [goal]),
    ...section("further requests", requests),
    ...section("decisions", decisions),
    ...(files.length === 0 ? [] : ["files:", ...files.map(fileLine)]),
    ...section("open ends", openEnds),
    ...section("last answer", lastAnswer === null ? [] : [lastAnswer]),
  ];
  return `${head}\n${quote(body.join("\n"))}`;
}

function section(name: string, pieces: readonly DigestPiece[]): string[] {
  if (pieces.length === 0) return [];
  return [
    `${name}:`,
    ...pieces.map(({ turn, text }) => `  (turn ${turn}) ${text.replace(/\s*\n\s*/gu, "\n    ")}`),
  ];
}

function fileLine({ path, changes, looks, since }: DigestFile): string {
  const uses = [
    changes === 0 ? "" : `changed ${changes}`,
    looks === 0 ? "" : `read ${looks}`,
    since === "changed" ? "changed since" : since === "gone" ? "gone since" : "",
  ].filter((use) => use !== "");
  return `  ${visibleLine(path)} (${uses.join(", ")})`;
}
