/**
 * Reads a picture from the clipboard. A terminal pastes only text, so a program of the desktop reads the picture:
 * `wl-paste` (Wayland), `xclip` (X11), `pngpaste` or `osascript` (macOS). Each prints it as PNG.
 */

import { execFile } from "node:child_process";
import { findProgram } from "@continuo/agents/drivers/process";
import { ContinuoError } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export type Desktop = Pick<Shell, "env" | "cwd"> & { readonly platform?: NodeJS.Platform };

interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

interface Source {
  readonly program: string;
  readonly package: string;
  readonly args: readonly string[];
  /** The bytes of output for one byte of the picture. */
  readonly factor: number;
  readonly toPicture: (printed: Buffer) => Buffer;
}

const asPrinted = (printed: Buffer): Buffer => printed;
const WAYLAND: Source = {
  program: "wl-paste",
  package: "wl-clipboard",
  args: ["--no-newline", "--type", "image/png"],
  factor: 1,
  toPicture: asPrinted,
};
const X11: Source = {
  program: "xclip",
  package: "xclip",
  args: ["-selection", "clipboard", "-target", "image/png", "-out"],
  factor: 1,
  toPicture: asPrinted,
};
const MAC: readonly Source[] = [
  { program: "pngpaste", package: "pngpaste", args: ["-"], factor: 1, toPicture: asPrinted },
  {
    program: "osascript",
    package: "pngpaste",
    args: ["-e", "the clipboard as «class PNGf»"],
    factor: 2,
    // The output is `«data PNGf89504E47…»`.
    toPicture: (printed) =>
      Buffer.from(/PNGf([0-9a-f]*)/iu.exec(printed.toString("latin1"))?.[1] ?? "", "hex"),
  },
];

/** Errors: `unsupported` without a desktop or a program, `not_found` without a picture, `too_large`, `unavailable`. */
export async function readClipboard(
  desktop: Desktop,
  { maxBytes, timeoutMs = REPL_LIMITS.clipboardMs }: Limits,
): Promise<Buffer> {
  const { env, cwd } = desktop;
  const sources = sourcesOf(desktop);
  if (sources.length === 0) throw unsupported("this process has no desktop", BY_PATH);
  for (const source of sources) {
    const path = findProgram(source.program, env.PATH ?? "", cwd);
    if (path !== null) return await readBy(path, source, { env, maxBytes, timeoutMs });
  }
  const names = sources.map(({ program }) => program).join(" and ");
  throw unsupported(
    `${names} cannot be found`,
    `Install ${sources[0]?.package ?? names}, or attach a file: \`@PATH\`.`,
  );
}

function sourcesOf({ env, platform = process.platform }: Desktop): readonly Source[] {
  if (platform === "darwin") return MAC;
  return [
    ...((env.WAYLAND_DISPLAY ?? "") === "" ? [] : [WAYLAND]),
    ...((env.DISPLAY ?? "") === "" ? [] : [X11]),
  ];
}

async function readBy(
  path: string,
  source: Source,
  { env, maxBytes, timeoutMs }: Required<Limits> & Pick<Desktop, "env">,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  execFile(
    path,
    source.args,
    {
      env: { ...env },
      encoding: "buffer",
      maxBuffer: source.factor * maxBytes + MARGIN_BYTES,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    },
    (error, printed) => (error === null ? resolve(printed) : reject(toError(error, source))),
  );
  const picture = source.toPicture(await promise);
  if (!picture.subarray(0, PNG.length).equals(PNG)) throw noPicture();
  if (picture.length > maxBytes) throw tooLarge();
  return picture;
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
/** The text that `osascript` prints around the picture. */
const MARGIN_BYTES = 64;

interface Failure extends Error {
  readonly code?: string | number | null | undefined;
  readonly killed?: boolean;
}

/** A program that ends with an exit code found no picture. */
function toError({ code, killed, message }: Failure, { program }: Source): ContinuoError {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return tooLarge();
  if (typeof code === "number") return noPicture();
  const why = killed === true ? `${program} did not answer in time` : message;
  return new ContinuoError("unavailable", `cannot read the clipboard: ${why}`, { hint: BY_PATH });
}

const BY_PATH = "Name the picture's file instead: `@PATH`.";

function noPicture(): ContinuoError {
  return new ContinuoError("not_found", "the clipboard holds no picture", { hint: "Copy a picture first." });
}

function tooLarge(): ContinuoError {
  return new ContinuoError("too_large", "cannot attach the picture from the clipboard: it is too large", {
    hint: "Copy a smaller part of it.",
  });
}

function unsupported(why: string, hint: string): ContinuoError {
  return new ContinuoError("unsupported", `cannot read the clipboard: ${why}`, { hint });
}
