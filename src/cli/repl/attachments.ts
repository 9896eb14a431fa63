/**
 * Files that a person names in a line: `@src/a.ts`, `@"a name.md"`, or the path of a picture, as a terminal pastes it;
 * `@clipboard` is the picture of the clipboard. Only files whose names were typed are read: regular files without a
 * link in the path, up to a limit.
 */

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Block, ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { formatSize } from "../terminal/index.ts";
import { type Desktop, readClipboard } from "./clipboard.ts";
import { REPL_LIMITS } from "./limits.ts";
import { CLIPBOARD } from "./paste.ts";

export interface Attachments {
  readonly blocks: readonly Block[];
  /** A line for the person about each attachment. */
  readonly notes: readonly string[];
}

interface Mention {
  readonly path: string;
  /** `file` is a name after `@`. If the file or the picture does not exist, the text is only a word. */
  readonly type: "file" | "picture" | "clipboard";
}

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"]+))/gu;
const PICTURE =
  /(?<=^|\s)(?:'((?:~\/|\/|file:\/\/\/)[^'\n]+)'|((?:~\/|\/|file:\/\/\/)(?:\\.|[^\s\\])+))(?=\s|$)/gu;
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp)$/iu;

/** Returns the files and pictures that a line names, each once. Pure. */
export function mentionsIn(line: string): readonly Mention[] {
  const files = [...line.matchAll(MENTION)].map(([, quoted, plain = ""]): Mention => {
    return { path: quoted ?? plain, type: isClipboard(plain) ? "clipboard" : "file" };
  });
  const pictures = [...line.matchAll(PICTURE)]
    .map(([, quoted, plain = ""]) => quoted ?? plain.replace(/\\(.)/gu, "$1"))
    .filter((path) => PICTURE_NAME.test(path))
    .map((path): Mention => ({ path, type: "picture" }));
  const seen = new Set<string>();
  return [...files, ...pictures].filter(({ path }) => !seen.has(path) && seen.add(path) !== undefined);
}

/** A person can name a file that is called `clipboard` with `@./clipboard`. */
function isClipboard(plain: string | undefined): boolean {
  return plain !== undefined && plain.replace(SENTENCE_END, "") === CLIPBOARD;
}

/** A punctuation mark after a name can end a sentence. */
const SENTENCE_END = /[.,;:!?)\]]+$/u;

interface AttachmentSource {
  readonly cwd: string;
  readonly home?: string;
  /** The machine whose clipboard is read. */
  readonly desktop: Desktop;
}

/** Errors: `usage` for a file that exists and cannot be attached; `too_large`; those of `readClipboard`. */
export async function attach(
  line: string,
  { cwd, home = homedir(), desktop }: AttachmentSource,
): Promise<Attachments> {
  const blocks: Block[] = [];
  const notes: string[] = [];
  let left: number = REPL_LIMITS.attachedBytes;
  for (const mention of mentionsIn(line).slice(0, REPL_LIMITS.attachedFiles)) {
    const found =
      mention.type === "clipboard"
        ? { name: "the picture of the clipboard", bytes: await readClipboard(desktop, { maxBytes: left }) }
        : await readMention(mention, { cwd, home, maxBytes: left });
    if (found === null) continue;
    const { name, bytes } = found;
    left -= bytes.length;
    blocks.push(toBlock(name, bytes));
    notes.push(`attached ${visibleLine(name)} (${formatSize(bytes.length)})`);
  }
  return { blocks, notes };
}

interface AttachmentLimits {
  readonly cwd: string;
  readonly home: string;
  readonly maxBytes: number;
}

/** Returns `null` if there is no such file, so the text was only a word. */
async function readMention(
  { path }: Mention,
  { cwd, home, maxBytes }: AttachmentLimits,
): Promise<{ readonly name: string; readonly bytes: Buffer } | null> {
  for (const name of [path, path.replace(SENTENCE_END, "")]) {
    const full = resolve(await realpath(cwd), expanded(name, home));
    const real = await realpath(full).catch(() => null);
    if (real === null) continue;
    if (real !== full) throw refused(name, `it is reached by a link to ${visibleLine(real)}`);
    const file = await open(full, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
      (error: NodeJS.ErrnoException) => {
        throw refused(name, error.code === "EACCES" ? "it is not readable" : "it cannot be opened");
      },
    );
    try {
      return { name, bytes: await readBytes(file, name, maxBytes) };
    } finally {
      await file.close();
    }
  }
  return null;
}

function expanded(path: string, home: string): string {
  if (path.startsWith("file:///")) {
    try {
      return fileURLToPath(path);
    } catch {
      // The text is not a path on this machine, so there is no such file.
      return path;
    }
  }
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

async function readBytes(file: FileHandle, name: string, maxBytes: number): Promise<Buffer> {
  const stat = await file.stat();
  if (stat.isDirectory()) throw refused(name, "it is a folder");
  if (!stat.isFile()) throw refused(name, "it is not a regular file");
  // The file may grow while it is read.
  const buffer = Buffer.alloc(Math.min(stat.size, maxBytes) + 1);
  let size = 0;
  while (size < buffer.length) {
    const { bytesRead } = await file.read(buffer, size, buffer.length - size, size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  if (size > maxBytes) {
    throw new ContinuoError("too_large", `cannot attach ${visibleLine(name)}: it is too large`, {
      hint: `Name smaller files: at most ${formatSize(REPL_LIMITS.attachedBytes)} with one prompt.`,
    });
  }
  return buffer.subarray(0, size);
}

function toBlock(name: string, bytes: Buffer): Block {
  const mimeType = pictureTypeOf(bytes);
  if (mimeType !== null) return { type: "image", mimeType, data: bytes.toString("base64") };
  const text = textIn(bytes);
  if (text === null) throw refused(name, "it is neither text nor a picture (PNG, JPEG, GIF, WebP)");
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length + 1)));
  return { type: "text", text: `The file ${name}:\n\n${fence}\n${text.replace(/\n$/u, "")}\n${fence}` };
}

/** Detects the type by the first bytes, regardless of the name. */
function pictureTypeOf(bytes: Buffer): string | null {
  const begins = bytes.toString("latin1", 0, 12);
  if (begins.startsWith("\x89PNG\r\n")) return "image/png";
  if (begins.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/u.test(begins)) return "image/gif";
  return begins.startsWith("RIFF") && begins.endsWith("WEBP") ? "image/webp" : null;
}

function textIn(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function refused(name: string, why: string): ContinuoError {
  return new ContinuoError("usage", `cannot attach ${visibleLine(name)}: ${why}`, {
    hint: "Name a regular file by its own path, or write the name without @.",
  });
}
