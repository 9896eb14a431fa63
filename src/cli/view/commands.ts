/** The flags of `continuo view`. Nothing here does any work. */

import { ContinuoError, present } from "@continuo/core/model";
import { type Command, Option } from "commander";
import { exportWork } from "../session/index.ts";
import type { ProgramRun, Shell } from "../terminal/index.ts";
import { PHONE_PORT, VIEWER_PORT, type ViewFlags } from "./flags.ts";

const HELP = `
The address that is printed works once, within 30 seconds, for the tab that opens it first; the tab stays signed in until it is
closed, or the viewer ends. Run the command again for another address: it asks the viewer that runs already. A page that is
no longer signed in says with which address to run it.

The viewer listens at port ${VIEWER_PORT} of this machine only, and ends with Ctrl-C. It takes another port only if another program of yours has this
one; a program of another user there is an error. The page has a name that is new for each start, such as
http://continuo-4bf3….localhost:${VIEWER_PORT}. Browsers know that it is this machine (Safari does not: on macOS each start has another port instead).

Without a display, or through ssh, no browser is opened. To look at the sessions of another machine, forward the port:
ssh -L ${VIEWER_PORT}:127.0.0.1:${VIEWER_PORT} HOST, and open the address on your own machine.

A phone reaches the viewer over a tunnel of your own that ends with TLS, such as tailscale serve ${PHONE_PORT}. --tunnel names its address; the page
Phones pairs a phone, and so does --pair, also for a viewer that runs already. A link pairs one phone, within two minutes. A phone may read every session
of this machine; with \`answer\` it may answer questions of agents too, once each. It stays paired for a week, until the viewer ends, or until you revoke it.

With --output nothing is started: the file is the page of session export, which needs no server and no network, and can be read
without scripts. It is limited to 200 MB; --turns names a part of a longer session.

Examples:
  continuo view                 the list of all sessions
  continuo view 4bf3c2a1        one session; the beginning of an id is enough
  continuo view 'http://127.0.0.1:4747/#/health'    the address of a page, also one of \`continuo serve\`
  continuo view --read-only     nothing can be renamed, deleted, forked, repaired or handed over
  continuo view --tunnel https://laptop.tail1234.ts.net --pair      the QR code for a phone that reads
  continuo view 4bf3 --output session.html --mask-secrets        one session in one file, to send to somebody
  continuo view 4bf3 --output session.html --turns 120-180       only these turns`;

export function addViewCommand(program: Command, run: ProgramRun | null): void {
  program
    .command("view")
    .description("look at every session of this machine in a browser")
    .argument("[id]", "the session to open, or the address of a page (default: the list)")
    .option("--no-open", "print the address, and open no browser")
    .option("--port <number>", `the port to listen on; 0 chooses a free one (default: ${VIEWER_PORT})`)
    .option("--read-only", "allow no change of any session")
    .option("--json", "print the address as JSON")
    .option(
      "--tunnel <url>",
      "let phones reach the viewer at this https address, which leads to a port of this machine",
    )
    .option("--tunnel-port <number>", `the port to which the tunnel leads (default: ${PHONE_PORT})`)
    .option(
      "--pair [rights]",
      "print a QR code that pairs a phone: `read`, or `answer` to answer questions too",
    )
    .addOption(
      new Option("--output <file>", "write the viewer with this session inside to this file").conflicts([
        "json",
        "port",
        "readOnly",
        "tunnel",
        "tunnelPort",
        "pair",
      ]),
    )
    .option("--turns <range>", "with --output, only these turns: 12, 12-40, or 12- up to the end")
    .option("--mask-secrets", "with --output, mask keys, tokens and passwords of known forms")
    .option("--force", "with --output, replace a file that exists")
    .addHelpText("after", HELP)
    .action(async (id: string | undefined, flags: ViewFlags) => {
      if (run === null) return;
      const work =
        flags.output === undefined
          ? (await import("./view.ts")).runView(id ?? null, flags, run.shell)
          : saveSession(id ?? null, flags.output, flags, run.shell);
      run.onEnd(await work);
    });
}

/** The page of `session export`. Errors: `usage`, those of the export. */
async function saveSession(
  id: string | null,
  output: string,
  { force, turns, maskSecrets }: ViewFlags,
  shell: Shell,
): Promise<number> {
  if (id === null) {
    throw new ContinuoError("usage", "--output needs the session to write", {
      hint: "Name it: `continuo view ID --output FILE`.",
    });
  }
  return await exportWork(id, { format: "html", output, ...present({ force, turns, maskSecrets }) }, shell);
}
