/** A session written where only its readers look: in a private home. */

import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isGone, type NativeWriter, type NewSession, writeBeside } from "../adapter/index.ts";
import type { Json, Places } from "../reader/index.ts";

export interface Staging {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly records: readonly Json[];
  readonly home: Places;
}

/** Gives the file. Errors: `unwritable`. */
export async function stageRecords({ writer, session, records, home }: Staging): Promise<string> {
  if (writer.stage !== undefined) {
    const file = join(home.home, "session.json");
    writeBeside({ how: "create", path: file, text: writer.stage(records, session) });
    return file;
  }
  const file = writer.placeOf(session, home);
  for (const beside of writer.besideNew?.(session, file) ?? []) writeBeside(beside);
  const sink = await writer.openSink(file, session.sessionId, home);
  sink.create(records);
  sink.close();
  return file;
}

const SCRATCH = "continuo-scratch-";
const SCRATCH_OF = /^continuo-scratch-(\d+)-/u;

export interface Scratch extends Disposable {
  readonly path: string;
}

/** A folder of this process alone. Those that killed processes left are removed first. */
export function openScratch(): Scratch {
  const folder = realpathSync(tmpdir());
  for (const name of readdirSync(folder)) {
    const pid = SCRATCH_OF.exec(name)?.[1];
    if (pid !== undefined && isGone(Number(pid))) removeScratch(join(folder, name));
  }
  const path = mkdtempSync(join(folder, `${SCRATCH}${process.pid}-`));
  return { path, [Symbol.dispose]: () => removeScratch(path) };
}

/** What an agent that was killed writes once more is removed too. */
function removeScratch(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
