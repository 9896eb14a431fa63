/**
 * A program of the operator that scans each attachment before it is stored: the bytes are its input, and it ends with 0
 * for a harmless file and with 1 for a malicious one. With any other result, the attachment is not stored.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { ContinuoError } from "@continuo/core/model";
import type { ScanAttachment } from "@continuo/server";

const MAX_SCANS = 16;
/** The longest time that the program may take after the last byte. */
const VERDICT_MS = 60_000;

/** @param program the program without arguments; it is started by its path or its name, not by a shell */
export function createScanner(program: string): ScanAttachment {
  let running = 0;
  return () => {
    if (running >= MAX_SCANS) {
      throw new ContinuoError("busy", "too many attachments are being scanned", {
        hint: "Try again in a moment.",
        details: { retryAfterMs: 1_000 },
      });
    }
    running++;
    const { child, ended } = started(program);
    void ended.then(() => {
      running--;
    });
    const { stdin } = child;
    // A program may decide before it has read everything.
    stdin.on("error", () => undefined);
    return {
      write: async (bytes) => {
        if (stdin.writable && !stdin.write(bytes))
          await Promise.race([once(stdin, "drain").catch(() => null), ended]);
      },
      isHarmless: async () => {
        stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), VERDICT_MS);
        const code = await ended;
        clearTimeout(timer);
        if (code === 0 || code === 1) return code === 0;
        throw new ContinuoError("unavailable", "the scanner of attachments does not work", {
          hint: "Ask the operator of the server.",
          details: { reason: code },
        });
      },
      [Symbol.dispose]: () => {
        child.kill("SIGKILL");
      },
    };
  };
}

interface ScannerProcess {
  readonly child: ChildProcessByStdio<Writable, null, null>;
  readonly ended: Promise<number | string>;
}

/** `ended` is the exit code, or the reason why there is none. */
function started(program: string): ScannerProcess {
  const child = spawn(program, [], { stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise<number | string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "error"));
  });
  return { child, ended };
}
