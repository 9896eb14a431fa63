/**
 * The format of a bundle: gzip of one line of JSON, the manifest, and then the bytes of its files, one after the other
 * in the order of the manifest. Paths are relative, with `/`, as they are below a home folder.
 */

import { AGENT_NAMES, type AgentName, ContinuoError, present } from "@continuo/core/model";
import { z } from "zod";
import { MAX_FILES, MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_TOTAL_BYTES } from "./limits.ts";

export interface BundledFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly continuoBundle: 1;
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The folder of the session on the machine where it was packed. */
  readonly cwd: string | null;
  readonly title: string | null;
  /** ISO 8601. */
  readonly packedAt: string;
  /** The path of the file that the session is opened by, or of the database that has its rows. */
  readonly main: string;
  /** For a database, the part of the location after `#`. */
  readonly row: string | null;
  readonly files: readonly BundledFile[];
  /** The work tree that the session worked in; its state is in files below `WORK_TREE`. */
  readonly workTree?: BundledWorkTree;
}

export interface BundledWorkTree {
  /** Its folder on the machine where it was packed. */
  readonly folder: string;
}

/**
 * The folder of the files of a work tree in a bundle. Older versions of Continuo unpack these files, but place only the
 * session.
 */
export const WORK_TREE = "continuo-work-tree";

const bundledFile: z.ZodType<BundledFile> = z.object({
  path: z.string().refine(isSafePath),
  sizeBytes: z.int().nonnegative().max(MAX_TOTAL_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
});

const manifest: z.ZodType<Manifest> = z.object({
  continuoBundle: z.literal(1),
  agent: z.enum(AGENT_NAMES),
  sessionId: z.string().min(1).max(200),
  cwd: z.string().max(4_096).nullable(),
  title: z.string().max(4_096).nullable(),
  packedAt: z.iso.datetime(),
  main: z.string(),
  row: z.string().max(200).nullable(),
  files: z.array(bundledFile).min(1).max(MAX_FILES),
  workTree: z.object({ folder: z.string().max(4_096) }).exactOptional(),
});

/** Errors: `unsupported` for a bundle of a newer version, `corrupt` for a file that is not a bundle. */
export function parseManifest(value: unknown): Manifest {
  const version = (value as { readonly continuoBundle?: unknown } | null)?.continuoBundle;
  if (typeof version === "number" && version > 1) {
    throw new ContinuoError(
      "unsupported",
      `the bundle is of version ${version}, and this Continuo reads version 1`,
      {
        hint: "Install a newer version of Continuo.",
      },
    );
  }
  const { success, data, error } = manifest.safeParse(value);
  if (!success) throw noBundle(z.prettifyError(error).split("\n")[0] ?? "");
  const paths = new Set(data.files.map(({ path }) => path.toLowerCase()));
  if (paths.size !== data.files.length) throw noBundle("two files have one path");
  if (data.files.some(({ path }) => foldersOf(path.toLowerCase()).some((folder) => paths.has(folder))))
    throw noBundle("a file lies below another file");
  if (!data.files.some(({ path }) => path === data.main))
    throw noBundle("the file of the session is missing");
  const total = data.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (total > MAX_TOTAL_BYTES) throw noBundle("its files are larger than a bundle may be");
  return data;
}

/** True for a relative path of plain names, which leads neither up nor elsewhere on any system. */
export function isSafePath(path: string): boolean {
  if (path === "" || Buffer.byteLength(path) > MAX_PATH_BYTES || !path.isWellFormed()) return false;
  return path
    .split("/")
    .every(
      (name) =>
        !["", ".", ".."].includes(name) &&
        Buffer.byteLength(name) <= MAX_NAME_BYTES &&
        !/[\0\\:]/u.test(name),
    );
}

function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

export function noBundle(why: string, cause?: unknown): ContinuoError {
  return new ContinuoError("corrupt", `the file is not a whole bundle: ${why}`, {
    hint: "Create it again with `continuo session export ID --bundle FILE`.",
    ...present({ cause }),
  });
}
