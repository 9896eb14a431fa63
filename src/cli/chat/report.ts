/** Prints events for a terminal, as plain text with notes, or as JSON. */

import { type AgentEvent, isContinuoError } from "@continuo/core/model";
import type { RunResult } from "@continuo/store/sessions";
import { TurnPrinter } from "../conversation/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { ChatFlags } from "./flags.ts";
import { createPlainText } from "./plain-text.ts";

export type ReportedResult = Omit<RunResult, "sessionId"> & { readonly sessionId: string | null };

export interface Report {
  /** Shows the questions to the person; `null` for programs. */
  readonly teller: TurnPrinter | null;
  begin(agent: string): void;
  /** Resolves when the output can take more. */
  tell(event: AgentEvent): Promise<void>;
  note(text: string): void;
  end(): Promise<void>;
  /** Prints the outcome of the turn and its description; `sessionId` is `null` if no session is stored. */
  result(result: ReportedResult, facts: readonly string[]): Promise<void>;
  /** Prints the last line for a program if there is no result. A person sees the error in another place. */
  fail(error: unknown, sessionId: string | null): Promise<void>;
}

export function createReport(flags: ChatFlags, shell: Shell): Report {
  if (flags.json) return jsonReport(shell);
  return shell.stdout.isTTY === true ? terminalReport(shell) : plainReport(shell);
}

/** Prints everything on the terminal; the last line is about the session, and is written to stderr. */
function terminalReport(shell: Shell): Report {
  const teller = new TurnPrinter(shell, shell.stdout);
  const beside = new TurnPrinter(shell, shell.stderr);
  return {
    teller,
    begin: (agent) => teller.begin(agent),
    tell: (event) => teller.tell(event),
    note: (text) => (teller.isTelling ? teller : beside).note(text),
    end: () => teller.end(),
    async result(_, facts) {
      for (const fact of facts) beside.note(fact);
      await beside.flush();
    },
    fail: () => Promise.resolve(),
  };
}

/** Writes only the answer to stdout, and everything else to stderr. */
function plainReport(shell: Shell): Report {
  const beside = new TurnPrinter(shell, shell.stderr);
  const answer = createPlainText(createOutput(shell.stdout));
  return {
    teller: beside,
    begin: (agent) => beside.begin(agent),
    async tell(event) {
      await answer.tell(event);
      if (event.type !== "text" && event.type !== "thinking" && event.type !== "message")
        await beside.tell(event);
    },
    note: (text) => beside.note(text),
    async end() {
      await answer.end();
      await beside.end();
    },
    async result(_, facts) {
      for (const fact of facts) beside.note(fact);
      await beside.flush();
    },
    fail: () => Promise.resolve(),
  };
}

/**
 * Notes are events too, so that nothing but JSON is printed. The last line is the result, whatever was printed before.
 */
function jsonReport(shell: Shell): Report {
  const output = createOutput(shell.stdout);
  let isOwed = false;
  const print = (value: object): Promise<void> => {
    isOwed = true;
    return output.write(`${toJsonText(value)}\n`);
  };
  return {
    teller: null,
    begin: (agent) => void print({ type: "turn_started", agent }),
    tell: print,
    note: (text) => void print({ type: "note", text }),
    end: () => Promise.resolve(),
    async result({ run: _, ...result }) {
      await print({ type: "result", ...result });
      isOwed = false;
    },
    async fail(error, sessionId) {
      if (!isOwed) return;
      const unknown = { runId: null, sessionId, resumption: null, text: "" };
      const status = isContinuoError(error, "interrupted") ? "cancelled" : "failed";
      await print({ type: "result", ...unknown, status, error: toError(error) });
    },
  };
}

function toError(error: unknown): object {
  if (!isContinuoError(error)) return { code: "internal", message: String(error) };
  const { code, message, details } = error;
  return { code, message, details };
}
