/** The flags of `continuo token …`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import type { CreateTokenFlags, TokenFlags } from "./flags.ts";

/** The lifetime of a token if no other is given. */
export const TOKEN_LIFE_DAYS = 90;

const SCOPES_HELP = `
A scope is channel:NAME:read,write, session:ID:read, chat:ID:read,write (the chat of a session), live:NAME:write,
stream:PATH:read, approval:ID:write (answering the questions of agents in a session), machine:read (native sessions, the
index), machine:write (also starting programs), metrics or admin. A NAME that ends with * is a prefix.

Give a token no more than its holder needs: it is in the hands of a program, and a page that is opened with it can do the
same. A page is listed below its token, and ends with it.

Examples:
  continuo token create --scope channel:team:read,write --handle ada --expires 30d
  continuo token create --scope 'channel:*:read' --label dashboard
  continuo token create --scope 'live:*:read,write' --label extension     the browser extension`;

type Work = (shell: Shell) => Promise<number>;

export function addTokenCommands(token: Command, run: ProgramRun | null): void {
  const act = async (work: Work): Promise<void> => {
    if (run !== null) run.onEnd(await work(run.shell));
  };
  add(token, "create", "create a token and print its secret, which is not shown again")
    .option("--scope <scope>", "what the token allows (repeatable)", collect, [])
    .option("--handle <handle>", "the participant that the token represents in channels; `*` is any")
    .option("--label <text>", "a description, shown by `continuo token list`")
    .option(
      "--expires <time>",
      "when the token expires: 12h, 30d, an ISO 8601 time, or never",
      `${TOKEN_LIFE_DAYS}d`,
    )
    .addHelpText("after", SCOPES_HELP)
    .action((flags: CreateTokenFlags) =>
      act(async (shell) => (await import("./tokens.ts")).runCreateToken(flags, shell)),
    );
  add(
    token,
    "list",
    "list the tokens of a workspace without their secrets, and the pages that were opened with them",
  ).action((flags: TokenFlags) =>
    act(async (shell) => (await import("./tokens.ts")).runListTokens(flags, shell)),
  );
  add(token, "revoke", "revoke a token; servers refuse it and its pages within a second")
    .argument("<id>", "the id that `continuo token list` shows")
    .action((id: string, flags: TokenFlags) =>
      act(async (shell) => (await import("./tokens.ts")).runRevokeToken(id, flags, shell)),
    );
}

function add(token: Command, name: string, says: string): Command {
  return token
    .command(name)
    .description(says)
    .option("--store <url>", "the store to use")
    .option("--workspace <id>", "the workspace to use (default: default)")
    .option("--json", "print JSON");
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
