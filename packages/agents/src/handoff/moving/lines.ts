/**
 * The lines of a move. This machine offers the session, and the other one answers with its offset. This machine sends
 * the bundle from that offset; the other one places the session and confirms.
 */

import {
  AGENT_NAMES,
  type AgentName,
  ContinuoError,
  ERROR_KINDS,
  type ErrorCode,
  present,
} from "@continuo/core/model";
import { isJson } from "@continuo/files";
import { z } from "zod";
import { MAX_BUNDLE_BYTES } from "./limits.ts";

const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u);
const hash = z.string().regex(/^[0-9a-f]{64}$/u);
const folder = z.string().min(1).max(4_096);

export interface Offer {
  readonly move: 1;
  /** The folder that the person named; `null` to find it. */
  readonly into: string | null;
  /** The folder of the work tree, or of the session, on the sending machine, and the home there. */
  readonly folder: string | null;
  readonly home: string;
  /** `null` for a session without a work tree. */
  readonly commits: readonly string[] | null;
}

export const offer: z.ZodType<Offer> = z.object({
  move: z.literal(1),
  into: folder.nullable(),
  folder: folder.nullable(),
  home: folder,
  commits: z.array(commit).max(2_000).nullable(),
});

export interface ReadyReply {
  readonly ready: 1;
  readonly host: string;
  readonly folder: string;
  /** The offered commits that the clone has. */
  readonly known: readonly string[];
}

export const ready: z.ZodType<ReadyReply> = z.object({
  ready: z.literal(1),
  host: z.string().max(255),
  folder,
  known: z.array(commit).max(2_000),
});

export interface BundleOffer {
  readonly bundle: {
    /** The same session and work tree have the same id, even if other commits are sent. */
    readonly moveId: string;
    readonly sha256: string;
    readonly sizeBytes: number;
  };
}

export const bundleOffer: z.ZodType<BundleOffer> = z.object({
  bundle: z.object({ moveId: hash, sha256: hash, sizeBytes: z.int().positive().max(MAX_BUNDLE_BYTES) }),
});

export interface Offset {
  readonly offset: number;
}

export const offset: z.ZodType<Offset> = z.object({ offset: z.int().nonnegative() });

export interface PlacedReply {
  readonly placed: {
    readonly agent: AgentName;
    readonly sessionId: string;
    readonly location: string;
    /** The folder to resume it in. */
    readonly cwd: string;
    readonly resumeCommand: readonly string[];
    /** The program that read the placed session back. */
    readonly readBackBy: string;
    /** The work tree; `null` if none was moved. */
    readonly workTree: string | null;
  };
}

export const placed: z.ZodType<PlacedReply> = z.object({
  placed: z.object({
    agent: z.enum(AGENT_NAMES),
    sessionId: z.string().min(1).max(200),
    location: z.string().max(8_192),
    cwd: folder,
    resumeCommand: z.array(z.string().max(8_192)).max(50),
    readBackBy: z.string().max(200),
    workTree: folder.nullable(),
  }),
});

const confirmation = z.object({ confirmed: z.literal(1) });
export const CONFIRMED: { readonly confirmed: 1 } = { confirmed: 1 };

export function isConfirmation(line: unknown): boolean {
  return confirmation.safeParse(line).success;
}

const failure = z.object({
  error: z.object({
    code: z.string().max(100),
    message: z.string().max(4_000),
    hint: z.string().max(4_000).optional(),
  }),
});

/**
 * Parses a line of the expected kind. Errors: the error that the other machine reported, with its name; those of
 * `broken`.
 */
export function lineAs<T>(
  shape: z.ZodType<T>,
  line: unknown,
  { host, broken }: { readonly host: string; readonly broken: (why: string) => ContinuoError },
): T {
  if (line === null) throw broken("it ended early");
  const read = shape.safeParse(line);
  if (read.success) return read.data;
  const reported = isJson(line) ? failure.safeParse(line) : null;
  if (reported?.success !== true) throw broken("it sent an unexpected line");
  const { code, message, hint } = reported.data.error;
  const known: ErrorCode = Object.hasOwn(ERROR_KINDS, code) ? (code as ErrorCode) : "unavailable";
  throw new ContinuoError(known, `${host}: ${message}`, present({ hint }));
}
