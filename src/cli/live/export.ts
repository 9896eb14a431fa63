/** `continuo live export`: the notes, the evidence and the pictures of a session, in one file. */

import { resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import type { LiveSession, Note, WireEvent } from "@continuo/core/wire";
import { openOutputFile, placesOf, type ZipEntry, zipChunks } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import { plural, type Shell, toJsonText } from "../terminal/index.ts";
import { framesOf, pagePictures, readFrame } from "./export-frames.ts";
import { type LiveExport, toHtml, toMarkdown } from "./export-pages.ts";
import type { ExportFlags } from "./flags.ts";
import { runFollow } from "./follow.ts";
import { livePath } from "./lines.ts";
import { readPage } from "./sessions.ts";

export async function runExport(key: string | undefined, flags: ExportFlags, shell: Shell): Promise<number> {
  if (flags.follow !== undefined || flags.channel !== undefined) return runFollow(key, flags, shell);
  if (key === undefined) {
    throw new ContinuoError("usage", "the key of the session is missing", {
      hint: "Name a key of `continuo live list`, or use --follow FOLDER for all sessions.",
    });
  }
  const access = await accessOf(flags, shell);
  const { format = formatOf(flags.output), output } = flags;
  if (format === "zip" && (output === undefined || output === "-") && shell.stdout.isTTY === true) {
    throw new ContinuoError("usage", "cannot print a ZIP archive on a terminal", {
      hint: "Use --output FILE.",
    });
  }
  const exported = await read(key, access);
  const leftOut = { pictures: 0 };
  const chunks =
    format === "zip"
      ? zipChunks(entriesOf(key, { exported, access, leftOut }))
      : [format === "html" ? await pageOf(key, exported, access) : textOf(exported, format)];
  if (output === undefined || output === "-") {
    for await (const chunk of chunks) shell.stdout.write(chunk);
    tellLeftOut(leftOut.pictures, shell);
    return 0;
  }
  const options = { force: flags.force === true, forbidden: await forbiddenFolders(placesOf(shell)) };
  using file = await openOutputFile(resolve(shell.cwd, output), options);
  for await (const chunk of chunks) file.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  file.commit();
  const { notes, evidence } = exported;
  shell.stderr.write(
    `wrote ${plural(notes.length, "note")} and ${plural(evidence.length, "piece")} of evidence\n`,
  );
  tellLeftOut(leftOut.pictures, shell);
  return 0;
}

function tellLeftOut(pictures: number, shell: Shell): void {
  if (pictures === 0) return;
  shell.stderr.write(`left out: ${plural(pictures, "picture")} (removed, damaged, or over 32 MB)\n`);
}

async function read(key: string, access: ServerAccess): Promise<LiveExport> {
  const session = (await callServer(access, livePath(key))) as unknown as LiveSession;
  const { notes } = (await callServer(access, livePath(key, "/notes"))) as {
    readonly notes: readonly Note[];
  };
  const page = await readPage(key, access);
  const evidence: WireEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const part = (await callServer(access, livePath(key, `/evidence?after=${after}`))) as {
      readonly events: readonly WireEvent[];
      readonly nextAfter: number | null;
    };
    evidence.push(...part.events);
    after = part.nextAfter;
  }
  return { session, page, notes, evidence };
}

function textOf(exported: LiveExport, format: "md" | "json"): string {
  return format === "md" ? toMarkdown(exported) : `${toJsonText(exported)}\n`;
}

interface ZipContext {
  readonly exported: LiveExport;
  readonly access: ServerAccess;
  readonly leftOut: { pictures: number };
}

async function* entriesOf(key: string, { exported, access, leftOut }: ZipContext): AsyncGenerator<ZipEntry> {
  const { session, page, notes, evidence } = exported;
  yield { name: "notes.html", bytes: Buffer.from(await pageOf(key, exported, access)) };
  yield { name: "session.json", bytes: Buffer.from(`${toJsonText({ session, page, notes })}\n`) };
  const lines = evidence.map((event) => `${JSON.stringify(event)}\n`).join("");
  yield { name: "evidence.jsonl", bytes: Buffer.from(lines) };
  const files = new Map<number, string>();
  for (const frame of framesOf(evidence)) {
    const bytes = await readFrame(key, frame, access);
    if (bytes === null) {
      leftOut.pictures++;
      continue;
    }
    // The full picture comes first, and the notes show it.
    if (!files.has(frame.sequence)) files.set(frame.sequence, frame.name);
    yield { name: frame.name, bytes, method: "store" };
  }
  yield { name: "notes.md", bytes: Buffer.from(toMarkdown(exported, files)) };
}

async function pageOf(key: string, exported: LiveExport, access: ServerAccess): Promise<string> {
  return toHtml(exported, await pagePictures(key, framesOf(exported.evidence), access));
}

/** Chooses the format by the ending of the file's name; Markdown for any other. */
function formatOf(path: string | undefined): "md" | "html" | "json" | "zip" {
  const ending = path?.split(".").at(-1)?.toLowerCase();
  return ending === "html" || ending === "json" || ending === "zip" ? ending : "md";
}
