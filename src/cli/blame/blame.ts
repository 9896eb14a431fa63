/** `blame`: the turns that wrote a file, some of its lines, or a commit. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Origins, openOrigins, readFileLines } from "@continuo/agents/search";
import { type BlamedLine, ContinuoError, type FileBlame, present } from "@continuo/core/model";
import { startIndexing } from "../indexing/index.ts";
import { patternsWork } from "../search/index.ts";
import {
  createOutput,
  createProgress,
  plural,
  type Shell,
  toJsonText,
  writeNote,
} from "../terminal/index.ts";
import { blameCommit, type CommitBlame } from "./commit.ts";
import { drawCommit, drawFile, drawLines } from "./draw.ts";
import type { BlameFlags } from "./flags.ts";

/** The exit code if sessions were not searched or read, or edits were not compared. */
const INCOMPLETE = 9;

export async function runBlame(name: string | undefined, flags: BlameFlags, shell: Shell): Promise<number> {
  if ((name === undefined) === (flags.commit === undefined)) {
    throw new ContinuoError("usage", "blame needs a file or a commit", {
      hint: "Name one: `continuo blame FILE:LINE`, or `continuo blame --commit REVISION`.",
    });
  }
  const { answer, left } =
    name === undefined ? await ofCommit(flags, shell) : await ofFile(name, flags, shell);
  await createOutput(shell.stdout).write(answer);
  const notes = notesOf(left);
  for (const text of notes) writeNote([{ text }], shell);
  return notes.length > 0 ? INCOMPLETE : 0;
}

interface Answer {
  readonly answer: string;
  readonly left: FileBlame["left"];
}

async function ofFile(name: string, flags: BlameFlags, shell: Shell): Promise<Answer> {
  const { path, first, last } = placeIn(name, shell.cwd);
  const all = readFileLines(path);
  const [from, to] = [first ?? 1, last ?? first ?? all.length];
  if (from < 1 || from > to || to > all.length) {
    throw new ContinuoError("out_of_range", `the file has no line ${first === null ? from : to}`, {
      hint: `Name a line from 1 to ${all.length}.`,
    });
  }
  const blame = await withOrigins(shell, {}, (origins) => origins.ofFile(path, all));
  const lines = blame.lines.slice(from - 1, to);
  if (flags.json) {
    const { origins, ...rest } = onlyUsed(blame, lines);
    return { answer: `${toJsonText({ ...rest, origins }, 2)}\n`, left: blame.left };
  }
  const isOne = first !== null && (last === null || last === first);
  const draw = isOne ? drawLines : drawFile;
  return { answer: draw({ ...blame, lines }, { name: nameShown(name), shell }), left: blame.left };
}

function nameShown(name: string): string {
  return name.replace(/:\d+(?:-\d+)?$/u, "");
}

/** Keeps only the turns of these lines, and gives them new numbers. */
function onlyUsed(blame: FileBlame, lines: readonly BlamedLine[]): FileBlame {
  const used = new Map<number, number>();
  const numberOf = (origin: number): number => {
    const known = used.get(origin) ?? used.size;
    used.set(origin, known);
    return known;
  };
  const shown = lines.map((line) => ({
    ...line,
    origin: line.origin === null ? null : numberOf(line.origin),
    others: line.others.map(numberOf),
    earlier: line.earlier.map(numberOf),
  }));
  const origins = [...used.keys()].flatMap((origin) => blame.origins[origin] ?? []);
  return { ...blame, lines: shown, origins };
}

async function ofCommit({ commit = "HEAD", json }: BlameFlags, shell: Shell): Promise<Answer> {
  const blame: CommitBlame = await blameCommit(commit, shell.cwd, (before, ask) =>
    withOrigins(shell, { before }, ask),
  );
  return { answer: json ? `${toJsonText(blame, 2)}\n` : drawCommit(blame, shell), left: blame.left };
}

async function withOrigins<T>(
  shell: Shell,
  { before }: { readonly before?: string },
  ask: (origins: Origins) => Promise<T>,
): Promise<T> {
  using progress = createProgress(shell);
  progress.show("searching the sessions");
  let isUnindexed = false;
  const origins = openOrigins({
    places: shell,
    exclude: await patternsWork(shell),
    nowMs: shell.now.getTime(),
    onUnindexed: () => {
      isUnindexed = true;
    },
    ...present({ before }),
  });
  const answer = await ask(origins);
  if (isUnindexed) await startIndexing("search", shell);
  return answer;
}

interface LineRange {
  readonly path: string;
  readonly first: number | null;
  readonly last: number | null;
}

/** If a file exists whose name ends like a line number, that file is meant. */
function placeIn(name: string, cwd: string): LineRange {
  const [, file = name, first, last] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/u.exec(name) ?? [];
  if (first === undefined || existsSync(resolve(cwd, name))) {
    return { path: resolve(cwd, name), first: null, last: null };
  }
  return { path: resolve(cwd, file), first: Number(first), last: last === undefined ? null : Number(last) };
}

function notesOf({ sessions, unreadable, unsearched, edits }: FileBlame["left"]): string[] {
  return [
    sessions === 0
      ? ""
      : `${plural(sessions, "session")} not read: too many or too large, the oldest are left out.`,
    unreadable === 0 ? "" : `${plural(unreadable, "session")} cannot be read.`,
    unsearched === 0 ? "" : `${plural(unsearched, "session")} not searched: the time was over.`,
    edits === 0 ? "" : `${plural(edits, "edit")} not compared, the oldest: there are too many.`,
  ].filter((note) => note !== "");
}
