/** The flags of `continuo channel …`. Nothing here does any work. */

import type { QuestionChannels } from "@continuo/server/mcp";
import { type Command, InvalidArgumentError } from "commander";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type {
  ChangeFlags,
  ChannelFlags,
  DeleteFlags,
  ReactFlags,
  SendFlags,
  ShowFlags,
  TailFlags,
} from "./flags.ts";

type Work = (shell: Shell) => Promise<number>;

const SEND_HELP = `
The first message creates the channel. @HANDLE in the text addresses that participant.

Examples:
  continuo channel send team "@claude who knows the build?"
  git diff | continuo channel send team --to claude -`;

export function addChannelCommands(channel: Command, run: ProgramRun | null): void {
  const act = async (work: Work): Promise<void> => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  serverOptions(channel.command("list").description("list the channels of a server")).action(
    (flags: ChannelFlags) => act(async (shell) => (await import("./read.ts")).runList(flags, shell)),
  );
  serverOptions(
    channel.command("show").description("show the newest messages of a channel and its participants"),
  )
    .argument("<channel>", "the channel's name")
    .option("--limit <count>", "show at most COUNT messages", count, 20)
    .option("--ids", "show the id of each message")
    .action((name: string, flags: ShowFlags) =>
      act(async (shell) => (await import("./read.ts")).runShow(name, flags, shell)),
    );
  serverOptions(channel.command("tail").description("follow the messages of a channel, from its beginning"))
    .argument("<channel>", "the channel's name")
    .option("--after <sequence>", "only events after this sequence", count)
    .option("--new", "only events from now on")
    .action((name: string, flags: TailFlags) =>
      act(async (shell) => (await import("./tail.ts")).runTail(name, flags, shell)),
    );
  serverOptions(channel.command("send").description("send one message; `-` reads it from standard input"))
    .argument("<channel>", "the channel's name")
    .argument("<text>", "the message")
    .option("--as <handle>", "your handle (default: your user name)")
    .option("--to <handle>", "address this participant (repeatable)", collect, [])
    .option("--reply-to <message>", "the id of the message to reply to")
    .addHelpText("after", SEND_HELP)
    .action((name: string, text: string, flags: SendFlags) =>
      act(async (shell) => (await import("./send.ts")).runSend(name, text, flags, shell)),
    );
  changeCommand(channel, "edit", "change a message of yours; `-` reads the text from standard input")
    .argument("<text>", "the new text")
    .action((name: string, message: string, text: string, flags: ChangeFlags) =>
      act(async (shell) => (await import("./change.ts")).runEdit({ name, message, text }, flags, shell)),
    );
  changeCommand(channel, "delete", "delete a message of yours, or with an admin token any message")
    .option("--reason <text>", "why; everybody in the channel can read it")
    .action((name: string, message: string, flags: DeleteFlags) =>
      act(async (shell) => (await import("./change.ts")).runDelete({ name, message }, flags, shell)),
    );
  changeCommand(channel, "react", "react to a message, for example with an emoji")
    .argument("<reaction>", "an emoji or a short word")
    .option("--remove", "take the reaction back")
    .action((name: string, message: string, reaction: string, flags: ReactFlags) =>
      act(async (shell) => (await import("./change.ts")).runReact({ name, message, reaction }, flags, shell)),
    );
  serverOptions(channel.command("export").description("print all events of a channel as JSON Lines"))
    .argument("<channel>", "the channel's name")
    .action((name: string, flags: ChannelFlags) =>
      act(async (shell) => (await import("./read.ts")).runExport(name, flags, shell)),
    );
}

function changeCommand(channel: Command, name: string, says: string): Command {
  return serverOptions(channel.command(name).description(says))
    .argument("<channel>", "the channel's name")
    .argument("<message>", "the id of the message, as `channel show --ids` prints it")
    .option("--as <handle>", "your handle (default: your user name)");
}

export function serverOptions(command: Command): Command {
  return addressOptions(command).option("--json", "print JSON");
}

/** Options for the address of the server. */
export function addressOptions(command: Command): Command {
  return command
    .option("--server <url>", "the server (default: CONTINUO_SERVER, else http://127.0.0.1:4747)")
    .option(
      "--token-file <file>",
      "the file of the token (default: CONTINUO_TOKEN, else the token of this machine)",
    );
}

function count(value: string): number {
  if (/^\d{1,15}$/u.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number.");
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

/** The channels in which agents may ask other agents. Errors: those of the configuration. */
export async function openAsking(shell: Shell): Promise<QuestionChannels | null> {
  return await (await import("./questions.ts")).askingOf(shell);
}
