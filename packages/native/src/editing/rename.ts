/** Changes the title of a session in the agent's own format, so that the agent shows it. */

import { assertKnownOptions, cancellable } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import {
  formatOf,
  LOOKUP_OPTIONS,
  type Lookup,
  type LookupOptions,
  lookUpSession,
  type SessionRef,
} from "../native/index.ts";
import { toGivenTitle } from "../native/kit/index.ts";
import { makersOfNow } from "../native/writing/index.ts";
import { refuseOpen } from "./live.ts";
import { fileOf, lockedForEdit, settleUnfinished } from "./locking/index.ts";
import { againOnConflict, appendRecords, placeTitle } from "./placing/index.ts";

/**
 * Returns the new title. Errors: those of a lookup, `invalid` for an empty title or a long one, `session_live`, `busy`,
 * `conflict` if the agent wrote at the same time, `unsupported`, `unwritable`.
 */
export async function renameNativeSession(
  ref: SessionRef,
  title: string,
  options: LookupOptions = {},
): Promise<string> {
  assertKnownOptions("renameNativeSession", options, LOOKUP_OPTIONS);
  return await cancellable(options.signal, () => rename(ref, title, options));
}

async function rename(ref: SessionRef, title: string, options: LookupOptions): Promise<string> {
  const places = options.places ?? placesOfThisUser();
  await settleUnfinished({ places, signal: options.signal });
  const lookup = await lookUpSession(ref, { ...options, places });
  const { found } = lookup;
  const line = toGivenTitle(title);
  await refuseOpen(lookup);
  const { signal } = options;
  const file = fileOf(found);
  await lockedForEdit({ ...found, file }, { places, signal }, async () => {
    await settleUnfinished({ places, file, signal });
    await againOnConflict(() => writeTitle(lookup, { title: line, places, signal }));
  });
  return line;
}

interface WriteTitle {
  readonly title: string;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
}

async function writeTitle(lookup: Lookup, { title, places, signal }: WriteTitle): Promise<void> {
  const { reader, found } = lookup;
  const { agent, sessionId } = found;
  const sessionFile = fileOf(found);
  const writer = await (await formatOf(agent)).writer();
  const sink = await writer.openSink(sessionFile, sessionId, places);
  try {
    const after = sink.mark();
    using opened = await reader.open(found, places, {});
    const history = await Array.fromAsync(opened.history());
    const lastAnswer = history.findLast(({ role }) => role === "assistant") ?? null;
    const lastPrompt = history.findLast(({ role }) => role === "user") ?? null;
    const tip = await writer.openTip({ opened, lastAnswer, lastPrompt }, signal);
    const renaming = { sessionId, sessionFile, title };
    const { records, besides = [] } = writer.rename(tip, renaming, makersOfNow());
    if (records.length > 0) await appendRecords({ writer, sink, file: sessionFile, records, after, places });
    await placeTitle({ agent, sessionId, path: sessionFile, title, besides }, writer, places);
  } finally {
    sink.close();
  }
}
