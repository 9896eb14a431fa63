/** A separate process with the lowest priority, which runs a command of Continuo. */
export interface DetachedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The limit of its heap's old generation. */
  readonly heapMegabytes: number;
}

/** The session, or the sessions, that a command needs if none is named. */
export interface SessionWish {
  /** The act of the command: `show`, `resume`. */
  readonly verb: string;
  readonly many: boolean;
  /** The beginning of an id that several sessions share; `null` for a choice among all sessions. */
  readonly prefix: string | null;
}

/** The process from the point of view of a command. Only `main.ts` creates one for the real process. */
export interface Shell {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly now: Date;
  /**
   * Until it is disposed, Ctrl-C does not end this process: another program handles it, or the given function is
   * called.
   */
  holdInterrupts(onInterrupt?: () => void): Disposable;
  /** Until it is disposed, SIGTERM does not end this process, but calls the given function. */
  holdTermination(onTermination: () => void): Disposable;
  /** Until it is disposed, `cleanUp` runs when the process ends by itself or by Ctrl-C. */
  onExit(cleanUp: () => void): Disposable;
  /**
   * Starts a process that nobody waits for, without a terminal, in the root folder; left out if none may be started.
   */
  startDetached?(command: DetachedCommand): Promise<void>;
  /** The process that started the command, which identifies its terminal; that of this process by default. */
  readonly startedBy?: number;
  /** Aborted when nobody waits for the command any longer; left out if that ends the process. */
  readonly signal?: AbortSignal;
  /** Answers the commands of other processes until it is disposed; left out if no process could ask. */
  answerCommands?(): Promise<AsyncDisposable>;
  /** Lets the person choose sessions; returns their names. Left out if there is no terminal. */
  chooseSessions?(wish: SessionWish): Promise<readonly string[]>;
}

/** One run of the program, for its commands; `null` if the program is only described. */
export interface ProgramRun {
  readonly shell: Shell;
  /** Called with the exit code of a command that ended. */
  readonly onEnd: (exitCode: number) => void;
}
