/** `continuo channel edit`, `delete` and `react`: changes of a message that is already in the channel. */

import { present } from "@continuo/core/model";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { ChangeFlags, ChannelFlags, DeleteFlags, ReactFlags } from "./flags.ts";
import { handleFor, textFor } from "./send.ts";
import { accessOf, callServer, channelPath } from "./server.ts";

export interface NamedMessage {
  /** The channel's name. */
  readonly name: string;
  readonly message: string;
}

export async function runEdit(
  { text, ...message }: NamedMessage & { readonly text: string },
  flags: ChangeFlags,
  shell: Shell,
): Promise<number> {
  const body = { id: crypto.randomUUID(), handle: handleFor(flags), content: await textFor(text, shell) };
  const answer = await callServer(await accessOf(flags, shell), pathOf(message), body, "PUT");
  return printed(answer, flags, shell);
}

export async function runDelete(message: NamedMessage, flags: DeleteFlags, shell: Shell): Promise<number> {
  const query = new URLSearchParams(present({ handle: handleFor(flags), reason: flags.reason }));
  const path = `${pathOf(message)}?${query}`;
  return printed(await callServer(await accessOf(flags, shell), path, undefined, "DELETE"), flags, shell);
}

export async function runReact(
  { reaction, ...message }: NamedMessage & { readonly reaction: string },
  flags: ReactFlags,
  shell: Shell,
): Promise<number> {
  const query = new URLSearchParams({ handle: handleFor(flags) });
  const path = `${pathOf(message)}/reactions/${encodeURIComponent(reaction)}?${query}`;
  const method = flags.remove ? "DELETE" : "PUT";
  return printed(await callServer(await accessOf(flags, shell), path, undefined, method), flags, shell);
}

function pathOf({ name, message }: NamedMessage): string {
  return channelPath(name, `/messages/${encodeURIComponent(message)}`);
}

function printed(answer: unknown, { json }: ChannelFlags, { stdout }: Shell): number {
  if (json) stdout.write(`${toJsonText(answer)}\n`);
  return 0;
}
