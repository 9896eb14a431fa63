/** What the process that runs a command gives to it. Only `main.ts` makes one of the real process. */

export interface Shell {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly now: Date;
  /** Until disposed, Ctrl-C does not end this process: it is another program's, or calls what is given. */
  holdInterrupts(onInterrupt?: () => void): Disposable;
  /** Until disposed, SIGTERM does not end this process, and calls what is given. */
  holdTermination(onTermination: () => void): Disposable;
  /** Until disposed, `cleanUp` runs when the process ends, however it ends by itself or by Ctrl-C. */
  onExit(cleanUp: () => void): Disposable;
}
