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
    text: "{workspaceId}\\n$",
    mistake: '{""}\\n$',
    test: "packages/server/src/server/streams/media-types.test.ts",
  },
  {
    promise: "Channels of one name in two workspaces have rosters of their own.",
    file: "packages/server/src/server/channels/hub.ts",
    text: "{workspaceId}:$",
    mistake: '{""}:$',
    test: "packages/server/src/server/channels/hub.test.ts",
  },
  {
    promise: "A handle that is held in one workspace is free in another one.",
    file: "packages/server/src/server/channels/seats.ts",
    text: "{workspaceId}:$",
    mistake: '{""}:$',
    test: "packages/server/src/server/channels/seats.test.ts",
  },
  {
    promise: "A released lease is removed after a day in every workspace.",
    file: "packages/server/src/server/cleaning/clean.ts",
    text: "total.leases += await removeLeases(own);",
    mistake: "total.leases += await removeLeases(store);",
    test: "packages/server/src/server/cleaning/clean.test.ts",
  },
  {
    promise: "A client that leaves while its session is read leaves no listener.",
    file: "packages/server/src/server/live/connection.ts",
    text: "    if (this.#over.signal.aborted) return;\n    const latestSequence",
    mistake: "    const latestSequence",
    test: "packages/server/src/server/live/connection.test.ts",
  },
  {
    promise: "Another session than the one that a client knows is sent from its beginning.",
    file: "packages/server/src/server/live/connection.ts",
    text: "const after = hello.sessionId === undefined || hello.sessionId === sessionId ? (hello.after ?? 0) : 0;",
    mistake: "const after = hello.after ?? 0;",
    test: "packages/server/src/server/live/connection.test.ts",
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
  {
    promise: "A page that opens a channel while a message is written shows its next words.",
    file: "packages/core/src/client/open-channel.ts",
    text: "(open?.sequence ?? Number.POSITIVE_INFINITY) - 1);",
    mistake: "open?.sequence ?? Number.POSITIVE_INFINITY);",
    test: "test/channels/late-reader.test.ts",
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
    text: "{sizeBytes}` };",
    mistake: '{""}` };',
    test: "packages/server/src/machine/row-usage.test.ts",
  },
  {
    promise: "A conversation opens only after one that closes has ended its agent.",
    file: "packages/server/src/machine/chat/open-chats.ts",
    text: "    await Promise.allSettled(ending);\n    const chat",
    mistake: "    const chat",
    test: "packages/server/src/machine/chat/open-chats.test.ts",
  },
  {
    promise: "The list after a repair has the row of the repaired file.",
    file: "packages/server/src/machine/actions.ts",
    text: '      if (write !== "preview") source.forget();\n',
    mistake: "",
    test: "test/machine/actions.test.ts",
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
  {
    promise: "An answer that is there when a run was asked to stop lets no call run.",
    file: "packages/server/src/runtime/approvals.ts",
    text: "          if (await this.#isStopped(run)) {\n            await sleep(STOP_PAUSE_MS);\n            continue;\n          }\n",
    mistake: "",
    test: "test/runtime/answers-at-once.test.ts",
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

export const SEVENTH_LIVE: readonly PromiseOfRoom[] = [
  {
    promise: "An outline has no captions of the video before in the tab.",
    file: "packages/live/src/captions/read-captions.ts",
    text: 'id = continues === "video" && typeof parentId === "string" ? parentId : null;',
    mistake: 'id = typeof parentId === "string" ? parentId : null;',
    test: "packages/live/src/captions/read-captions.test.ts",
  },
  {
    promise: "The number of a batch that was stored before counts, so that the next batch follows.",
    file: "packages/live/src/sessions/deduplication.ts",
    text: "    if (isKnown) await store.append(sessionId, [], { also: [producer] });\n",
    mistake: "",
    test: "packages/live/src/sessions/deduplication.test.ts",
  },
];

export const SEVENTH_HANDOFF: readonly PromiseOfRoom[] = [
  {
    promise: "A loss that is known only after the session was read back counts too.",
    file: "packages/agents/src/handoff/hand-off.ts",
    text: "asideLines(verification));\n  assertWithinLoss(receipt, options.maxLoss);",
    mistake: "asideLines(verification));",
    test: "test/hand-off/own-agent.test.ts",
  },
  {
    promise: "A source of which a part was left out has no mark of the whole conversation.",
    file: "packages/agents/src/handoff/source/source.ts",
    text: "[...later.left, ...within.left].length === 0;",
    mistake: "within.left.length === 0;",
    test: "packages/agents/src/handoff/source/source.test.ts",
  },
];

export const SEVENTH_SEARCH: readonly PromiseOfRoom[] = [
  {
    promise: "Calls that have one id in two sessions count as two.",
    file: "packages/agents/src/search/experience.ts",
    text: "{at}`;",
    mistake: '{""}`;',
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
  {
    promise: "Edits whose time is not recorded count for any time.",
    file: "packages/agents/src/search/file-origins.ts",
    text: "at === null || at <= before",
    mistake: "(at !== null && at <= before)",
    test: "test/search/origins.test.ts",
  },
  {
    promise: "A search whose time is over does not answer with most of the words.",
    file: "packages/agents/src/search/session-search.ts",
    text: "found.total > 0 || found.unsearched > 0",
    mistake: "found.total > 0",
    test: "test/search/not-indexed.test.ts",
  },
];
