/** An agent that never ran, and keeps its sessions in one database: the installed agent makes it in a private home. */

import { join } from "node:path";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { makeScratchFolder, openOutputFile, type Places, statFile } from "@continuo/files";
import { openScratch } from "@continuo/native/editing/placing";
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
 * Gives the path of a database that was made; `null` where it is there, or the agent needs none or is not installed.
 * A database that another process makes meanwhile stays. Errors: those of writing the session, `unsupported` where the
 * agent makes none; nothing is written then.
 */
export async function makeFirstFile(made: WriterSession, options: FirstStartOptions): Promise<string | null> {
  const { writer, session, file } = made;
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
      `${writer.agent} never ran here, and makes no database: ${cause.message}`,
      {
        cause,
        hint: `Start ${writer.agent} once.`,
      },
    );
  });
  if (bytes === null) return null;
  await rehearse(made, bytes, join(scratch.path, "rehearsal.db"));
  try {
    // Its own folder is forbidden to what a person names, and is the place here.
    using output = await openOutputFile(file, { force: false, forbidden: [], makeFolder: true });
    output.write(bytes);
    output.commit();
  } catch (error) {
    if (isContinuoError(error, "conflict")) return null;
    throw error;
  }
  return file;

  /** An obstacle to writing the session must be known before there is a database. */
  async function rehearse(all: WriterSession, database: Buffer, path: string): Promise<void> {
    writeNewFile(path, database);
    const sink = await writer.openSink(path, session.sessionId, places);
    try {
      sink.create(await recordsOf(all, session));
    } finally {
      sink.close();
    }
  }
}
