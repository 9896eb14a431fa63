/** Servers that keep their address while they are killed, stand still and start again, as the command starts them. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface SeatOptions {
  readonly storeUrl: string;
  /** A folder of this seat. */
  readonly folder: string;
  /** The command's module. */
  readonly command: string;
  readonly report: (line: string) => void;
}

/** A period in which no client can expect an answer. */
interface Absence {
  readonly from: number;
  to: number;
}

/** After a restart, a server first answers the requests that waited for it. */
const GRACE_MS = 1_000;

/** The library of Debian's package `faketime`. */
function fakeTime(): string {
  const [found] = globSync("/usr/lib/*/faketime/libfaketime.so.1");
  if (found === undefined) throw new Error("libfaketime is missing: install the package faketime");
  return found;
}

export class Seat {
  readonly url: string;
  readonly #options: SeatOptions;
  readonly #port: number;
  readonly #absences: Absence[] = [];
  readonly #watch: NodeJS.Timeout;
  #child: ChildProcess | null = null;
  /** The most resident memory that any process of this seat had, in KiB. */
  peakKiB = 0;
  /** Ends of servers that the test did not cause. */
  readonly ownEnds: string[] = [];
  isBusy = false;

  constructor(port: number, options: SeatOptions) {
    this.#port = port;
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
    mkdirSync(options.folder, { recursive: true });
    this.setClock("+0");
    this.#watch = setInterval(() => this.#weigh(), 500);
  }

  async start(): Promise<void> {
    const { command, storeUrl, folder, report } = this.#options;
    const args = [command, "serve", "--json", "--listen", `127.0.0.1:${this.#port}`, "--store", storeUrl];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CONTINUO_HOME: join(folder, "home"),
        LD_PRELOAD: fakeTime(),
        FAKETIME_TIMESTAMP_FILE: this.#clockFile(),
        // The file is read only once a second, because otherwise each read of the clock would cost a system call.
        FAKETIME_CACHE_DURATION: "1",
        DONT_FAKE_MONOTONIC: "1",
      },
    });
    this.#child = child;
    createInterface({ input: child.stderr }).on("line", (line) => report(`${this.url}: ${line}`));
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") return;
      this.ownEnds.push(`${this.url} ended by itself: ${code ?? signal}`);
    });
    const ready = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => line.startsWith("{") && resolve());
    });
    const ended = once(child, "exit").then(() => Promise.reject(new Error(`${this.url} did not start`)));
    await Promise.race([ready, ended]);
    ended.catch(() => undefined);
  }

  async replace(): Promise<void> {
    await this.#absent(async () => {
      this.kill();
      await this.start();
    });
  }

  async standStill(ms: number): Promise<void> {
    await this.#absent(async () => {
      this.#child?.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      this.#child?.kill("SIGCONT");
    });
  }

  /** `+1h`, `-2h`, `+0` of the time of day; the time since the start of the machine stays as it is. */
  setClock(offset: string): void {
    writeFileSync(this.#clockFile(), `${offset}\n`);
  }

  kill(): void {
    this.#weigh();
    this.#child?.kill("SIGKILL");
  }

  close(): void {
    clearInterval(this.#watch);
    this.kill();
  }

  /** Returns true if a request that began at `at` cannot expect an answer. */
  wasAbsent(at: number, ms: number): boolean {
    return this.#absences.some(({ from, to }) => at <= to + GRACE_MS && at + ms >= from);
  }

  async #absent(work: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    const absence = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.#absences.push(absence);
    await work();
    absence.to = Date.now();
    this.isBusy = false;
  }

  #clockFile(): string {
    return join(this.#options.folder, "clock");
  }

  #weigh(): void {
    try {
      const status = readFileSync(`/proc/${this.#child?.pid}/status`, "utf8");
      this.peakKiB = Math.max(this.peakKiB, Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended.
    }
  }
}
