/** Promises whose mistakes were planted before anyone looked at their tests, and that no nearest test found then. */

import type { PromiseOfRoom } from "./promise.ts";

const MCP = "packages/server/src/mcp";
const AHP = "packages/server/src/ahp";

export const SECOND_MCP: readonly PromiseOfRoom[] = [
  {
    file: `${MCP}/recall-tool.ts`,
    test: "test/mcp/recall.test.ts",
    promise: "A query with a turn finds only that turn and later ones.",
    text: "if (words.length > 0) return from.filter(",
    mistake: "if (words.length > 0) return turns.filter(",
  },
];

export const SECOND_AHP: readonly PromiseOfRoom[] = [
  {
    file: `${AHP}/turns.ts`,
    test: `${AHP}/turns.test.ts`,
    promise: "An error in the middle of a turn did not end the turn.",
    text: 'parts.map((part) => (part.kind === "error" && part !== last ? toNotice(part) : part))',
    mistake: "parts",
  },
  {
    file: `${AHP}/unanswered.ts`,
    test: `${AHP}/unanswered.test.ts`,
    promise: "Two runs with the same prompt end two turns.",
    text: "claimed.add(turn.id);",
    mistake: "claimed.add(run.runId);",
  },
  {
    file: `${AHP}/turn-actions.ts`,
    test: `${AHP}/turn-actions.test.ts`,
    promise: "A history that changed is cut after its last turn that is the same.",
    text: "turnId: last.id }]",
    mistake: "turnId: known[0]?.id ?? last.id }]",
  },
];

export const SECOND_CLIENT: readonly PromiseOfRoom[] = [
  {
    file: "packages/core/src/client/calls.ts",
    test: "packages/core/src/client/calls.test.ts",
    promise: "Results that came before a call failed are read before its error.",
    text: "if (waiting.results.length > 0) yield",
    mistake: 'if (waiting.results.length > 0 && typeof waiting.state === "string") yield',
  },
  {
    file: "packages/core/src/client/missed-context.ts",
    test: "packages/core/src/client/missed-context.test.ts",
    promise: "What somebody said cannot end the block of missed messages, also in capitals.",
    text: 'missed_context)/giu, "&lt;")',
    mistake: 'missed_context)/gu, "&lt;")',
  },
];

export const SECOND_CHANNELS: readonly PromiseOfRoom[] = [
  {
    file: "packages/store/src/channels/agent-turns.ts",
    test: "packages/store/src/channels/claims.test.ts",
    promise: "A message of a person between those of agents lets the agents talk on.",
    text: '      if (event.actor.kind === "person") return turns;',
    mistake: '      if (event.actor.kind === "person") continue;',
  },
  {
    file: "packages/store/src/channels/post.ts",
    test: "packages/store/src/channels/lifecycle.test.ts",
    promise: "Nobody but its writer ends a message.",
    text: "=== id && isByWriter(event, authorOf(message))) return true;",
    mistake: "=== id && event.sequence > 0) return true;",
  },
];

export const SECOND_SESSIONS: readonly PromiseOfRoom[] = [
  {
    file: "packages/store/src/sessions/queue.ts",
    test: "test/sessions/queue.test.ts",
    promise: "A waiting run whose process ended does not hold up the others.",
    text: '|| isOwnerGone((await readStarter(store, run)) ?? "");',
    mistake: '|| isOwnerGone(run.owner ?? "");',
  },
  {
    file: "packages/store/src/sessions/run-turn.ts",
    test: "test/sessions/continuation.test.ts",
    promise: "A turn is not replayed beside another program that has the native session open.",
    text: 'if (outcome.error.code === "session_live") return;',
    mistake: 'if (outcome.error.code === "fenced") return;',
  },
];

