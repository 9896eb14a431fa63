/** The flags of `continuo live …`. Nothing here does any work. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { addressOptions, serverOptions } from "../channel/index.ts";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type {
  ChangeFlags,
  DemoFlags,
  ExportFlags,
  ListFlags,
  LiveFlags,
  NotesFlags,
  ReplayFlags,
} from "./flags.ts";

const FORMATS = ["md", "html", "json", "zip"] as const;

type Work = (shell: Shell) => Promise<number>;

const DEMO_HELP = `
Without --server, the session is played into a server of its own, which keeps it in memory.

Examples:
  continuo live demo
  continuo live demo --speed 1 --server http://127.0.0.1:4747`;

const EXPORT_HELP = `
A file of --follow belongs to you: Continuo replaces only the text between its two lines, also after you
renamed or moved the file in the folder. The times are links that play the moment.

Examples:
  continuo live export tab-1 --output notes.zip
  continuo live export --follow ~/vault/videos
  continuo live export --channel team`;

type Act = (work: Work) => Promise<void>;

export function addLiveCommands(live: Command, run: ProgramRun | null): void {
  const act: Act = async (work) => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  addReadingCommands(live, act);
  addCheckingCommands(live, act);
}

function addReadingCommands(live: Command, act: Act): void {
  live
    .command("demo")
    .description("play a recorded viewing into a server and print the notes as they appear")
    .option("--speed <factor>", "speed of the playback; 1 is as recorded", factor, 2)
    .option("--server <url>", "the server (default: one of its own)")
    .option(
      "--token-file <file>",
      "the file of the token (default: CONTINUO_TOKEN, else the token of this machine)",
    )
    .option("--json", "print JSON Lines")
    .addHelpText("after", DEMO_HELP)
    .action((flags: DemoFlags) => act(async (shell) => (await import("./demo.ts")).runDemo(flags, shell)));
  serverOptions(live.command("list").description("list the continuous sessions of a server"))
    .option("--removed", "list the removed sessions that can be brought back")
    .action((flags: ListFlags) =>
      act(async (shell) => (await import("./sessions.ts")).runList(flags, shell)),
    );
  serverOptions(live.command("notes").description("print the notes of a continuous session"))
    .argument("<key>", "the key of the session")
    .option("--ids", "print the id of each note before it")
    .action((key: string, flags: NotesFlags) =>
      act(async (shell) => (await import("./sessions.ts")).runNotes(key, flags, shell)),
    );
  serverOptions(
    live
      .command("page")
      .description("print the page of a continuous session: summary, chapters, decisions and open questions"),
  )
    .argument("<key>", "the key of the session")
    .action((key: string, flags: LiveFlags) =>
      act(async (shell) => (await import("./sessions.ts")).runPage(key, flags, shell)),
    );
  addressOptions(
    live.command("export").description("write the notes, evidence and pictures of a continuous session"),
  )
    .argument("[key]", "the key of the session (default with --follow and --channel: all sessions)")
    .addOption(
      new Option("--format <format>", "the format (default: by the file's name, else md)").choices([
        ...FORMATS,
      ]),
    )
    .option("--output <file>", "write this file, completely or not at all (default: print)")
    .option("--force", "with --output: replace an existing file")
    .option(
      "--follow <folder>",
      "keep a Markdown file for each video in this folder up to date, until Ctrl-C",
    )
    .option("--channel <name>", "post each note once in this channel, until Ctrl-C")
    .option("--as <handle>", "with --channel: the handle that posts (default: notes)")
    .addHelpText("after", EXPORT_HELP)
    .action((key: string | undefined, flags: ExportFlags) =>
      act(async (shell) => (await import("./export.ts")).runExport(key, flags, shell)),
    );
}

function addCheckingCommands(live: Command, act: Act): void {
  addNoteCommands(live, act);
  serverOptions(live.command("verify").description("recompute every hash of a continuous session"))
    .argument("<key>", "the key of the session")
    .action((key: string, flags: LiveFlags) =>
      act(async (shell) => (await import("./sessions.ts")).runVerify(key, flags, shell)),
    );
  serverOptions(
    live
      .command("replay")
      .description(
        "make the notes of a continuous session again and compare them; exit code 4 if they differ",
      ),
  )
    .argument("<key>", "the key of the session")
    .option("--model", "ask the note writer again; a note agrees if a recorded one is like it (target: 95 %)")
    .option("--without-context", "with --model: give the note writer no memory, notes or other evidence")
    .action((key: string, flags: ReplayFlags) =>
      act(async (shell) => (await import("./replay.ts")).runReplay(key, flags, shell)),
    );
  serverOptions(
    live
      .command("repair")
      .description("put the damaged events of a degraded session aside and make it active again"),
  )
    .argument("<key>", "the key of the session")
    .action((key: string, flags: LiveFlags) =>
      act(async (shell) => (await import("./sessions.ts")).runRepair(key, flags, shell)),
    );
}

function addNoteCommands(live: Command, act: Act): void {
  const noteCommand = (operation: "remove" | "undo", description: string): void => {
    serverOptions(live.command(operation).description(description))
      .argument("<key>", "the key of the session")
      .argument("[note]", "the id of the note, as `continuo live notes --ids` prints it")
      .option("--session", `${operation} the session, in place of a note`)
      .option("--video", `${operation} all sessions of the video, in place of a note`)
      .action((key: string, noteId: string | undefined, flags: ChangeFlags) =>
        act(async (shell) =>
          (await import("./change.ts")).runChange({ key, noteId, operation }, flags, shell),
        ),
      );
  };
  noteCommand(
    "remove",
    "remove a note, a continuous session or a video; undo brings it back, a session within a week",
  );
  noteCommand("undo", "take the newest edit, acceptance or removal of a note back, or bring a session back");
}

function factor(value: string): number {
  const number = Number(value);
  if (number >= 0.1 && number <= 100) return number;
  throw new InvalidArgumentError("It must be a number from 0.1 to 100.");
}
