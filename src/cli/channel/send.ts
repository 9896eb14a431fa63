/** `continuo channel send` sends one message without staying in the channel. */

import { userInfo } from "node:os";
import { ContinuoError, present } from "@continuo/core/model";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import type { Shell } from "../terminal/index.ts";
import { toJsonText } from "../terminal/index.ts";
import type { SendFlags } from "./flags.ts";
import { accessOf, callServer, channelPath } from "./server.ts";

export async function runSend(
  channel: string,
  text: string,
  flags: SendFlags,
  shell: Shell,
): Promise<number> {
  const content = await textFor(text, shell);
  const body = {
    // The id identifies a message that is sent again after a lost answer.
    id: crypto.randomUUID(),
    handle: handleFor(flags),
    content,
    ...(flags.to.length === 0 ? {} : { to: flags.to }),
    ...present({ replyTo: flags.replyTo }),
  };
  const sent = await callServer(await accessOf(flags, shell), channelPath(channel, "/messages"), body);
  if (flags.json) shell.stdout.write(`${toJsonText(sent)}\n`);
  return 0;
}

export function handleFor({ as }: { readonly as?: string }): string {
  return as ?? userInfo().username;
}

/** The text of a message; with `-`, the text from standard input. Errors: `usage` for an empty text, `too_large`. */
export async function textFor(text: string, shell: Shell): Promise<string> {
  const content = text === "-" ? await readInput(shell) : text;
  if (content.trim() === "") throw new ContinuoError("usage", "cannot send an empty message");
  return content;
}

/** Errors: `too_large`. */
async function readInput({ stdin }: Shell): Promise<string> {
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length <= CHANNEL_LIMITS.messageLength) continue;
    throw new ContinuoError(
      "too_large",
      `the message is longer than ${CHANNEL_LIMITS.messageLength} characters`,
    );
  }
  return text;
}
