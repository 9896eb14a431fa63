/**
 * The module that a server sends at `/v1/client.js`: `continuo/client` for a page without a build step. It finds its
 * server by its own URL, below any path and behind any proxy.
 */

import { openChat as chat, type OpenChatOptions, type OpenedChat } from "./chat/index.ts";
import type { AgenticClient } from "./client.ts";
import {
  type ChannelWatch,
  type ConnectOptions,
  connect as join,
  watch as look,
  type WatchOptions,
} from "./connect.ts";
import { openChannel as channel, type OpenChannelOptions, type OpenedChannel } from "./open-channel.ts";

export { formatMessages, missedAfter, quotedMessages } from "./index.ts";

type OfThisServer<Options extends { readonly serverUrl: string }> = Omit<Options, "serverUrl"> &
  Partial<Pick<Options, "serverUrl">>;

export const openChat = (options: OfThisServer<OpenChatOptions>): Promise<OpenedChat> => chat(here(options));
export const openChannel = (options: OfThisServer<OpenChannelOptions>): Promise<OpenedChannel> =>
  channel(here(options));
export const connect = (options: OfThisServer<ConnectOptions>): Promise<AgenticClient> => join(here(options));
export const watch = (options: OfThisServer<WatchOptions>): Promise<ChannelWatch> => look(here(options));

function here<Options extends object>(options: Options): Options & { readonly serverUrl: string } {
  return { serverUrl: new URL("..", import.meta.url).href, ...options };
}
