/**
 * A client under test: it receives commands, and reports what it hands over to its user. A program reads commands from
 * its standard input and writes reports to its standard output, each as one line of JSON.
 */

import { spawn } from "node:child_process";
import { splitLines } from "@continuo/files";

export type ClientCommand =
  /** Joins the channel; from then on the client hands over messages, over any number of connections. */
  | {
      readonly command: "connect";
      readonly serverUrl: string;
      readonly channel: string;
      readonly handle: string;
      readonly token: string;
      /** `stream` hands over everything after sequence 0. */
      readonly replay: "stream" | "collect";
    }
  /** Sends a whole message; `name` comes back in the report. */
  | { readonly command: "send"; readonly name: string; readonly content: string }
  /** The user of the client reads no more messages until `read`. */
  | { readonly command: "stop_reading" }
  | { readonly command: "read" }
  /** Leaves after all sent messages are confirmed. */
  | { readonly command: "close" };

export type ClientReport =
  /** The first replay is over; `omitted` messages of it were left out by the server. */
  | { readonly report: "ready"; readonly omitted: number }
  /** A whole message is handed over. */
  | { readonly report: "message"; readonly sequence: number; readonly content: string }
  | { readonly report: "confirmed"; readonly name: string }
  | { readonly report: "failed"; readonly name: string; readonly code: string }
  /** The client does not connect again: the report has the code of the error, or `null` after `close`. */
  | { readonly report: "ended"; readonly code: string | null };

export interface ClientUnderTest {
  do(command: ClientCommand): void;
  /** Ends the client immediately. */
  stop(): Promise<void>;
}

export type StartClient = (onReport: (report: ClientReport) => void) => Promise<ClientUnderTest>;

/** Characters of a report; a message has at most 1 MiB. */
const MAX_REPORT_CHARS = 16 * 1024 * 1024;

/** A client that is a program. Its standard error is that of this process. */
export function clientProgram(file: string, args: readonly string[] = []): StartClient {
  return async (onReport) => {
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    // The case then fails because no report comes.
    child.once("error", () => undefined);
    child.stdin.on("error", () => undefined);
    // A program whose reports cannot be read is ended, and the case fails because no report comes.
    readReports(child.stdout, onReport).catch(() => void child.kill("SIGKILL"));
    return {
      do: (command) => void child.stdin.write(`${JSON.stringify(command)}\n`),
      stop: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    };
  };
}

async function readReports(
  stream: AsyncIterable<Uint8Array>,
  onReport: (report: ClientReport) => void,
): Promise<void> {
  for await (const line of splitLines(stream, { maxChars: MAX_REPORT_CHARS })) {
    if (line === null) throw new Error(`a report has more than ${MAX_REPORT_CHARS} characters`);
    onReport(JSON.parse(line) as ClientReport);
  }
}
