/** A process of its own and of the lowest priority, which runs a command of Continuo. */
export interface DetachedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The most that the old generation of its heap takes. */
  readonly heapMegabytes: number;
}

/** The session, or the sessions, that a command needs and nobody named. */
export interface SessionWish {
  /** The act of the command: `show`, `resume`. */
  readonly verb: string;
  readonly many: boolean;
  /** The beginning of an id that names several; `null` for a choice among all sessions. */
  readonly prefix: string | null;
}

/** The process as a command sees it. Only `main.ts` makes one of the real process. */

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
  /** Starts a process that nobody waits for, without a terminal, in the root folder; left out where none may start. */
  startDetached?(command: DetachedCommand): Promise<void>;
  /** The process that started the command, by which its terminal is known; of this process by default. */
  readonly startedBy?: number;
  /** Aborted when nobody waits for the command any longer; left out where that ends the process. */
  readonly signal?: AbortSignal;
  /** Answers the commands of other processes until it is disposed; left out where nobody could ask this process. */
  answerCommands?(): Promise<AsyncDisposable>;
  /** Lets the person choose sessions; returns their names. Left out where there is no terminal. */
  chooseSessions?(wish: SessionWish): Promise<readonly string[]>;
}

/** One run of the program, for its commands; `null` in their place if the program is only described. */
export interface ProgramRun {
  readonly shell: Shell;
  /** Called with the exit code of a command that ended. */
  readonly onEnd: (exitCode: number) => void;
}