export const SECOND_RUNTIME: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/runtime/approvals.ts",
    test: "test/runtime/approvals.test.ts",
    promise: "The time limit of a question counts from when it was first asked, over restarts.",
    text: 'Date.parse(claim?.data.requestedAt ?? "") + limitMs',
    mistake: "(claim === null ? 0 : Date.now()) + limitMs",
  },
  {
    file: "packages/server/src/runtime/retries.ts",
    test: "test/runtime/retries.test.ts",
    promise: "A dead letter that is started again has all its attempts.",
    text: "metadata: { attempt: 1, ",
    mistake: "metadata: { attempt: attemptOf(last), ",
  },
  {
    file: "packages/server/src/runtime/readers.ts",
    test: "test/runtime/handler.test.ts",
    promise: "A reader over the network does not see the details of an error.",
    text: "data: { ...rest, code, message: failureText({ code, message }) }",
    mistake: "data: { ...event.data, code, message: failureText({ code, message }) }",
  },
  {
    file: "packages/server/src/runtime/chat.ts",
    test: "packages/server/src/runtime/chat.test.ts",
    promise: "An answer whose input was given up is no longer open.",
    text: "=== GIVEN_UP) exchange.isOpen = false;",
    mistake: "=== GIVEN_UP) exchange.isOpen = true;",
  },
  {
    file: "packages/server/src/runtime/session.ts",
    test: "test/runtime/front-door.test.ts",
    promise: "The handle of an attempt has the events of all attempts of its input.",
    text: "runId: rootIn(run) };",
    mistake: "runId: run.runId };",
  },
];

export const SECOND_SERVER: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/server/streams/read.ts",
    test: "test/server/streams.test.ts",
    promise: "A page in the middle of a closed stream does not say that the stream is closed.",
    text: "const closed = atEnd && log.closedAt !== undefined;",
    mistake: "const closed = log.closedAt !== undefined;",
  },
  {
    file: "packages/server/src/server/streams/append.ts",
    test: "test/server/streams.test.ts",
    promise: "A producer that repeats an old write learns how far it got.",
    text: "...producerHeaders(producer, known?.sequence) },",
    mistake: "...producerHeaders(producer, undefined) },",
  },
  {
    file: "packages/server/src/server/channels/admit.ts",
    test: "test/channels/contract/sqlite.test.ts",
    promise: "A replay after `processed` brings everything that was received and not answered.",
    text: "return session?.processed ?? 0;",
    mistake: "return session?.received ?? 0;",
  },
  {
    file: "packages/server/src/server/channels/seats.ts",
    test: "packages/server/src/server/channels/seats.test.ts",
    promise: "A connection that left says nothing about a newer holder of its handle.",
    text: "return this.#left.get(key)?.token === token || this.#isSettled(key, lease);",
    mistake: "return this.#left.has(key) || this.#isSettled(key, lease);",
  },
  {
    file: "packages/server/src/server/subscriptions/deliveries.ts",
    test: "packages/server/src/server/subscriptions/deliveries.test.ts",
    promise: "After a delivery that succeeded, the retries count from zero.",
    text: "retries: 0,",
    mistake: "",
  },
  {
    file: "packages/server/src/server/subscriptions/wakes.ts",
    test: "packages/server/src/server/subscriptions/wakes.test.ts",
    promise: "An acknowledgement never moves a cursor back.",
    text: 'if (sequence < (link.acked ?? 0)) throw badOffset("an offset lies before what is acknowledged");',
    mistake: "",
  },
  {
    file: "packages/server/src/server/channels/hub.ts",
    test: "packages/server/src/server/channels/hub.test.ts",
    promise: "A participant that left is reported to those who stay.",
    text: 'if (!now.has(participant.handle)) tellAll(room, "left", participant);',
    mistake: 'if (now.size === 0) tellAll(room, "left", participant);',
  },
  {
    file: "packages/server/src/server/sessions/input.ts",
    test: "packages/server/src/server/sessions/input.test.ts",
    promise: "A file of a message comes with its content, and no address is fetched.",
    text: "  if (data === undefined) {",
    mistake: '  if (data === undefined && url.startsWith("file:")) {',
  },
];

export const SECOND_MACHINE: readonly PromiseOfRoom[] = [
  {
    file: "packages/server/src/machine/inbox/inbox.ts",
    test: "packages/server/src/machine/inbox/inbox.test.ts",
    promise: "Pages learn at once that all sessions were marked as viewed.",
    text: 'if ("all" in request) seenFile.seeAll(newestTime(byKey));',
    mistake: 'if ("all" in request) return seenFile.seeAll(newestTime(byKey));',
  },
  {
    file: "packages/server/src/machine/chat/live-turn.ts",
    test: "packages/server/src/machine/chat/live-turn.test.ts",
    promise: "An addition to a text is sent only when nothing else of the message changed.",
    text: "  if (old.content.slice(0, -1).some((one, at) => one !== now.content[at])) return null;\n",
    mistake: "",
  },
];

