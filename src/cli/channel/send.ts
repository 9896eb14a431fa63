/** `continuo channel send`: one message of somebody who does not stay. */

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
  const content = text === "-" ? await readInput(shell) : text;
  if (content.trim() === "") throw new ContinuoError("usage", "cannot send an empty message");
  const body = {
    // Sent again after a lost answer it would be the same message.
    id: crypto.randomUUID(),
    handle: flags.as ?? userInfo().username,
    content,
    ...(flags.to.length === 0 ? {} : { to: flags.to }),
    ...present({ replyTo: flags.replyTo }),
  };
  const sent = await callServer(await accessOf(flags, shell), channelPath(channel, "/messages"), body);
  if (flags.json) shell.stdout.write(`${toJsonText(sent)}\n`);
  return 0;
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
