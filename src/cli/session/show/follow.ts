/** `session follow`: prints a session while it grows, drawn for a terminal, as Markdown for a file, or as JSON. */

import { type FollowItem, follow, type LookUpHit, openCatalogSession } from "@continuo/agents/catalog";
import { locate } from "../../notices/index.ts";
import {
  createOutput,
  type Output,
  paintFor,
  type Shell,
  screenOf,
  toJsonText,
} from "../../terminal/index.ts";
import type { BranchStep } from "./branches.ts";
import { drawConversation } from "./conversation.ts";
import { markdownOf } from "./plain.ts";
import { type ViewFlags, viewOf } from "./view.ts";

export interface FollowFlags extends Pick<ViewFlags, "tools" | "injected"> {
  readonly fromStart?: true;
  readonly json?: true;
}

/** The heading needs only this many of the newest bytes of a session. */
const HEADING_BYTES = 512 * 1024;

/** Ends when the reader closes the output. Errors: those of `locate`; `not_found` if the session no longer exists. */
export async function runFollow(id: string, flags: FollowFlags, shell: Shell): Promise<number> {
  const located = await locate(id, shell);
  const output = createOutput(shell.stdout);
  const ended = new AbortController();
  shell.stdout.once("close", () => ended.abort());
  const followed = follow(located, shell, {
    signal: ended.signal,
    from: flags.fromStart ? "start" : "newest turn",
  });
  if (flags.json) await printJson(located, followed, output);
  else await print(located, followed, { flags, shell, output });
  return 0;
}

async function printJson(
  located: LookUpHit,
  followed: AsyncIterable<FollowItem>,
  output: Output,
): Promise<void> {
  const { agent, sessionId, location } = located.kind === "own" ? located.row : located.native.found;
  await output.write(`${toJsonText({ type: "session", agent, sessionId, location })}\n`);
  for await (const { message, update } of followed) {
    await output.write(`${toJsonText({ type: "message", update, message })}\n`);
  }
}

interface FollowContext {
  readonly flags: FollowFlags;
  readonly shell: Shell;
  readonly output: Output;
}

async function print(
  located: LookUpHit,
  followed: AsyncIterable<FollowItem>,
  { flags, shell, output }: FollowContext,
): Promise<void> {
  using session = await openCatalogSession(located, shell, { newestBytes: HEADING_BYTES });
  const screen = screenOf(shell, shell.stdout);
  const chunks = screen.isTerminal
    ? drawConversation({ ...session, partial: false }, stepsOf(followed), {
        view: viewOf(flags, "short"),
        columns: screen.columns,
        paint: paintFor(screen),
        home: shell.home,
      }).chunks
    : markdownOf({ ...session, partial: false }, stepsOf(followed), viewOf(flags, "full"));
  for await (const chunk of chunks) await output.write(chunk);
}

async function* stepsOf(followed: AsyncIterable<FollowItem>): AsyncGenerator<BranchStep, void, void> {
  for await (const { message } of followed) yield { message };
}
