/** opencode reads a session back: `opencode import` imports it, and `opencode export` prints it (1.18.33). */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratchFolder } from "@continuo/files";
import { opencodeFormat, recogniseFile } from "@continuo/native/opencode";
import { failed, runProgram } from "./program.ts";
import type { ProgramStart, StagedSession, Testimony } from "./witness.ts";

export async function opencodeWitness(staged: StagedSession): Promise<Testimony> {
  const { scratch } = staged;
  const env = privateHome(scratch);
  await runProgram({ staged, args: ["import", staged.file], env });
  const exported = await runProgram({ staged, args: ["export", staged.sessionId], env });
  const copy = join(scratch, "exported.json");
  writeFileSync(copy, exported.slice(exported.indexOf("{")), { mode: 0o600 });
  const found = await recogniseFile(copy);
  const what = { by: "opencode export", depth: "all" } as const;
  if (found === null) return { ...what, history: [] };
  using opened = await opencodeFormat.open(found, staged.home, {});
  return { ...what, history: await Array.fromAsync(opened.history()) };
}

/**
 * Returns the bytes of the database that opencode makes at its first start (1.18.33): it is started in a private home,
 * so that the database has every table and no session. Errors: `verification_failed` if it fails or makes no database.
 */
export async function firstDatabase(start: ProgramStart): Promise<Buffer> {
  const env = privateHome(start.scratch);
  await runProgram({ staged: start, args: ["session", "list"], env });
  const path = join(env.XDG_DATA_HOME, "opencode", "opencode.db");
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw failed({ staged: start }, "it made no database");
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    // The last records of opencode are in a file next to the database.
    database.exec("pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
  return readFileSync(path);
}

function privateHome(scratch: string): Readonly<Record<string, string>> & { readonly XDG_DATA_HOME: string } {
  const config = join(scratch, "config", "opencode");
  makeScratchFolder(config);
  writeFileSync(join(config, "opencode.json"), '{"autoupdate":false,"share":"disabled"}', { mode: 0o600 });
  return {
    XDG_CONFIG_HOME: join(scratch, "config"),
    XDG_DATA_HOME: join(scratch, "data"),
    XDG_STATE_HOME: join(scratch, "state"),
    XDG_CACHE_HOME: join(scratch, "cache"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
}
