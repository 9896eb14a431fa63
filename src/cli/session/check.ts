/** `session check`: what is wrong with one session or all of them, and what to do about it. */

import {
  checkFoundSession,
  type FoundSession,
  findSessions,
  type Places,
  readerOf,
  type SessionCheck,
} from "../../agents/index.ts";
import { adviceFor, type Problem, severityOf } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { checkOwn, listOwn, locateAny, type OwnCheck, type OwnRow, openOwn } from "../own/index.ts";
import { placesOf } from "../places/index.ts";
import {
  createOutput,
  createProgress,
  formatCount,
  type Paint,
  paintFor,
  type Shell,
  type Style,
  screenOf,
  tildePath,
  toJsonText,
  wrap,
} from "../terminal/index.ts";
import { checkedProblemToJson } from "./json.ts";

export interface CheckFlags {
  readonly json?: true;
}

/** Shown of one session among all; its own check shows every one. */
const SHOWN_OF_EACH = 10;
const FOUND_PROBLEMS = 4;

export async function runCheck(id: string | null, flags: CheckFlags, shell: Shell): Promise<number> {
  const output = createOutput(shell.stdout);
  const screen = screenOf(shell, shell.stdout);
  const drawing: Drawing = {
    home: shell.home,
    paint: paintFor(screen),
    shownOfEach: id === null ? SHOWN_OF_EACH : Number.POSITIVE_INFINITY,
    ...(screen.isTerminal ? { columns: screen.columns } : {}),
  };
  const tally = { checked: 0, odd: 0, damaged: 0 };
  using progress = createProgress(shell);
  if (flags.json) await output.write("[");
  for await (const check of checks(id, shell)) {
    if (flags.json) {
      await output.write(`${tally.checked === 0 ? "" : ","}\n${toJsonText(toJson(check))}`);
    } else if (check.problems.length > 0) {
      progress.clear();
      await output.write(`${drawCheck(check, drawing)}\n\n`);
    }
    tally.checked += 1;
    if (check.problems.length > 0) tally.odd += 1;
    if (check.problems.some((problem) => severityOf(problem) === "damage")) tally.damaged += 1;
    progress.show(`checked ${formatCount(tally.checked)} sessions`);
  }
  progress.clear();
  await output.write(flags.json ? "\n]\n" : `${summary(tally)}\n`);
  return tally.damaged > 0 ? FOUND_PROBLEMS : 0;
}

type Check = SessionCheck | OwnCheck;

async function* checks(id: string | null, shell: Shell): AsyncGenerator<Check, void, void> {
  if (id !== null) {
    const located = await locateAny(id, shell);
    if (located.kind === "own") yield* ownChecks(shell, located.row);
    else yield await checkOne(located.native.found, located.native.places);
    return;
  }
  const places = placesOf(shell);
  for await (const found of findSessions({ places })) yield await checkOne(found, places);
  yield* ownChecks(shell);
}

/** Of all of them where none is given. */
async function* ownChecks(shell: Shell, only?: OwnRow): AsyncGenerator<OwnCheck, void, void> {
  await using own = await openOwn(shell);
  if (own === null) return;
  for (const row of only === undefined ? await listOwn(own) : [only]) yield await checkOwn(row, own);
}

async function checkOne(found: FoundSession, places: Places): Promise<SessionCheck> {
  return await checkFoundSession({ reader: await readerOf(found.agent), found }, { places });
}

function toJson({ agent, sessionId, location, problems }: Check): Readonly<Record<string, unknown>> {
  return { agent, sessionId, location, problems: problems.map(checkedProblemToJson) };
}

function summary({ checked, odd }: { readonly checked: number; readonly odd: number }): string {
  const sessions = checked === 1 ? "1 session" : `${formatCount(checked)} sessions`;
  return `checked ${sessions}: ${odd === 0 ? "no problems" : `${formatCount(odd)} with problems`}`;
}

interface Drawing {
  readonly home: string;
  readonly paint: Paint;
  readonly shownOfEach: number;
  /** Sentences are wrapped to it; left out: not wrapped. */
  readonly columns?: number;
}

/** The session, then its problems by kind, each kind with its advice. */
function drawCheck(check: Check, drawing: Drawing): string {
  const { home, paint, shownOfEach } = drawing;
  const name = `${check.agent}:${check.sessionId}`;
  const lines = [`${paint(visibleLine(name), "bold")}  ${visibleLine(tildePath(check.location, home))}`];
  const shown = check.problems.slice(0, shownOfEach);
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
    lines.push(`  ${formatCount(hidden)} more: \`continuo session check ${visibleLine(name)}\` shows them`);
  }
  return lines.join("\n");
}

/** Indented, further lines a little more. */
function drawSentence(text: string, { paint, columns }: Drawing, styles: readonly Style[] = []): string[] {
  const lines =
    columns === undefined ? [paint(text, ...styles)] : wrap([{ text, styles }], columns - 6, paint);
  return lines.map((line, at) => (at === 0 ? `    ${line}` : `      ${line}`));
}

function describeProblem({ file, line, message }: Problem, home: string): string {
  const places = [file === undefined ? null : tildePath(file, home), line === null ? null : `line ${line}`];
  const where = places.filter((place) => place !== null).join(", ");
  return visibleLine(where === "" ? message : `${where}: ${message}`);
}
