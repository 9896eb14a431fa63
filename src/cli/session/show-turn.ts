/** One turn of a conversation: from a message up to the next one of the person. */

import { openLocated, type ShownSession } from "../../catalog/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { messageKind } from "../../transcript/index.ts";
import { locate } from "../notices/index.ts";
import { createOutput, page, paintFor, type Shell, screenOf } from "../terminal/index.ts";
import { everyBranch, type Step } from "./branches.ts";
import { drawConversation } from "./conversation.ts";
import { markdownOf } from "./plain.ts";

/** Errors: as `locate`; `not_found` where the session no longer has the message. */
export async function showTurn(id: string, messageId: string, shell: Shell): Promise<number> {
  using session = await openLocated(await locate(id, shell), shell);
  const steps = await Array.fromAsync(turnFrom(session, messageId));
  if (steps.length === 0) {
    throw new ContinuoError(
      "not_found",
      `the session ${session.details.sessionId} has no message ${messageId}`,
    );
  }
  const screen = screenOf(shell, shell.stdout);
  if (screen.isTerminal) {
    const { columns } = screen;
    const options = { columns, paint: paintFor(screen), home: shell.home };
    const view = { tools: "full", injected: "show" } as const;
    const { chunks } = drawConversation(session, each(steps), { ...options, view });
    await page(chunks, { shell, screen, opening: { at: "start" } });
  } else {
    const output = createOutput(shell.stdout);
    const view = { tools: "full", injected: "show" } as const;
    for await (const chunk of markdownOf(session, each(steps), view)) await output.write(chunk);
  }
  return 0;
}

async function* turnFrom(session: ShownSession, messageId: string): AsyncGenerator<Step, void, void> {
  let isShown = false;
  for await (const step of everyBranch(session)) {
    const { message } = step;
    if (isShown && messageKind(message) === "person") return;
    isShown ||= message.id === messageId;
    if (isShown) yield step;
  }
}

async function* each(steps: readonly Step[]): AsyncGenerator<Step, void, void> {
  yield* steps;
}
