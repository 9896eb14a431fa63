/** The options of the machine: where sessions are, and what the configuration says about them. */

import type { LookUpHit, Prices } from "@continuo/agents/catalog";
import type { ExportRequest, MachineUsage, ResumeAnswer } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import type { OpenedStore } from "@continuo/store";

/** New terminal windows on the screen of this machine. */
export interface TerminalWindows {
  /** The name of the terminal that would open; `null` if none can. */
  terminal(): string | null;
  /**
   * Starts the command in a new window, with the environment of this process. Returns the name of the terminal.
   *
   * Errors: `unsupported`, `agent_missing`, `agent_failed`, `busy`.
   */
  open(command: Pick<ResumeAnswer, "argv" | "cwd">): Promise<string>;
}

export interface MachineOptions {
  readonly places: PlacesAt;
  /** Patterns of sessions that are kept out of the index, in the form of `excludes`; read for each search. */
  exclude(): Promise<readonly string[]>;
  /** Called when a search read many sessions from their files. */
  onUnindexed(): void;
  /** Turns the text after `since:` into a time. Errors: `usage`. */
  toTime(text: string): string;
  /** The store of Continuo's own sessions, created if necessary. Errors: those of opening it; `unsupported`. */
  openStore(): Promise<OpenedStore>;
  /** Prices that take precedence over the built-in table; read with each session. */
  prices(): Promise<Prices>;
  /** The figures of `continuo stats` since this time, ISO 8601; since the beginning by default. */
  usage(since?: string): Promise<MachineUsage>;
  readonly windows: TerminalWindows;
  /** Writes a session as a file, as the command `session export` does. */
  exportTo(located: LookUpHit, wish: ExportRequest, write: (text: string) => Promise<void>): Promise<void>;
}
