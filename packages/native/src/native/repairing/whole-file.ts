/** Files that are repaired as a whole: read up to a size limit, repaired, and moved only to a free place. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { ContinuoError } from "@continuo/core/model";
import { toReadError } from "@continuo/files/records";
import { editsOf } from "./draft.ts";
import { bytesOf, draftOf } from "./lines.ts";
import type { NativeRepairer, RepairContext } from "./repairer.ts";

/** A repaired file is kept in memory. */
export const MAX_MENDED_BYTES: number = 512 * 1024 * 1024;

/** Errors: `too_large`; those of reading. */
export function readToMend(path: string): Buffer {
  refuseTooLarge(
    path,
    reading(path, () => statSync(path).size),
  );
  const bytes = reading(path, () => readFileSync(path));
  refuseTooLarge(path, bytes.length);
  return bytes;
}

/** Errors: `too_large`. */
export function refuseTooLarge(path: string, sizeBytes: number): void {
  if (sizeBytes <= MAX_MENDED_BYTES) return;
  throw new ContinuoError("too_large", `${path} is larger than ${MAX_MENDED_BYTES} bytes`);
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw toReadError(path, cause);
  }
}

/** The bytes after a repair, and its changes, each reason once; `null` if nothing needs repair. Pure. */
export function repaired(
  repairer: NativeRepairer,
  bytes: Buffer,
  context: RepairContext,
): { readonly steps: readonly string[]; readonly bytes: Buffer } | null {
  const draft = draftOf(bytes);
  repairer.mend(draft, context);
  const steps = [...new Set(editsOf(draft).map(({ reason }) => reason))];
  return steps.length === 0 ? null : { steps, bytes: bytesOf(draft) };
}

/** Errors: `conflict` if another file has the place in which the agent's list looks for this one. */
export function refuseTakenPlace(from: string, to: string): void {
  if (!existsSync(to)) return;
  throw new ContinuoError("conflict", `cannot bring ${from} back: ${to} exists`, {
    hint: "Look at both, and delete one of them with `continuo session delete`.",
  });
}
