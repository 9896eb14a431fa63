/** The first database of an agent that never ran on this machine: the installed agent makes it in a private home. */

import { join } from "node:path";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { makeScratchFolder, openOutputFile, openScratch, type Places, statFile } from "@continuo/files";
import { writeNewFile } from "@continuo/native/writing";
import { firstFileOf } from "../drivers/witness/index.ts";
import { recordsOf, type WriterSession } from "./made-session.ts";
import { type AgentPrograms, programOf } from "./verify.ts";

export interface FirstStartOptions {
  readonly programs: AgentPrograms | undefined;
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the path of the new database; `null` if there is one already, or if the agent needs none or is not installed.
 * A database that another process makes at the same time is not replaced. Errors: those of writing the session;
 * `unsupported` if the agent cannot make a database. After an error, nothing was written.
 */
export async function makeFirstFile(made: WriterSession, options: FirstStartOptions): Promise<string | null> {
  const { writer, file } = made;
  const { places, signal } = options;
  if (writer.keepsOneFile !== true || statFile(file) !== null) return null;
  const program = programOf(writer.agent, places, options.programs);
  if (program === null) return null;
  using scratch = openScratch();
  const project = join(scratch.path, "project");
  makeScratchFolder(project);
  const start = { program, searchPath: places.env.PATH ?? "", scratch: scratch.path, project, signal };
  const bytes = await firstFileOf(writer.agent, start).catch((cause: unknown) => {
    if (!isContinuoError(cause, "verification_failed")) throw cause;
    throw new ContinuoError(
      "unsupported",
      `${writer.agent} never ran here, and could not make its database: ${cause.message}`,
      { cause, hint: `Start ${writer.agent} once.` },
    );
  });
  if (bytes === null) return null;
  await tryWriting(made, { database: bytes, path: join(scratch.path, "trial.db"), places });
  try {
    // A person must not choose an output file in the agent's folder, but this database belongs there.
    using output = await openOutputFile(file, { force: false, forbidden: [], makeFolder: true });
    output.write(bytes);
    output.commit();
  } catch (error) {
    if (isContinuoError(error, "conflict")) return null;
    throw error;
  }
  return file;
}

interface Trial {
  readonly database: Buffer;
  readonly path: string;
  readonly places: Places;
}

/** Writes the session into a copy of the database, so that an error happens before the agent has a database. */
async function tryWriting(made: WriterSession, { database, path, places }: Trial): Promise<void> {
  const { writer, session } = made;
  writeNewFile(path, database);
  const sink = await writer.openSink(path, session.sessionId, places);
  try {
    sink.create(await recordsOf(made, session));
  } finally {
    sink.close();
  }
}
