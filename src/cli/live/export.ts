/** `continuo live export`: the notes, the evidence and the pictures of a session, in one file. */

import { resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import type { BlobPointer, LiveSession, Note, WireEvent } from "@continuo/core/wire";
import { openOutputFile, placesOf, type ZipEntry, zipChunks } from "@continuo/files";
import { forbiddenFolders } from "@continuo/native";
import { accessOf, callServer, type ServerAccess } from "../channel/index.ts";
import { plural, type Shell, toJsonText } from "../terminal/index.ts";
import { type LiveExport, toHtml, toMarkdown } from "./export-pages.ts";
import type { ExportFlags } from "./flags.ts";
import { runFollow } from "./follow.ts";
import { livePath } from "./lines.ts";
import { readPage } from "./sessions.ts";

/** An ending for the types that browsers capture; others are kept as bytes. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
};

const MAX_FRAME_BYTES = 33_554_432;

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
    format === "zip" ? zipChunks(entriesOf(key, { exported, access, leftOut })) : [textOf(exported, format)];
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

function textOf(exported: LiveExport, format: "md" | "html" | "json"): string {
  if (format === "html") return toHtml(exported);
  return format === "md" ? toMarkdown(exported) : `${toJsonText(exported)}\n`;
}

interface Zipping {
  readonly exported: LiveExport;
  readonly access: ServerAccess;
  readonly leftOut: { pictures: number };
}

async function* entriesOf(key: string, { exported, access, leftOut }: Zipping): AsyncGenerator<ZipEntry> {
  yield { name: "notes.md", bytes: Buffer.from(toMarkdown(exported)) };
  yield { name: "notes.html", bytes: Buffer.from(toHtml(exported)) };
  const { session, page, notes, evidence } = exported;
  yield { name: "session.json", bytes: Buffer.from(`${toJsonText({ session, page, notes })}\n`) };
  const lines = evidence.map((event) => `${JSON.stringify(event)}\n`).join("");
  yield { name: "evidence.jsonl", bytes: Buffer.from(lines) };
  for (const { sequence, data } of evidence) {
    const { full, thumbnail } = (data ?? {}) as Readonly<
      Record<"full" | "thumbnail", BlobPointer | undefined>
    >;
    for (const [tier, pointer] of Object.entries({ full, thumbnail })) {
      if (pointer === undefined) continue;
      const bytes = await readFrame(key, { sequence, hash: pointer.hash }, access);
      if (bytes === null) {
        leftOut.pictures++;
        continue;
      }
      const ending = ENDINGS[pointer.mediaType ?? ""] ?? "bin";
      yield { name: `frames/${String(sequence).padStart(7, "0")}-${tier}.${ending}`, bytes, method: "store" };
    }
  }
}

/** `null` for a picture that was removed at its time, is too large, or cannot be read whole. */
async function readFrame(
  key: string,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
  { serverUrl, token }: ServerAccess,
): Promise<Uint8Array | null> {
  const path = livePath(key, `/blobs/${encodeURIComponent(hash)}?sequence=${sequence}`);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${serverUrl}${path}`, { headers, redirect: "error" });
  if (!response.ok || Number(response.headers.get("content-length")) > MAX_FRAME_BYTES) {
    await response.body?.cancel();
    return null;
  }
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    // The server cannot read it, or is gone: then it does not answer the next request either.
    return null;
  }
}

/** Chooses the format by the ending of the file's name; Markdown for any other. */
function formatOf(path: string | undefined): "md" | "html" | "json" | "zip" {
  const ending = path?.split(".").at(-1)?.toLowerCase();
  return ending === "html" || ending === "json" || ending === "zip" ? ending : "md";
}
