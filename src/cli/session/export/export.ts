/** `session export`: one session as one file. */

import { resolve } from "node:path";
import {
  type CatalogSession,
  type LookUpHit,
  modelViewOf,
  openCatalogSession,
} from "@continuo/agents/catalog";
import { ContinuoError, present, shellWord } from "@continuo/core/model";
import { type SecretCounts, visibleLine } from "@continuo/core/transcript";
import { openOutputFile, placesOf } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { locate } from "../../notices/index.ts";
import {
  createFileOutput,
  createOutput,
  type FileOutput,
  formatSize,
  type Output,
  plural,
  type Shell,
  tildePath,
  toJsonText,
} from "../../terminal/index.ts";
import {
  type BranchStep,
  everyBranch,
  markdownOf,
  openModelView,
  showJson,
  stepsOfBranch,
  type View,
  viewOf,
} from "../show/index.ts";
import { writeDataset } from "./dataset.ts";
import { htmlOf, type PageSource } from "./export-page.ts";
import { DATASET_FORMATS, type ExportFlags, type ExportFormat, isMany } from "./flags.ts";
import { createMask, describeMasked } from "./mask.ts";
import { openSubagents } from "./subagents.ts";

/** Without an id, the filters choose the sessions. */
export async function runExport(id: string | null, flags: ExportFlags, shell: Shell): Promise<number> {
  if (id === null) return await runExportMany(flags, shell);
  if (isMany(flags)) {
    throw new ContinuoError("usage", "cannot choose sessions with filters, and name one as well", {
      hint: "Leave out the id, or the filters.",
    });
  }
  const located = await locate(id, shell);
  if (located.kind === "own" && located.row.isPartial) shell.stderr.write(`${PARTIAL}\n`);
  if (flags.bundle !== undefined) return await writeBundle(located, flags.bundle, flags, shell);
  const format = flags.format ?? formatOf(flags.output);
  const wish = { ...flags, format };
  if (flags.output === undefined || flags.output === "-") {
    report(await writeExport(located, wish, createOutput(shell.stdout), shell), shell);
    return 0;
  }
  report(await toFile(flags.output, flags, shell, (file) => writeExport(located, wish, file, shell)), shell);
  return 0;
}

const PARTIAL = "incomplete: an import of this session has not been completed, so messages are missing";

/** Writes the file completely or not at all. */
async function toFile<Result>(
  path: string,
  flags: Pick<ExportFlags, "force">,
  shell: Shell,
  write: (file: FileOutput) => Promise<Result>,
): Promise<Result> {
  const forbidden = await forbiddenFolders(placesOf(shell));
  const options = { force: flags.force === true, forbidden };
  using file: FileOutput = await createFileOutput(path, options, shell);
  const result = await write(file);
  const sizeBytes = await file.commit();
  shell.stderr.write(`${tildePath(file.path, shell.home)}, ${plural(sizeBytes, "byte")}\n`);
  return result;
}

async function runExportMany(flags: ExportFlags, shell: Shell): Promise<number> {
  const { datasetFormat, exportMany } = await import("./many.ts");
  const wish = { ...flags, format: datasetFormat(flags) };
  const write = (output: Output) => exportMany(flags, wish, output, shell);
  const isPrinted = flags.output === undefined || flags.output === "-";
  const { report, exitCode } = isPrinted
    ? await write(createOutput(shell.stdout))
    : await toFile(flags.output ?? "", flags, shell, write);
  shell.stderr.write(`${report.join("\n")}\n`);
  return exitCode;
}

function report(masked: SecretCounts | null, shell: Shell): void {
  if (masked !== null) shell.stderr.write(`${describeMasked(masked)}\n`);
}

type ExportWish = Omit<ExportFlags, "output" | "bundle"> & { readonly format: ExportFormat };

