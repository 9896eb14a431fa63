/** `session check`: finds the faults of one session or of all, and gives advice. */

import { Readable } from "node:stream";
import { type CheckedSession, checkOwn, listOwn, OWN, type OwnRow, openOwn } from "@continuo/agents/catalog";
import { adviceFor, severityOf, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { type Places, placesOf } from "@continuo/files";
import { checkFoundSession, findNativeSessions, formatOf, type SessionCheck } from "@continuo/native";
import { settleBeforeReading } from "@continuo/native/editing";
import type { FoundSession } from "@continuo/native/kit";
import { locate, warnOfUnfinished } from "../../notices/index.ts";
import {
  createOutput,
  createProgress,
  formatCount,
  type Paint,
  page,
  paintFor,
  plural,
  type Shell,
  type Style,
  screenOf,
  tildePath,
  toJsonText,
  wrap,
} from "../../terminal/index.ts";
import { checkedProblemToJson, describeProblem, isDamaged } from "../list/index.ts";

export interface CheckFlags {
  readonly warnings?: true;
  readonly json?: true;
}

/** The problems of one session that a check of all sessions shows. */
const SHOWN_OF_EACH = 10;
const EXIT_DAMAGED = 4;

export async function runCheck(id: string | null, flags: CheckFlags, shell: Shell): Promise<number> {
  const unfinished = await settleBeforeReading({ places: placesOf(shell) });
  const tally: Tally = { checked: 0, damaged: 0, warned: 0, repairable: 0, unfinished: unfinished.length };
  if (flags.json) await writeJson(checks(id, shell), tally, shell);
  else await writeReport(id, flags, tally, shell);
  // For one session, the look-up has already reported them.
  if (id === null) warnOfUnfinished(unfinished, shell);
  return tally.damaged + tally.unfinished > 0 ? EXIT_DAMAGED : 0;
}

interface Tally {
  checked: number;
  damaged: number;
  /** Sessions that have only warnings. */
  warned: number;
  /** Damaged native sessions, for which `session repair` shows what can be repaired. */
  repairable: number;
  /** Edits that a killed process left, and that cannot be settled now. */
  readonly unfinished: number;
}

function count(check: Check, tally: Tally): void {
  tally.checked += 1;
  if (isDamaged(check)) {
    tally.damaged += 1;
    if (check.agent !== OWN) tally.repairable += 1;
  } else if (check.problems.length > 0) tally.warned += 1;
}

async function writeJson(all: AsyncIterable<Check>, tally: Tally, shell: Shell): Promise<void> {
  const output = createOutput(shell.stdout);
  await output.write("[");
  for await (const check of all) {
    await output.write(`${tally.checked === 0 ? "" : ","}\n${toJsonText(toJson(check))}`);
    count(check, tally);
  }
  await output.write("\n]\n");
}

/** On a terminal, the report is shown in the pager when all sessions are checked, because it can be long. */
async function writeReport(id: string | null, flags: CheckFlags, tally: Tally, shell: Shell): Promise<void> {
  const screen = screenOf(shell, shell.stdout);
  const drawing: DrawOptions = {
    home: shell.home,
    paint: paintFor(screen),
    shownOfEach: id === null ? SHOWN_OF_EACH : Number.POSITIVE_INFINITY,
    warnings: id !== null || flags.warnings ? "show" : "hide",
    ...(screen.isTerminal ? { columns: screen.columns } : {}),
  };
  const drawn = drawAll(checks(id, shell), drawing, tally, shell);
  const report = screen.isTerminal ? Readable.from(await Array.fromAsync(drawn)) : drawn;
  await page(report, { shell, screen, opening: { at: "start" } });
}

async function* drawAll(
  all: AsyncIterable<Check>,
  drawing: DrawOptions,
  tally: Tally,
  shell: Shell,
): AsyncGenerator<string, void, void> {
  using progress = createProgress(shell);
  for await (const check of all) {
    count(check, tally);
    const isShown = isDamaged(check) || (drawing.warnings === "show" && check.problems.length > 0);
    if (isShown) {
      progress.clear();
      yield `${drawCheck(check, drawing)}\n\n`;
    }
    progress.show(`checked ${plural(tally.checked, "session")}`);
  }
  progress.clear();
  yield `${summary(tally, drawing)}\n`;
}

type Check = SessionCheck | CheckedSession;

async function* checks(id: string | null, shell: Shell): AsyncGenerator<Check, void, void> {
  if (id !== null) {
    const located = await locate(id, shell);
    if (located.kind === "own") yield* ownChecks(shell, located.row);
    else yield await checkOne(located.native.found, located.native.places);
    return;
  }
  const places = placesOf(shell);
  for await (const found of findNativeSessions({ places })) yield await checkOne(found, places);
  yield* ownChecks(shell);
}

/** Checks one of Continuo's own sessions, or all of them. */
async function* ownChecks(shell: Shell, only?: OwnRow): AsyncGenerator<CheckedSession, void, void> {
  await using own = await openOwn(shell);
  if (own === null) return;
  for (const row of only === undefined ? await listOwn(own) : [only]) yield await checkOwn(row, own);
}

async function checkOne(found: FoundSession, places: Places): Promise<SessionCheck> {
  return await checkFoundSession({ reader: await formatOf(found.agent), found }, { places });
}

function toJson({ agent, sessionId, location, problems }: Check): Readonly<Record<string, unknown>> {
  return { agent, sessionId, location, problems: problems.map(checkedProblemToJson) };
}

function summary(
  { checked, damaged, warned, repairable, unfinished }: Tally,
  { warnings }: DrawOptions,
): string {
  const sessions = plural(checked, "session");
  const found = [];
  if (damaged > 0) found.push(`${formatCount(damaged)} damaged`);
  if (warned > 0) {
    const how = warnings === "hide" ? " (--warnings shows them)" : "";
    found.push(`${formatCount(warned)} with warnings only${how}`);
  }
  if (unfinished > 0) found.push(`${plural(unfinished, "unfinished edit")}`);
  const lines = [`checked ${sessions}: ${found.length === 0 ? "no problems" : found.join(", ")}`];
  if (checked > 1 && repairable > 0) {
    lines.push("`continuo session repair --all` shows what can be repaired, and writes nothing.");
  }
  return lines.join("\n");
}

interface DrawOptions {
  readonly home: string;
  readonly paint: Paint;
  readonly shownOfEach: number;
  /** `show`: sessions that have only warnings are shown too. */
  readonly warnings: "show" | "hide";
  /** Sentences are wrapped to this width; if it is left out, they are not wrapped. */
  readonly columns?: number;
}

/** The session, then its problems by kind, damage first, each kind with its advice. */
function drawCheck(check: Check, drawing: DrawOptions): string {
  const { home, paint, shownOfEach } = drawing;
  const name = `${check.agent}:${check.sessionId}`;
  const lines = [`${paint(visibleLine(name), "bold")}  ${visibleLine(tildePath(check.location, home))}`];
  const bySeverity = Map.groupBy(check.problems, severityOf);
  const ordered = [...(bySeverity.get("damage") ?? []), ...(bySeverity.get("warning") ?? [])];
  const shown = ordered.slice(0, shownOfEach);
  for (const [code, problems] of Map.groupBy(shown, (problem) => problem.code)) {
    const [first] = problems;
    if (first === undefined) continue;
    const severity = severityOf(first);
    lines.push(`  ${paint(severity, severity === "damage" ? "red" : "yellow")} ${code}`);
    lines.push(...problems.flatMap((problem) => drawSentence(describeProblem(problem, home), drawing)));
    lines.push(...drawSentence(`→ ${adviceFor(first)}`, drawing, ["dim"]));
  }
  const hidden = check.problems.length - shown.length;
  if (hidden > 0) {
    lines.push(
      `  ${formatCount(hidden)} more: \`continuo session check ${visibleLine(shellWord(name))}\` shows them`,
    );
  }
  if (isDamaged(check) && check.agent !== OWN) {
    lines.push(`  \`continuo session repair ${visibleLine(shellWord(name))}\` shows what can be repaired`);
  }
  return lines.join("\n");
}

/** Indents the first line by 4 and the others by 6 columns. */
function drawSentence(
  text: string,
  { paint, columns }: DrawOptions,
  styles: readonly Style[] = [],
): string[] {
  const lines =
    columns === undefined ? [paint(text, ...styles)] : wrap([{ text, styles }], columns - 6, paint);
  return lines.map((line, at) => (at === 0 ? `    ${line}` : `      ${line}`));
}
