/** The flags of each command. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type { StoreFlags } from "./command-store.ts";
import type { MoveFlags } from "./move-blobs.ts";

type Action = (work: (shell: Shell) => Promise<number>) => Promise<void>;

const STORE_HELP =
  "\nThe store is sqlite:PATH or postgres://USER@HOST/DATABASE (default: CONTINUO_STORE, else the database in CONTINUO_HOME).";

export function addStoreCommands(store: Command, run: ProgramRun | null): void {
  /** Runs a command's work and passes on its exit code. */
  const action: Action = (work) => (run === null ? Promise.resolve() : work(run.shell).then(run.onEnd));
  add(store, "info", "show where the store is and how much it holds").action((flags: StoreFlags) =>
    action(async (shell) => (await import("./operations.ts")).runInfo(flags, shell)),
  );
  add(
    store,
    "verify",
    "recompute every hash of every log of the workspace; exit code 4 if one differs",
  ).action((flags: StoreFlags) =>
    action(async (shell) => (await import("./verify.ts")).runVerify(flags, shell)),
  );
  add(store, "migrate", "update the schema (a SQLite database is copied first)").action((flags: StoreFlags) =>
    action(async (shell) => (await import("./operations.ts")).runMigrate(flags, shell)),
  );
  add(store, "backup", "back up the whole store to one file; other programs can keep writing")
    .argument("<file>", "the file to write; it must not exist")
    .action((file: string, flags: StoreFlags) =>
      action(async (shell) => (await import("./operations.ts")).runBackup(file, flags, shell)),
    );
  add(store, "restore", "restore a backup into an empty store, on the same or another engine")
    .argument("<file>", "a file that `continuo store backup` wrote")
    .action((file: string, flags: StoreFlags) =>
      action(async (shell) => (await import("./operations.ts")).runRestore(file, flags, shell)),
    );
  add(store, "vacuum", "remove expired logs and unused blobs, and return the space to the system").action(
    (flags: StoreFlags) => action(async (shell) => (await import("./operations.ts")).runVacuum(flags, shell)),
  );
  const blobs = store.command("blobs").description("where the bytes of large blobs are kept");
  add(
    blobs,
    "move",
    "move the bytes of large blobs into files, the database or S3; other programs can keep writing",
  )
    .requiredOption("--to <place>", "files (SQLite only), database or s3 (`blobs.s3` in continuo.yaml)")
    .action((flags: MoveFlags) =>
      action(async (shell) => (await import("./move-blobs.ts")).runMoveBlobs(flags, shell)),
    );
}

function add(store: Command, name: string, says: string): Command {
  return store
    .command(name)
    .description(says)
    .option("--store <url>", "the store to use")
    .option("--workspace <id>", "the workspace to use (default: default)")
    .option("--json", "print JSON")
    .addHelpText("after", STORE_HELP);
}
