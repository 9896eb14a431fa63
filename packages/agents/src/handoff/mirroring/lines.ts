/**
 * The lines of mirroring. The machine with the session asks which bytes of a file the other one has, and sends the
 * missing ones; each of its lines gets one line as its answer.
 */

import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { z } from "zod";
import { isSafePath } from "../bundle/index.ts";
import { BATCH_BYTES, MAX_FILE_BYTES } from "./limits.ts";

/** A path below the root of the session's machine. */
const path = z.string().refine(isSafePath);
const folder = z.string().min(1).max(4_096);
const fileBytes = z.int().nonnegative().max(MAX_FILE_BYTES);
const hash = z.string().regex(/^[0-9a-f]{64}$/u);
const mirroredPath = { path, tree: hash.optional() };
const key = { agent: z.enum(AGENT_NAMES), sessionId: z.string().min(1).max(200) };

export interface Hello {
  readonly mirror: 1;
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly main: string;
  readonly machine: string;
  readonly home: string;
  readonly folder: string | null;
}

export const hello: z.ZodType<Hello> = z.object({
  mirror: z.literal(1),
  ...key,
  main: path,
  machine: z.string().min(1).max(255),
  home: folder,
  folder: folder.nullable(),
});

export interface MirroredPath {
  readonly path: string;
  /** The fingerprint of a packed work tree if the path is below its folder; left out for a file of the session. */
  readonly tree?: string | undefined;
}

/** The bytes of `append` and `replace` follow their line; a line with `keep` ends those of `replace`. */
export type Request =
  | { readonly has: MirroredPath }
  | { readonly append: MirroredPath & { readonly offset: number; readonly sizeBytes: number } }
  | { readonly empty: MirroredPath }
  | { readonly replace: { readonly path: string; readonly sizeBytes: number } }
  /** Asks whether all files of a work tree have arrived. If they have, they become the work tree of the mirror. */
  | { readonly workTree: { readonly sha256: string; readonly folder: string; readonly at: string } }
  | { readonly alive: 1 };

export const request: z.ZodType<Request> = z.union([
  z.object({ has: z.object(mirroredPath) }),
  z.object({
    append: z.object({ ...mirroredPath, offset: fileBytes, sizeBytes: z.int().positive().max(BATCH_BYTES) }),
  }),
  z.object({ empty: z.object(mirroredPath) }),
  z.object({ replace: z.object({ path, sizeBytes: fileBytes }) }),
  z.object({ workTree: z.object({ sha256: hash, folder, at: z.iso.datetime() }) }),
  z.object({ alive: z.literal(1) }),
]);

/** `keep` is false for a file that changed while it was sent. */
export interface KeepReply {
  readonly keep: boolean;
}

export const keep: z.ZodType<KeepReply> = z.object({ keep: z.boolean() });

export interface RemoteTakeOver {
  readonly host: string;
  /** ISO 8601. */
  readonly at: string;
  /** `null` while it is placed. */
  readonly session: { readonly agent: AgentName; readonly sessionId: string; readonly cwd: string } | null;
}

export type Answer =
  | { readonly mirroring: 1 }
  | { readonly file: { readonly sizeBytes: number; readonly sha256: string } }
  | { readonly acknowledged: { readonly path: string; readonly sizeBytes: number } }
  | { readonly workTree: "there" | "missing" }
  | { readonly takenOver: RemoteTakeOver };

export const answer: z.ZodType<Answer> = z.union([
  z.object({ mirroring: z.literal(1) }),
  z.object({ file: z.object({ sizeBytes: fileBytes, sha256: hash }) }),
  z.object({ acknowledged: z.object({ path, sizeBytes: fileBytes }) }),
  z.object({ workTree: z.enum(["there", "missing"]) }),
  z.object({
    takenOver: z.object({
      host: z.string().max(255),
      at: z.string().max(40),
      session: z.object({ ...key, cwd: folder }).nullable(),
    }),
  }),
]);
