/** Draws, for a person, the turns that wrote the lines of a file or of a commit. */

import type { BlamedLine, FileBlame, LineOrigin } from "@continuo/core/model";
import { shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  clockTime,
  cutEnd,
  formatCount,
  type Paint,
  paintFor,
  plural,
  type Shell,
  screenOf,
  tildePath,
  wrap,
} from "../terminal/index.ts";
import type { CommitBlame } from "./commit.ts";

export interface DrawOptions {
  readonly name: string;
  readonly shell: Shell;
}

interface Pen {
  readonly paint: Paint;
  readonly columns: number | null;
  readonly home: string;
}

const BY_HAND = "no session";

function penFor(shell: Shell): Pen {
  const screen = screenOf(shell, shell.stdout);
  return { paint: paintFor(screen), columns: screen.isTerminal ? screen.columns : null, home: shell.home };
}

/** Draws each line with its turn; a turn that wrote several lines in succession is named only at the first one. */
export function drawFile(blame: FileBlame, { shell }: DrawOptions): string {
  const { paint, columns, home } = penFor(shell);
  const { origins, lines } = blame;
  const names = origins.map(nameOf);
  const width = Math.max(BY_HAND.length, ...lines.map(({ origin }) => names[origin ?? -1]?.length ?? 0));
  const digits = String(lines.at(-1)?.line ?? 1).length;
  const drawn = lines.map(({ line, origin, text }, at) => {
    const isFirst = at === 0 || lines[at - 1]?.origin !== origin;
    const name = !isFirst ? "" : origin === null ? BY_HAND : (names[origin] ?? "");
    const row = `${paint(name.padEnd(width), "dim")}  ${paint(String(line).padStart(digits), "dim")}  `;
    const shown = visibleLine(text);
    return (row + (columns === null ? shown : cutEnd(shown, columns - width - digits - 4))).trimEnd();
  });
  return `${[...drawn, ...footOf(blame, home, paint)].join("\n")}\n`;
}

/** Draws one line with everything that is known about it. */
export function drawLines(blame: FileBlame, { name, shell }: DrawOptions): string {
  const pen = penFor(shell);
  const { origins, lines } = blame;
  const drawn = lines.flatMap((one) => [
    pen.paint(`${visibleLine(name)}:${one.line}`, "bold"),
    ...wrapped(visibleLine(one.text.trim()), pen),
    "",
    ...writersOf(one, origins, pen),
  ]);
  return `${[...drawn, ...footOf(blame, pen.home, pen.paint)].join("\n")}\n`;
}

function writersOf(
  { origin, others, earlier }: BlamedLine,
  origins: readonly LineOrigin[],
  pen: Pen,
): string[] {
  const last = origin === null ? undefined : origins[origin];
  if (last === undefined) {
    const before = earlier.flatMap((at) => origins[at] ?? []);
    return [
      "  No session wrote this line: it was there before, or a person or a command wrote it.",
      ...before.flatMap((one) => shortOf("an earlier form is by", one, pen)),
    ];
  }
  return [
    ...turnLines(last, pen),
    ...others.flatMap((at) => shortOf("the same line before:", origins[at], pen)),
    ...earlier.flatMap((at) => shortOf("an earlier form:", origins[at], pen)),
  ];
}

function turnLines(origin: LineOrigin, pen: Pen): string[] {
  const { agent, sessionId, title, prompt, formerPath } = origin;
  const head = [nameOf(origin), clockTime(origin.at), title ?? ""].filter((word) => word !== "");
  return [
    ...wrapped(head.join(" · "), pen),
    ...(prompt === null ? [] : wrapped(`❯ ${prompt}`, pen)),
    ...(formerPath === null ? [] : wrapped(`then named ${tildePath(formerPath, pen.home)}`, pen)),
    `  continuo session show ${shellWord(`${agent}:${sessionId}`)}`,
  ];
}

function shortOf(words: string, origin: LineOrigin | undefined, pen: Pen): string[] {
  if (origin === undefined) return [];
  return wrapped(
    [`${words} ${nameOf(origin)}`, clockTime(origin.at)].filter((word) => word !== "").join(" · "),
    pen,
  );
}

function nameOf({ agent, sessionId, turn, branch }: LineOrigin): string {
  const place = branch === null ? "" : " of another branch";
  return visibleLine(`${agent} ${sessionId.slice(0, 8)} turn ${formatCount(turn)}${place}`);
}

function wrapped(text: string, { columns, paint }: Pen): string[] {
  const lines = columns === null ? [text] : wrap([{ text }], columns - 2, paint);
  return lines.map((line) => `  ${line}`);
}

function footOf({ formerPaths, sessions, edits, lines }: FileBlame, home: string, paint: Paint): string[] {
  const byHand = lines.filter(({ origin }) => origin === null).length;
  const former = formerPaths.map((path) => visibleLine(tildePath(path, home))).join(", ");
  const words = [
    `${plural(edits, "edit")} in ${plural(sessions, "session")}`,
    lines.length > 1 && byHand > 0 ? `${plural(byHand, "line")} of no session` : "",
    former === "" ? "" : `before as ${former}`,
  ];
  return ["", paint(words.filter((word) => word !== "").join(" · "), "dim")];
}

export function drawCommit(blame: CommitBlame, shell: Shell): string {
  const pen = penFor(shell);
  const { hash, subject, committedAt, writers, committers, added, unknown, filesLeft } = blame;
  const head = pen.paint(`${hash.slice(0, 10)} ${visibleLine(subject)}`, "bold");
  const made = committers.flatMap((one) => ["", "  committed in", ...turnLines(one, pen)]);
  const wrote = writers.flatMap((one) => [
    "",
    ...wrapped(
      `wrote ${plural(one.lines, "line")} in ${one.files.map(visibleLine).slice(0, 5).join(", ")}`,
      pen,
    ),
    ...turnLines(one, pen),
  ]);
  const foot = [
    `${plural(added, "line")} added`,
    `${formatCount(unknown)} of no session`,
    filesLeft === 0 ? "" : `${plural(filesLeft, "file")} not looked at`,
    `committed ${clockTime(committedAt)}`,
  ].filter((word) => word !== "");
  return `${[head, ...made, ...wrote, "", pen.paint(foot.join(" · "), "dim")].join("\n")}\n`;
}
