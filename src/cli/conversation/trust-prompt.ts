/** Asks in one sentence whether the person trusts a project, and reads one key as the answer. */

import type { AskTrust, TrustAnswer } from "@continuo/agents/config";
import { visibleLine } from "@continuo/core/transcript";
import { paintFor, type Shell, screenOf, tildePath, wrap } from "../terminal/index.ts";

export interface TrustPromptOptions {
  readonly shell: Shell;
  /** The terminal of the question. */
  readonly out: NodeJS.WriteStream;
  /** The next keys that the person presses. Rejects when the signal aborts. */
  readonly nextKey: (signal: AbortSignal) => Promise<string>;
  readonly signal: AbortSignal;
}

const ANSWERS: Readonly<Record<string, TrustAnswer>> = { y: "yes", n: "no", o: "once" };
const WORDS: Readonly<Record<TrustAnswer, string>> = { yes: "yes", no: "no", once: "only this time" };
const ESC = "\u001b";

/** Other keys are ignored. Esc gives no answer, so that the question is asked again the next time. */
export function createTrustPrompt({ shell, out, nextKey, signal }: TrustPromptOptions): AskTrust {
  return async ({ project, isChanged }) => {
    const folder = visibleLine(tildePath(project, shell.home));
    const news = isChanged ? `The continuo.yaml of ${folder} changed.` : `${folder} is new to Continuo.`;
    const question = "Use its settings and your environment for the agent?";
    const text = `${news} ${question} y yes · n no · o only this time`;
    const screen = screenOf(shell, out);
    const lines = wrap([{ text, styles: [] }], screen.columns - 1, paintFor(screen));
    out.write(`${lines.join("\n")} `);
    for (;;) {
      const keys = await nextKey(signal);
      if (keys === ESC) {
        out.write("\n");
        return null;
      }
      const answer = ANSWERS[keys.slice(0, 1).toLowerCase()];
      if (answer === undefined) continue;
      out.write(`\n${WORDS[answer]}\n`);
      return answer;
    }
  };
}
