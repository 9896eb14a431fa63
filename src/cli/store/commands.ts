/** The flags of each command. Nothing here does any work. */

import type { Command } from "commander";
import type { Shell } from "../terminal/index.ts";
import type { StoreFlags } from "./opened.ts";

interface Run {
  readonly shell: Shell;
  readonly onEnd: (exitCode: number) => void;
}

type Action = (work: (shell: Shell) => Promise<number>) => Promise<void>;

const STORE_HELP =
  "\nThe store is sqlite:PATH or postgres://USER@HOST/DATABASE; without --store it is CONTINUO_STORE, else the database of CONTINUO_HOME.";

export function addStoreCommands(store: Command, run: Run | null): void {
  /** Runs a command's work and hands its exit code on. */
  const action: Action = (work) => (run === null ? Promise.resolve() : work(run.shell).then(run.onEnd));
  add(store, "info", "where the store is, and how much is in it").action((flags: StoreFlags) =>
    action(async (shell) => (await import("./info.ts")).runInfo(flags, shell)),
  );
  add(store, "verify", "recompute every hash of every log; exit code 4 when one differs").action(
    (flags: StoreFlags) => action(async (shell) => (await import("./verify.ts")).runVerify(flags, shell)),
  );
  add(store, "migrate", "bring the schema up to date (a SQLite database is copied first)").action(
    (flags: StoreFlags) => action(async (shell) => (await import("./migrate.ts")).runMigrate(flags, shell)),
  );
  add(store, "backup", "write everything into one file, while others write")
    .argument("<file>", "a file that is not there yet")
    .action((file: string, flags: StoreFlags) =>
      action(async (shell) => (await import("./backup.ts")).runBackup(file, flags, shell)),
    );
  add(store, "restore", "read a backup into an empty store, of another kind too")
    .argument("<file>", "what `continuo store backup` wrote")
    .action((file: string, flags: StoreFlags) =>
      action(async (shell) => (await import("./restore.ts")).runRestore(file, flags, shell)),
    );
  add(store, "vacuum", "remove what expired and blobs that nothing refers to, and give space back").action(
    (flags: StoreFlags) => action(async (shell) => (await import("./vacuum.ts")).runVacuum(flags, shell)),
  );
}

function add(store: Command, name: string, says: string): Command {
  return store
    .command(name)
    .description(says)
    .option("--store <url>", "the store")
    .option("--workspace <id>", "the workspace (default: default)")
    .option("--json", "print JSON")
    .addHelpText("after", STORE_HELP);
}
