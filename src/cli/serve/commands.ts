/** The flags of `continuo serve` and `continuo acp`. Nothing here does any work. */

import type { Command } from "commander";
import type { ProgramRun } from "../terminal/index.ts";
import type { ServeFlags } from "./flags.ts";

export const DEFAULT_LISTEN = "127.0.0.1:4747";

const HELP = `
The store is sqlite:PATH or postgres://USER@HOST/DATABASE (default: CONTINUO_STORE, else the database in
CONTINUO_HOME). Any number of servers can share one Postgres.

On loopback, the first start writes a token to a private file, where the other commands find it. They look for the
server at ${DEFAULT_LISTEN}; for another port, give them --server URL or set CONTINUO_SERVER. On any other
address, create tokens with \`continuo token create\`, and put a TLS proxy in front of the server, whose address
--public-url names. A Postgres on another machine is reached over TLS, unless its URL has sslmode=disable.

The limits are requests_per_second, connections, channels, bytes_per_second, bytes_per_day, blob_bytes_per_day and
logs_per_day, open_messages and session_streams (of one token), request_bytes, frame_bytes, blob_bytes and history_items. They can also be set in
continuo.yaml.

Examples:
  continuo serve                                        SQLite, http://127.0.0.1:4747
  continuo serve --listen 0.0.0.0:4747 --public-url https://continuo.example --store postgres://continuo@db/continuo
  continuo serve --origin https://app.example           allow pages of this origin
  continuo serve --limit requests_per_second=50         slow down every token`;

export function addServeCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("serve")
    .description("serve sessions and channels over HTTP and WebSocket")
    .option("--store <url>", "the store to use")
    .option("--listen <host:port>", "the address to listen on; port 0 chooses a free port", DEFAULT_LISTEN)
    .option("--token-file <file>", "the private file of the token for loopback")
    .option("--origin <url>", "the exact origin of pages that may call the server (repeatable)", collect, [])
    .option(
      "--public-url <url>",
      "the address by which clients reach the server (default: the address it listens on)",
    )
    .option(
      "--trust-proxy <address>",
      "the address or network of a proxy that names the client's address (repeatable)",
      collect,
      [],
    )
    .option("--webhook-host <host>", "a private host that webhooks may be sent to (repeatable)", collect, [])
    .option(
      "--webhook-key <file>",
      "the private Ed25519 key that signs webhooks, in PEM (default: one in the store)",
    )
    .option(
      "--scan-attachments <program>",
      "a program that gets each attachment as its input, and refuses it by exit code 1",
    )
    .option("--only-webhook-hosts", "send webhooks to no other hosts than those of --webhook-host", false)
    .option(
      "--limit <name=number>",
      "a limit for clients, instead of its default or of continuo.yaml (repeatable)",
      collect,
      [],
    )
    .option(
      "--security-log <file>",
      "append security events to this file as lines of JSON; - writes them to stderr",
    )
    .option("--no-auth", "require no token; only on loopback")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (flags: ServeFlags) => {
      if (run !== null) run.onEnd(await (await import("./serve.ts")).runServe(flags, run.shell));
    });
}

const ACP_HELP = `
Editors start this command themselves and talk to it over standard input and output, by the Agent Client Protocol. Their
list of sessions then has those of all agents on this machine, and any of them continues in its own agent or in another
one. See docs/editors.md for the settings of each editor.`;

export function addAcpCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("acp")
    .description("serve the sessions of all agents to an editor")
    .addHelpText("after", ACP_HELP)
    .action(async () => {
      if (run === null) return;
      run.onEnd(await (await import("./editor.ts")).runAcp(run.shell));
    });
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
