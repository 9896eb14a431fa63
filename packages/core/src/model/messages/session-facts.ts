/** The facts of a session, computed without a model from its messages; each of them names its turn. */

/** The place of a fact. */
export interface FactPlace {
  /** 1-based. */
  readonly turn: number;
  readonly messageId: string;
}

export interface PromptFact extends FactPlace {
  /** The beginning of the prompt, on one line. */
  readonly text: string;
}

/** A file that is different after the session. */
export interface FileFact extends FactPlace {
  /** A path below the session's folder is relative to it. */
  readonly path: string;
  readonly status: "created" | "changed" | "deleted";
  /** Lines over all turns: a line that was added and removed again counts nowhere. */
  readonly added: number;
  readonly removed: number;
  /** `part` if the lines before some change are not known: more may have been removed. */
  readonly known: "all" | "part";
  /** The name before a move that the session made. */
  readonly movedFrom: string | null;
  readonly edits: number;
}

export interface CommitFact extends FactPlace {
  /** Abbreviated, like the output of git; `null` if git printed nothing. */
  readonly hash: string | null;
  readonly branch: string | null;
  readonly subject: string;
}

/** The newest run of a command that runs tests. */
export interface TestFact extends FactPlace {
  readonly command: string;
  /** `unknown` if neither its output nor its exit code says it. */
  readonly outcome: "passed" | "failed" | "unknown";
  /** Counts that its output has. */
  readonly passed: number | null;
  readonly failed: number | null;
  /** All runs of the command, and those of them that failed. */
  readonly runs: number;
  readonly failedRuns: number;
  /** True if a file was changed after this run. */
  readonly changedSince: boolean;
}

export interface CostFact {
  readonly usd: number;
  /** The turn that cost most. */
  readonly dearest: FactPlace & { readonly usd: number };
}

export interface EndFact extends FactPlace {
  /**
   * - `answered`: with words of the agent, `text`
   * - `calling`: a call has no result, and `text` has the names of such tools; `text` is empty if only the agent's next
   *   words are missing
   * - `call_failed`: the last call failed, and the agent said nothing after it; `text` is the beginning of the result
   * - `error`: the agent showed an error, `text`
   * - `stopped`: somebody stopped the agent
   * - `unanswered`: the last prompt has no answer
   */
  readonly state: "answered" | "calling" | "call_failed" | "error" | "stopped" | "unanswered";
  readonly text: string;
}

export interface SessionFacts {
  readonly turns: number;
  /** The first prompt, and the newest one if that is a different one. */
  readonly asked: PromptFact | null;
  readonly lastAsked: PromptFact | null;
  /** The files in the order of their first change, at most 500; the counts are those of all. */
  readonly files: readonly FileFact[];
  readonly fileCount: number;
  readonly added: number;
  readonly removed: number;
  /** Files whose changes the session took back. */
  readonly undoneFiles: number;
  /** The newest 200 in their order, and the number of all. */
  readonly commits: readonly CommitFact[];
  readonly commitCount: number;
  /** The command that ran last comes first, at most 50. */
  readonly tests: readonly TestFact[];
  /** `null` if no price is known. */
  readonly cost: CostFact | null;
  readonly end: EndFact | null;
}

/** Words for a reader that say how a session ended. */
export const END_WORDS: Readonly<Record<EndFact["state"], string>> = {
  answered: "answered",
  calling: "waits for a result",
  call_failed: "stopped at a failed call",
  error: "stopped by an error",
  stopped: "stopped by hand",
  unanswered: "not answered yet",
};
