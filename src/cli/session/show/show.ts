/** `session show`: the conversation, for a person on a terminal, for a file, or for a program. */

import { type CatalogSession, type LookUpHit, openCatalogSession } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { locate } from "../../notices/index.ts";
import { createOutput, page, paintFor, type Screen, type Shell, screenOf } from "../../terminal/index.ts";
import { type BranchStep, everyBranch, openModelView, stepsOfBranch } from "./branches.ts";
import { type Conversation, drawConversation } from "./conversation.ts";
import { factsLine, factsOfSession, showFacts } from "./facts.ts";
import { showJson } from "./json.ts";
import { markdownOf } from "./plain.ts";
import { drawTree } from "./tree.ts";
import { type ViewFlags, viewOf } from "./view.ts";

export interface ShowFlags extends ViewFlags {
  readonly branch?: string;
  readonly tree?: true;
  readonly all?: true;
  readonly fromStart?: true;
  readonly facts?: true;
  readonly json?: true;
}

/** A larger session opens at its end, from its last bytes, so that the first screen appears at once. */
const LARGE_BYTES = 4 * 1024 * 1024;
const NEWEST_BYTES = 512 * 1024;

export async function runShow(id: string, flags: ShowFlags, shell: Shell): Promise<number> {
  const located = await locate(id, shell);
  const screen = screenOf(shell, shell.stdout);
  using whole = await openFor(located, flags, { shell, screen });
  const leaf = flags.branch === undefined ? undefined : toLeaf(whole, flags.branch);
  if (flags.facts) {
    await showFacts(whole, leaf, { json: flags.json === true, shell });
    return 0;
  }
  const isModelView = flags.modelView === true && !flags.all && !flags.tree;
  const session = isModelView ? await openModelView(located, whole, leaf) : whole;
  const steps =
    flags.all || flags.tree ? everyBranch(session) : stepsOfBranch(session, isModelView ? undefined : leaf);
  if (flags.json) await showJson(session, steps, createOutput(shell.stdout));
  else if (flags.tree) await showTree(session, shell, screen);
  else if (screen.isTerminal)
    await showOnTerminal(session, steps, { flags, shell, screen, isLarge: isLarge(located), leaf });
  else await showPlain(session, steps, { flags, shell });
  return 0;
}

async function openFor(
  located: LookUpHit,
  flags: ShowFlags,
  { shell, screen }: { readonly shell: Shell; readonly screen: Screen },
): Promise<CatalogSession & Disposable> {
  const { json, facts, tree, all, fromStart, modelView, branch } = flags;
  const isWhole = json ?? facts ?? tree ?? all ?? fromStart ?? modelView ?? branch !== undefined;
  const isPart = screen.isTerminal && !isWhole && isLarge(located);
  return await openCatalogSession(located, shell, isPart ? { newestBytes: NEWEST_BYTES } : {});
}

function isLarge(located: LookUpHit): boolean {
  if (located.kind === "own") return false;
  return located.native.found.files.reduce((sum, file) => sum + file.sizeBytes, 0) > LARGE_BYTES;
}

/** The leaf with this id, or the only one with this prefix. Errors: `not_found`, `ambiguous`. */
function toLeaf(session: CatalogSession, text: string): string {
  const ids = session.leaves.map(({ id }) => id);
  const matches = ids.includes(text) ? [text] : ids.filter((id) => id.startsWith(text));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const [code, problem] =
    matches.length === 0
      ? (["not_found", "no branch"] as const)
      : (["ambiguous", "several branches"] as const);
  throw new ContinuoError(code, `${problem} ${JSON.stringify(text)}`, {
    hint: `Choose one of the branches that end at ${ids.join(", ") || "none"}.`,
    details: { leaves: ids },
  });
}

async function showPlain(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  { flags, shell }: Pick<TerminalShow, "flags" | "shell">,
): Promise<void> {
  const output = createOutput(shell.stdout);
  for await (const chunk of markdownOf(session, steps, viewOf(flags, "full"))) await output.write(chunk);
}

interface TerminalShow {
  readonly flags: ShowFlags;
  readonly shell: Shell;
  readonly screen: Screen;
  readonly isLarge: boolean;
  readonly leaf: string | undefined;
}

async function showOnTerminal(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  { flags, shell, screen, isLarge, leaf }: TerminalShow,
): Promise<void> {
  // A small session can be read twice quickly; a large one opens at its end.
  const hasFacts = !isLarge && !session.partial && !flags.all && !flags.modelView;
  const facts = hasFacts ? factsLine(await factsOfSession(session, leaf, shell)) : "";
  const conversation: Conversation = drawConversation(session, steps, {
    view: viewOf(flags, "short"),
    columns: screen.columns,
    paint: paintFor(screen),
    home: shell.home,
    facts,
  });
  const lineOf = (text: string): number => {
    // The last screen is full even if the newest turn is short.
    const lastScreen = text.split("\n").length - screen.rows + 1;
    return Math.max(1, Math.min(conversation.newestTurnLine(), lastScreen));
  };
  const isStreamed = isLarge && !session.partial;
  const opening =
    flags.fromStart || flags.all
      ? ({ at: "start" } as const)
      : isStreamed
        ? ({ at: "end" } as const)
        : ({ at: "line", lineOf } as const);
  await page(conversation.chunks, { shell, screen, opening });
}

async function showTree(session: CatalogSession, shell: Shell, screen: Screen): Promise<void> {
  const columns = screen.isTerminal ? { columns: screen.columns } : {};
  const lines = drawTree(session, { paint: paintFor(screen), ...columns });
  await page(lines, { shell, screen, opening: { at: "start" } });
}
