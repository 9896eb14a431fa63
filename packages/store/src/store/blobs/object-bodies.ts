/**
 * Writes and removes bodies. A note of each object is stored first, so that the objects of a process that ended too
 * early are found and removed.
 */

import type { BlobBodies } from "@continuo/core/model";
import { type Engine, engineOfWorkspace } from "../engine/index.ts";
import {
  forgetObject,
  giveUpObject,
  isObject,
  leftObjects,
  noteObject,
  type UnreferencedObject,
} from "../rules/index.ts";

/** Writes a body and returns its key. A body that becomes an object is noted before it is written. */
export async function putBody(
  engine: Engine,
  target: BlobBodies,
  bytes: AsyncIterable<Uint8Array>,
): Promise<string> {
  return await target.put(engine.scope.newId(), bytes, async (key) => {
    if (isObject(key)) await engine.write((tx) => noteObject(tx, key, "writing"));
  });
}

/** Removes a body that no row names, and its note. */
export async function removeBody(engine: Engine, key: string): Promise<void> {
  await engine.bodies.remove(key);
  if (isObject(key)) await engine.write((tx) => forgetObject(tx, key));
}

/** The row of a body is written before this time has passed after the upload. */
const LEFT_AFTER_MS = 86_400_000;

interface SweepOptions {
  readonly minAgeMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Removes the objects of all workspaces that no row names, also the parts of incomplete objects, and returns their
 * number. Removing an object that is being stored also removes its note, so that storing it fails, and no row
 * ever refers to a removed object.
 */
export async function sweepObjects(
  engine: Engine,
  { minAgeMs = LEFT_AFTER_MS, signal }: SweepOptions = {},
): Promise<number> {
  if (engine.bodies.newIn !== "s3") return 0;
  let swept = 0;
  for (let after: UnreferencedObject | undefined; ; ) {
    const from = after;
    const page = await engine.read((scope) => leftObjects(scope, minAgeMs, from), signal);
    for (const left of page) {
      const own = engineOfWorkspace(engine, left.workspaceId);
      if (!(await own.write((tx) => giveUpObject(tx, left.bodyKey), signal))) continue;
      await own.bodies.abandon?.(left.bodyKey);
      await removeBody(own, left.bodyKey);
      swept++;
    }
    after = page.at(-1);
    if (after === undefined) return swept;
  }
}