/** The secrets that were masked; `null` if masking was not requested. */
export async function writeExport(
  located: LookUpHit,
  wish: ExportWish,
  output: Output,
  shell: Shell,
): Promise<SecretCounts | null> {
  if (wish.turns !== undefined && wish.format !== "html") throw notForTurns();
  using whole = await openCatalogSession(located, shell);
  const opened = wish.modelView ? await openModelView(located, whole, undefined) : whole;
  const isDataset = DATASET_FORMATS.some((one) => one === wish.format);
  const mask = wish.maskSecrets || isDataset ? createMask() : null;
  const steps = wish.all ? everyBranch(opened) : stepsOfBranch(opened, undefined);
  const subagents = openSubagents(opened, shell);
  const shown =
    mask === null
      ? { session: opened, steps, subagents }
      : { session: mask.session(opened), steps: mask.steps(steps), subagents: mask.subagents(subagents) };
  const source = {
    ...shown,
    seenIds: () => seenIdsOf(located, whole, wish),
    masked: () => (mask === null ? null : describeMasked(mask.found())),
  };
  const leftOut = await writeSession(source, { ...wish, shell }, output);
  if (leftOut !== undefined) shell.stderr.write(`${leftOut}\n`);
  return mask?.found() ?? null;
}

function notForTurns(): ContinuoError {
  return new ContinuoError("usage", "--turns is only for html", {
    hint: "Add --format html, or name a file that ends in .html.",
  });
}

/** Errors: `unsupported` for a session of Continuo's own, which no agent keeps. */
async function writeBundle(
  located: LookUpHit,
  path: string,
  flags: ExportFlags,
  shell: Shell,
): Promise<number> {
  if (located.kind === "own") {
    throw new ContinuoError("unsupported", "cannot bundle a session of Continuo's own", {
      hint: `Run \`continuo handoff ${shellWord(located.row.sessionId)} --to AGENT\` to make a native session, which can be bundled.`,
    });
  }
  const { packSession } = await import("@continuo/agents/handoff/bundle");
  const { found, places } = located.native;
  const options = { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) };
  using output = await openOutputFile(resolve(shell.cwd, path), options);
  using _onExit = shell.onExit(() => output[Symbol.dispose]());
  const packed = await packSession(found, output, { places, packedAt: shell.now.toISOString() });
  const sizeBytes = output.commit();
  const { agent, sessionId, files } = packed;
  const lines = [
    `${agent}:${sessionId}, ${plural(files, "file")}: ${tildePath(output.path, shell.home)}, ${formatSize(sizeBytes)}`,
    "On the other machine: continuo import FILE --cwd DIR",
  ];
  shell.stderr.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}

const FORMAT_OF_ENDING: Readonly<Record<string, ExportFormat>> = {
  md: "md",
  html: "html",
  htm: "html",
  json: "json",
  jsonl: "jsonl",
};

/** Chooses the format by the ending of the file's name; Markdown for any other. */
function formatOf(path: string | undefined): ExportFormat {
  const ending = path?.split(".").at(-1)?.toLowerCase() ?? "";
  return FORMAT_OF_ENDING[ending] ?? "md";
}

interface Source extends PageSource {
  readonly steps: AsyncIterable<BranchStep>;
}

/**
 * The largest session for which the page shows where the model's view begins, because finding that needs the whole
 * session in memory.
 */
const MAX_SEEN_BYTES = 67_108_864;

async function seenIdsOf(
  located: LookUpHit,
  session: CatalogSession,
  { modelView }: Pick<ExportWish, "modelView">,
): Promise<readonly string[] | null> {
  const { details } = session;
  if (located.kind === "own" || modelView === true || (details.sizeBytes ?? 0) > MAX_SEEN_BYTES) return null;
  return (await modelViewOf(located, session)).map(({ id }) => id);
}

/**
 * Returns a sentence about what was left out, if anything was. The view changes only Markdown and HTML; the other
 * formats are for programs.
 */
async function writeSession(
  source: Source,
  { format, shell, ...flags }: ExportWish & { readonly shell: Shell },
  output: Output,
): Promise<string | undefined> {
  const { session, steps } = source;
  const view: View = { ...viewOf(flags, "full"), invisible: "kept" };
  switch (format) {
    case "json":
      await showJson(session, steps, output);
      return;
    case "jsonl":
      for await (const { message } of steps) await output.write(`${toJsonText(message)}\n`);
      return;
    case "md":
      for await (const chunk of markdownOf(session, steps, view)) await output.write(chunk);
      return;
    case "openai":
    case "anthropic":
    case "sharegpt":
      return await writeDataset(source, format, { ...flags, ...present({ signal: shell.signal }) }, output);
    case "html":
      for await (const chunk of htmlOf(source, view, flags, shell)) await output.write(chunk);
      return;
  }
}
