/** `session show --facts`: the facts of a session, each with its turn; and the same in one line. */

import { type CatalogSession, costOf } from "@continuo/agents/catalog";
import {
  END_WORDS,
  type FactPlace,
  type FileFact,
  type SessionFacts,
  type TestFact,
} from "@continuo/core/model";
import { sessionFacts } from "@continuo/core/transcript/work";
import { pricesWork } from "../../stats/index.ts";
import {
  createOutput,
  formatCost,
  formatCount,
  paintFor,
  plural,
  type Shell,
  type Style,
  screenOf,
  toJsonText,
  wrap,
} from "../../terminal/index.ts";

export async function factsOfSession(
  session: CatalogSession,
  leaf: string | undefined,
  shell: Shell,
): Promise<SessionFacts> {
  const prices = await pricesWork(shell);
  return await sessionFacts(session.history(leaf === undefined ? {} : { leaf }), {
    cwd: session.details.cwd,
    costOf: ({ model, usage }) =>
      usage === undefined ? null : costOf([{ model: model ?? null, usage }], prices).usd,
  });
}

export async function showFacts(
  session: CatalogSession,
  leaf: string | undefined,
  { json, shell }: { readonly json: boolean; readonly shell: Shell },
): Promise<void> {
  const facts = await factsOfSession(session, leaf, shell);
  const output = createOutput(shell.stdout);
  const { agent, sessionId } = session.details;
  await output.write(json ? `${toJsonText({ agent, sessionId, facts }, 2)}\n` : drawFacts(facts, shell));
}

/** A line of a fact; `at` is its turn. */
interface FactLine {
  readonly text: string;
  readonly at?: FactPlace;
  readonly styles?: readonly Style[];
}

type Fact = readonly [name: string, lines: readonly FactLine[]];

const SHOWN = 20;
const NAME_COLUMNS = 9;

function drawFacts(facts: SessionFacts, shell: Shell): string {
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const width = screen.isTerminal ? Math.max(30, screen.columns - NAME_COLUMNS - 2) : null;
  const all: readonly Fact[] = [
    ["asked", askedLines(facts)],
    ["changed", fileLines(facts)],
    ["committed", commitLines(facts)],
    ["tested", some(facts.tests.map(testLine), facts.tests.length)],
    ["cost", costLines(facts)],
    ["ended", endLines(facts)],
  ];
  const lines = all.flatMap(([name, texts]) =>
    texts
      .flatMap(({ text, at, styles = [] }) => {
        const turn = at === undefined ? "" : ` (turn ${formatCount(at.turn)})`;
        const spans = [
          { text, styles },
          { text: turn, styles: ["dim"] as const },
        ];
        return width === null ? [text + turn] : wrap(spans, width, paint);
      })
      .map((text, row) => `${paint((row === 0 ? name : "").padEnd(NAME_COLUMNS), "dim")}  ${text}`),
  );
  return `${lines.join("\n")}\n`;
}

function askedLines({ asked, lastAsked }: SessionFacts): FactLine[] {
  return [asked, lastAsked].flatMap((one) => (one === null ? [] : [{ text: one.text, at: one }]));
}

function fileLines({ files, fileCount, added, removed, undoneFiles }: SessionFacts): FactLine[] {
  const undone = undoneFiles === 0 ? "" : `, ${plural(undoneFiles, "other")} put back as before`;
  if (fileCount === 0) return [{ text: `no file, as far as calls of tools show it${undone}` }];
  const head = { text: `${plural(fileCount, "file")}  +${added} −${removed}${undone}` };
  return [head, ...some(files.map(fileLine), fileCount)];
}

function fileLine(file: FileFact): FactLine {
  const { path, added, removed, status, movedFrom, known } = file;
  const words = [
    status === "changed" ? "" : status,
    movedFrom === null ? "" : `was ${movedFrom}`,
    known === "all" ? "" : "at least",
  ].filter((word) => word !== "");
  return { text: [`${path}  +${added} −${removed}`, ...words].join(", "), at: file };
}

function commitLines({ commits, commitCount }: SessionFacts): FactLine[] {
  const shown = commits.slice(-SHOWN).map((commit) => {
    const { hash, branch, subject } = commit;
    const text = [hash, branch, subject].filter((word) => word !== null && word !== "").join("  ");
    return { text: text === "" ? "a commit without words" : text, at: commit };
  });
  return commitCount > shown.length
    ? [{ text: `${formatCount(commitCount - shown.length)} earlier: --json prints them` }, ...shown]
    : shown;
}

function testLine(test: TestFact): FactLine {
  const { command, runs, failedRuns } = test;
  const words = [
    `${command}: ${testWords(test)}`,
    runs === 1 ? "" : `${plural(runs, "run")}, ${failedRuns} failed`,
  ].filter((word) => word !== "");
  return { text: words.join("; "), at: test, ...(test.outcome === "failed" && { styles: ["red"] as const }) };
}

function testWords({ outcome, passed, failed, changedSince }: TestFact): string {
  const count = outcome === "failed" ? failed : outcome === "passed" ? passed : null;
  const words = outcome === "unknown" ? "ran, with no result that can be read" : outcome;
  return `${count === null || count === 0 ? "" : `${count} `}${words}${changedSince ? ", before the last change" : ""}`;
}

function costLines({ cost, turns }: SessionFacts): FactLine[] {
  if (cost === null) return [];
  const text = formatCost({ usd: cost.usd, unpriced: [] });
  if (turns === 1) return [{ text }];
  const most = formatCost({ usd: cost.dearest.usd, unpriced: [] });
  return [{ text: `${text}, ${most} of it in the dearest turn`, at: cost.dearest }];
}

function endLines({ end }: SessionFacts): FactLine[] {
  if (end === null) return [];
  return [{ text: `${END_WORDS[end.state]}${end.text === "" ? "" : `: ${end.text}`}`, at: end }];
}

function some(lines: readonly FactLine[], count: number): FactLine[] {
  const shown = lines.slice(0, SHOWN);
  return count > shown.length
    ? [...shown, { text: `${formatCount(count - shown.length)} more: --json prints them` }]
    : shown;
}

/** The facts in one line, for the heading of a conversation. */
export function factsLine({
  turns,
  fileCount,
  added,
  removed,
  commitCount,
  tests,
  end,
}: SessionFacts): string {
  if (turns === 0) return "";
  const [test] = tests;
  return [
    fileCount === 0 ? "no file changed" : `${plural(fileCount, "file")} +${added} −${removed}`,
    commitCount === 0 ? "" : plural(commitCount, "commit"),
    test === undefined ? "" : `tests: ${testWords(test)}`,
    end === null ? "" : END_WORDS[end.state],
    "--facts shows more",
  ]
    .filter((word) => word !== "")
    .join(" · ");
}
