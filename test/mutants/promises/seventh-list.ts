/** A seventh list: mistakes that a colleague planted by hand in ten rooms, and that no quick test found. */

import type { PromiseOfRoom } from "./promise.ts";

export const SEVENTH_SERVER: readonly PromiseOfRoom[] = [
  {
    promise: "The token of an earlier wake does not acknowledge the present one.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "      given.tokenGeneration === generation &&\n",
    mistake: "",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "An acknowledgement of a worker that goes on renews the lease of its wake.",
    file: "packages/server/src/server/subscriptions/wakes.ts",
    text: "wake: given.done ? null : { ...wake, leaseUntil } };",
    mistake: "wake: given.done ? null : wake };",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
  },
  {
    promise: "The media type of a stream is remembered for its workspace only.",
    file: "packages/server/src/server/streams/media-types.ts",
    text: "return `${workspaceId}\\n${logId}`;",
    mistake: "return logId;",
    test: "packages/server/src/server/streams/media-types.test.ts",
  },
  {
    promise: "Channels of one name in two workspaces have rosters of their own.",
    file: "packages/server/src/server/channels/hub.ts",
    text: "return `${workspaceId}:${name}`;",
    mistake: "return workspaceId && name;",
    test: "packages/server/src/server/channels/hub.test.ts",
  },
  {
    promise: "A handle that is held in one workspace is free in another one.",
    file: "packages/server/src/server/channels/seats.ts",
    text: "return `${workspaceId}:${name}`;",
    mistake: "return workspaceId && name;",
    test: "packages/server/src/server/channels/seats.test.ts",
  },
];

export const SEVENTH_MCP: readonly PromiseOfRoom[] = [
  {
    promise: "A secret at the place where a long command is cut is masked.",
    file: "packages/server/src/mcp/fix-tool.ts",
    text: "cutMiddle(mask(repair.failed), COMMAND_CHARS)",
    mistake: "mask(cutMiddle(repair.failed, COMMAND_CHARS))",
    test: "test/mcp/experience.test.ts",
  },
];

export const SEVENTH_CATALOG: readonly PromiseOfRoom[] = [
  {
    promise: "A mirror whose folder is excluded has no text.",
    file: "packages/agents/src/catalog/texts-mirrors.ts",
    text: "    if (mirror.folder !== null && isExcluded(mirror.folder)) continue;\n",
    mistake: "",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
];

export const SEVENTH_CLIENT: readonly PromiseOfRoom[] = [
  {
    promise: "An answer whose message the server ended goes on with the words so far.",
    file: "packages/core/src/client/answer.ts",
    text: 'let isOpen = source.text !== "";',
    mistake: "let isOpen = false;",
    test: "packages/core/src/client/answer.test.ts",
  },
  {
    promise: "A message of the page is shown once when its own frame arrives.",
    file: "packages/core/src/client/chat/feed.ts",
    text: 'if (frame.type === "chat" || frame.type === "message") {',
    mistake: 'if (frame.type === "chat") {',
    test: "packages/core/src/client/chat/open-chat.test.ts",
  },
];

export const SEVENTH_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "A chosen project narrows the agents to choose from, also while an agent is chosen.",
    file: "packages/server/src/machine/sessions-page.ts",
    text: "firstOf({ ...others, ...present({ project }) }).agents",
    mistake: "firstOf(others).agents",
    test: "test/machine/list.test.ts",
  },
  {
    promise: "A session that grew within the time of its last record is read again.",
    file: "packages/server/src/machine/row-usage.ts",
    text: "stamp: `${updatedAt} ${sizeBytes}` };",
    mistake: "stamp: `${updatedAt}` };",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
  {
    promise: "A conversation opens only after one that closes has ended its agent.",
    file: "packages/server/src/machine/chat/open-chats.ts",
    text: "    await Promise.allSettled(ending);\n    const chat",
    mistake: "    const chat",
    test: "packages/server/src/machine/chat/open-chats.test.ts",
  },
];

export const SEVENTH_RUNTIME: readonly PromiseOfRoom[] = [
  {
    promise: "An id that a closed and an open question have names the open one.",
    file: "packages/server/src/runtime/approval-lookup.ts",
    text: "const [first] = open.length > 0 ? open : found;",
    mistake: "const [first] = found;",
    test: "test/runtime/approval-ids.test.ts",
  },
  {
    promise: "A question whose run has ended is not among the open ones.",
    file: "packages/server/src/runtime/approvals.ts",
    text: "if ((status === undefined || current.status === status) && filter(approval))",
    mistake: "if (filter(approval))",
    test: "test/runtime/approval-ids.test.ts",
  },
  {
    promise: "A scheduled message that waits for room in the queue of its session is no error.",
    file: "packages/server/src/runtime/retries.ts",
    text: 'if (isContinuoError(error, "too_many_runs")) full.add(owner);\n      else report(error, name);',
    mistake: "report(error, name);",
    test: "test/runtime/queue.test.ts",
  },
];

export const SEVENTH_GATEWAY: readonly PromiseOfRoom[] = [
  {
    promise: "A session that begins after the first page of a list is on no later page.",
    file: "src/gateway/list.ts",
    text: "!known.has(id) && met.has(row.sessionId)",
    mistake: "!known.has(id)",
    test: "src/gateway/kept-list.test.ts",
  },
];

export const SEVENTH_SEARCH: readonly PromiseOfRoom[] = [
  {
    promise: "Calls that have one id in two sessions count as two.",
    file: "packages/agents/src/search/experience.ts",
    text: "const key = `${call.id} ${at}`;",
    mistake: "const key = call.id;",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "The sessions that `how` does not read, because they fit less well, are counted.",
    file: "packages/agents/src/search/experience.ts",
    text: "left + unreadable + others + found.unsearched",
    mistake: "left + unreadable + found.unsearched",
    test: "test/mcp/experience.test.ts",
  },
  {
    promise: "The newest failure of a command is the one whose words are shown.",
    file: "packages/agents/src/search/experience.ts",
    text: "(isNewer || way.error === null)) way.error",
    mistake: "way.error === null) way.error",
    test: "test/mcp/experience.test.ts",
  },
];