export const SECOND_CATALOG: readonly PromiseOfRoom[] = [
  {
    file: "packages/agents/src/catalog/moved-projects.ts",
    test: "test/relocate/project-marks.test.ts",
    promise: "A folder below a moved project is part of that project.",
    text: "!hasFolderAbove(folder, gone));",
    mistake: "!hasFolderAbove(folder, new Map()));",
  },
  {
    file: "packages/agents/src/catalog/follow.ts",
    test: "packages/agents/src/catalog/follow.test.ts",
    promise: "The results of calls do not begin the newest turn.",
    text: 'messageKind(message) === "person") news = [];',
    mistake: 'message.role !== "assistant") news = [];',
  },
  {
    file: "packages/agents/src/catalog/resume-price.ts",
    test: "packages/agents/src/catalog/resume-price.test.ts",
    promise: "A call that only reads the cache keeps it as long as the write before it.",
    text: "told = toldBy(message) ?? told;",
    mistake: "told = toldBy(message);",
  },
  {
    file: "packages/agents/src/catalog/list-filter.ts",
    test: "test/relocate/project-marks.test.ts",
    promise: "A project in another clone means the same subfolder.",
    text: "join(canonicalFolder(other.worktree), within)",
    mistake: "canonicalFolder(other.worktree)",
  },
  {
    file: "packages/agents/src/catalog/last-session.ts",
    test: "packages/agents/src/catalog/last-session.test.ts",
    promise: "An agent's session in which nobody said anything is not the last one.",
    text: "return await isSpoken(found, { reader, places });",
    mistake: 'return (await isSpoken(found, { reader, places })) || found.location !== "";',
  },
];

export const SECOND_GATEWAY: readonly PromiseOfRoom[] = [
  {
    file: "src/gateway/session.ts",
    test: "test/gateway/sessions.test.ts",
    promise: "A new session whose agent is chosen before its first turn gets no receipt.",
    text: "this.#options.name !== null || this.#runs.size > 0;",
    mistake: "this.#options.name !== null || this.#talk !== null;",
  },
  {
    file: "src/gateway/follow-turns.ts",
    test: "test/gateway/gateway.test.ts",
    promise: "A turn of another program that waits already gets the agent's session.",
    text: "  if (live.items.some(({ runId }) => !isOwn(runId))) onBegin();\n",
    mistake: "",
  },
];

export const SECOND_HANDOFF: readonly PromiseOfRoom[] = [
  {
    file: "packages/agents/src/handoff/source/records.ts",
    test: "test/hand-off/returns.test.ts",
    promise: "The newest note of a session's origin counts.",
    text: "note = noteIn(entry.value) ?? note;",
    mistake: "note ??= noteIn(entry.value);",
  },
  {
    file: "packages/agents/src/handoff/mirroring/receive-mirror.ts",
    test: "test/move/mirror-receiver.test.ts",
    promise: "A mirror keeps its work tree when the other machine connects again.",
    text: "workTree: mirror?.workTree ?? null }",
    mistake: "workTree: mirror === null ? null : null }",
  },
  {
    file: "packages/agents/src/handoff/mirroring/receive-mirror.ts",
    test: "test/move/mirror-receiver.test.ts",
    promise: "A file that the other machine takes back leaves the earlier one.",
    text: "if (isWhole) renameDurably(arriving, to);",
    mistake: "if (isWhole || sizeBytes > 0) renameDurably(arriving, to);",
  },
];

export const SECOND_LIVE: readonly PromiseOfRoom[] = [
  {
    file: "packages/live/src/captions/read-captions.ts",
    test: "packages/live/src/captions/read-captions.test.ts",
    promise: "The captions of an outline are of one language.",
    text: "lists.filter((one) => langIn(one) === lang)",
    mistake: 'lists.filter((one) => langIn(one) !== "")',
  },
  {
    file: "packages/live/src/notes/note-operations.ts",
    test: "packages/live/src/notes/note-operations.test.ts",
    promise: "A note that is merged from notes of several videos has its place in one of them.",
    text: "const there = sources.filter((one) => one.videoId === videoId);",
    mistake: 'const there = sources.filter((one) => one.videoId === videoId || videoId !== "");',
  },
  {
    file: "packages/live/src/owner/late-notes.ts",
    test: "test/live/owed.test.ts",
    promise: "Late notes spend no more than the budget of the session.",
    text: '=== "spent") return;',
    mistake: '=== "warning") return;',
  },
];
