/** Bodies written and removed under notes, and the sweep that removes what processes left that ended in between. */

import type { BlobBodies } from "@continuo/core/model";
import { type Engine, engineOfWorkspace } from "../engine/index.ts";
import {
  forgetObject,
  giveUpObject,
  isObject,
  type LeftObject,
  leftObjects,
  noteObject,
} from "../rules/index.ts";

/** The key of the body, which is noted before it is written where it becomes an object. */
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

/** An upload and its row are not further apart than this. */
const LEFT_AFTER_MS = 86_400_000;

interface SweepOptions {
  readonly minAgeMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Removes objects of all workspaces that no row names, and returns how many. One that is being stored is found by its note,
 * and storing it fails then: no row ever names an object that was removed.
 */
export async function sweepObjects(
  engine: Engine,
  { minAgeMs = LEFT_AFTER_MS, signal }: SweepOptions = {},
): Promise<number> {
  if (engine.bodies.newIn !== "s3") return 0;
  let swept = 0;
  for (let after: LeftObject | undefined; ; ) {
    const from = after;
    const page = await engine.read((scope) => leftObjects(scope, minAgeMs, from), signal);
    for (const left of page) {
      const own = engineOfWorkspace(engine, left.workspaceId);
      if (!(await own.write((tx) => giveUpObject(tx, left.bodyKey), signal))) continue;
      await removeBody(own, left.bodyKey);
      swept++;
    }
    after = page.at(-1);
    if (after === undefined) return swept;
  }
}
