/**
 * Promises whose mistakes no quick test near them found. A person who knew the code and not its tests planted the
 * mistakes; each promise has a test now.
 */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const FOURTH_SERVER: readonly PromiseOfRoom[] = [
  {
    promise: "A webhook is not sent to a name of which one address is private.",
    file: "packages/server/src/server/subscriptions/webhook.ts",
    text: "const bad = found.find(({ address }) => isPrivateAddress(address));",
    mistake: "const bad = found.every(({ address }) => isPrivateAddress(address)) ? found[0] : undefined;",
    test: "packages/server/src/server/subscriptions/webhook.test.ts",
  },
  {
    promise: "A browser does not install a page as an app whose address ends with the server.",
    file: "packages/server/src/server/page/files.ts",
    text: 'return isLasting ? marked : marked.replace(APP_LINKS, "");',
    mistake: "return marked;",
    test: "packages/server/src/server/page/files.test.ts",
  },
  {
    promise: "The three headers of a producer belong together.",
    file: "packages/server/src/server/streams/headers.ts",
    text: "if (producerId === null || epoch === null || sequence === null) {",
    mistake: "if (producerId === null) {",
    test: "packages/server/src/server/streams/headers.test.ts",
  },
  {
    promise: "A fork requires the right to read its source.",
    file: "packages/server/src/server/streams/create.ts",
    text: 'if (fork !== undefined) requireAccess(context, grant, fork.source, "read");',
    mistake: "",
    test: "test/server/security.test.ts",
  },
  {
    promise: "A reader that took nothing for a while gets what it missed.",
    file: "packages/server/src/server/streams/batches.ts",
    text: 'if (reading.isClosed) return "behind";',
    mistake: 'if (reading.isClosed) return "ended";',
    test: "packages/server/src/server/streams/batches.test.ts",
  },
  {
    promise: "A WebSocket of the machine counts as a request of its token.",
    file: "packages/server/src/server/machine/token-sockets.ts",
    text: "    context.quotas.request(grant);\n",
    mistake: "",
    test: "test/server/limits.test.ts",
  },
  {
    promise: "A callback token of a deleted subscription is not valid for a later one with the same id.",
    file: "packages/server/src/server/subscriptions/keys.ts",
    text: "const text = JSON.stringify([workspaceId, subscriptionId, createdAt, payload]);",
    mistake: "void createdAt;\n  const text = JSON.stringify([workspaceId, subscriptionId, payload]);",
    test: "test/server/callback-tokens.test.ts",
  },
  {
    promise: "A subscription is not woken by its own wake stream.",
    file: "packages/server/src/server/subscriptions/links.ts",
    text: "  if (path === config.wakeStream) return false;\n",
    mistake: "",
    test: "packages/server/src/server/subscriptions/links.test.ts",
  },
  {
    promise: "An address of a trusted proxy may have a port.",
    file: "packages/server/src/server/sockets/addresses.ts",
    text: "const [, dotted] = /^(\\d+\\.\\d+\\.\\d+\\.\\d+)(?::\\d+)?$/u",
    mistake: "const [, dotted] = /^(\\d+\\.\\d+\\.\\d+\\.\\d+)$/u",
    test: "packages/server/src/server/sockets/sockets.test.ts",
  },
  {
    promise: "An event stream of an open log that is read to its end says that it is up to date.",
    file: "packages/server/src/server/streams/sse.ts",
    text: '...(state === "up to date" ? { upToDate: true as const } : {})',
    mistake: '...(state === "more" ? { upToDate: true as const } : {})',
    test: "packages/server/src/server/streams/sse.test.ts",
  },
  {
    promise: "The audit log is read only with the right of an administrator.",
    file: "packages/server/src/server/operation/audit.ts",
    text: '      context.require(grant, { kind: "admin" });\n',
    mistake: '      context.require(grant, { kind: "machine", access: "read" } as never);\n',
    test: "test/server/audit.test.ts",
  },
];

export const FOURTH_CONVERSATIONS: readonly PromiseOfRoom[] = [
  {
    promise: "A fork of a session does not continue in the native session of the original.",
    file: "packages/agents/src/conversations/fork.ts",
    text: "referenceTo(ref, await",
    mistake: "referenceTo({ ...ref, sessionId: source.metadata.providerSessionId as string }, await",
    test: "packages/agents/src/conversations/fork.test.ts",
  },
  {
    promise: "A fork is refused a native copy if others wrote since the agent's last turn.",
    file: "packages/agents/src/conversations/fork.ts",
    text: " || native !== session.metadata.providerSessionId) return null",
    mistake: ") return null",
    test: "packages/agents/src/conversations/fork.test.ts",
  },
  {
    promise: "A failed first turn keeps the session of a caller who named the input.",
    file: "packages/agents/src/conversations/run.ts",
    text: 'if (before === "here" || turnInput.inputId !== undefined) return false;',
    mistake: 'if (before === "here") return false;',
    test: "test/conversations/continue-last.test.ts",
  },
];

export const FOURTH_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "A run of another session is not cancelled.",
    file: "packages/server/src/machine/chat/chat.ts",
    text: "if (run?.sessionId !== row.sessionId) throw noSuchRun(runId);",
    mistake: "if (run === null) throw noSuchRun(runId);",
    test: "test/machine/chat.test.ts",
  },
  {
    promise: "A page is informed that another turn begins.",
    file: "packages/server/src/machine/chat/events.ts",
    text: 'yield* news((await look()).state);\n      yield { type: "turn" };',
    mistake: "yield* news((await look()).state);",
    test: "test/machine/chat.test.ts",
  },
  {
    promise: "The usage of a session with branches is that of all branches.",
    file: "packages/server/src/machine/machine.ts",
    text: "if (head.branches.length < 2 && head.forkedFrom === null) return head;",
    mistake: "if (head.forkedFrom === null) return head;",
    test: "packages/server/src/machine/machine.test.ts",
  },
  {
    promise: "The branches that are too many to be read are counted.",
    file: "packages/server/src/machine/history/branches.ts",
    text: "left: leaves.length - paths.length",
    mistake: "left: leaves.length - Math.max(paths.length, leaves.length)",
    test: "packages/server/src/machine/history/branches.test.ts",
  },
  {
    promise: "A source of a hand-over that is no longer listed has no link.",
    file: "packages/server/src/machine/hand-off-source.ts",
    text: "return (await source.same()).byKey.has(key) ? key : null;",
    mistake: "return key;",
    test: "test/machine/compared-histories.test.ts",
  },
  {
    promise: "A preview names no reasons for records that are kept.",
    file: "packages/server/src/machine/answers.ts",
    text: 'if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;',
    mistake: 'if (outcome === "noted" && kind === "other") continue;',
    test: "packages/server/src/machine/answers.test.ts",
  },
  {
    promise: "A question of a turn in another process expires by the time limit of the run's agent.",
    file: "packages/server/src/machine/chat/stored-questions.ts",
    text: "return agents[agent]?.permissions.timeoutMs ?? DEFAULT_LIMIT_MS;",
    mistake: "return Object.values(agents)[0]?.permissions.timeoutMs ?? DEFAULT_LIMIT_MS;",
    test: "packages/server/src/machine/chat/stored-questions.test.ts",
  },
  {
    promise: "A second answer to a question is refused when another program answered first.",
    file: "packages/server/src/machine/chat/stored-questions.ts",
    text: "if (counted.isGiven) return;",
    mistake: "if (counted !== undefined) return;",
    test: "packages/server/src/machine/chat/stored-questions.test.ts",
  },
  {
    promise: "A known session is shown with its present title, not with that of the last read.",
    file: "packages/server/src/machine/machine.ts",
    text: "session: { ...shown, model, turns, tokens, costUsd, facts } };",
    mistake: "session: { ...shown, ...head.session, model, turns, tokens, costUsd, facts } };",
    test: "test/machine/known-session.test.ts",
  },
  {
    promise: "The outline of an older part is not kept as that of the session.",
    file: "packages/server/src/machine/machine.ts",
    text: 'return [before, branch, prints].every((one) => one === undefined) && view !== "model";',
    mistake: 'return [branch, prints].every((one) => one === undefined) && view !== "model";',
    test: "test/machine/known-session.test.ts",
  },
  {
    promise: "The outline of the model's view begins with what the model sees.",
    file: "packages/server/src/machine/questions.ts",
    text: "return { ...(await read(({ kept }) => outlineOf(kept, query, null))), model };",
    mistake: "void model;\n      return await read(({ kept }) => outlineOf(kept, query, null));",
    test: "test/machine/model-view.test.ts",
  },
];

export const FOURTH_CATALOG: readonly PromiseOfRoom[] = [
  {
    promise: "The models of an own session are those that answered in it.",
    file: "packages/agents/src/catalog/models.ts",
    text: "if (isOwn(row)) return store === null ? [] : await modelsOfOwn(row.sessionId, store);",
    mistake: "if (isOwn(row)) return [];",
    test: "packages/agents/src/catalog/models.test.ts",
  },
  {
    promise: "A session that its agent hides on purpose is not reported as left out.",
    file: "packages/agents/src/catalog/unlisted-sessions.ts",
    text: "if (facts?.intended === false) left.push",
    mistake: "if (facts !== undefined) left.push",
    test: "test/lost/codex.test.ts",
  },
  {
    promise: "An own session of an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: " && (row.cwd === null || !isExcluded(row.cwd)))",
    mistake: ")",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A session whose file names an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-native.ts",
    text: "steps: isKeptOut ? asOneStep(noMessages()) : stepsOf(session, file, signal),",
    mistake: "steps: stepsOf(session, file, signal),",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A title that an agent writes beside a session is found without a change of its file.",
    file: "packages/agents/src/catalog/texts-known.ts",
    text: 'const isPlain = !archived && cwd === undefined && title === null;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd, title })}`;',
    mistake:
      'const isPlain = !archived && cwd === undefined;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd })}`;',
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A search has the same texts of sessions with and without the lines of an earlier list.",
    file: "packages/agents/src/catalog/texts-known.ts",
    text: "placedOf({ archived, cwd: this.#batch.cwd }, title)",
    mistake: "placedOf({ archived }, title)",
    test: "test/search/known-texts.test.ts",
  },
  {
    promise: "A store that cannot be read is reported by a search.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: "failure: { location: withoutPassword(url), message: error.message }",
    mistake: "failure: null",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A mirror of a session that exists on this machine is not searched twice.",
    file: "packages/agents/src/catalog/texts-mirrors.ts",
    text: " || metIds.has(mirror.sessionId)) continue;",
    mistake: ") continue;",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "The texts of a removed session leave the index.",
    file: "packages/agents/src/catalog/texts.ts",
    text: "      await removeText(path, gone);\n",
    mistake: "",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A session is read again after a file outside of it, on which its text depends, has changed.",
    file: "packages/agents/src/catalog/dependencies.ts",
    text: "every(([name, state]) => now(name) === state)",
    mistake: "every(([name]) => now(name) !== IS_GONE)",
    test: "test/search/beside.test.ts",
  },
  {
    promise: "The searched sessions come newest first.",
    file: "packages/agents/src/catalog/texts.ts",
    text: "b.changedMs - a.changedMs ||",
    mistake: "a.changedMs - b.changedMs ||",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A log whose hashes do not match has a changed event, and is not called unreadable.",
    file: "packages/agents/src/catalog/check.ts",
    text: 'code: "changed_event"',
    mistake: 'code: "unreadable"',
    test: "test/cli/own.test.ts",
  },
];

export const FOURTH_GATEWAY: readonly PromiseOfRoom[] = [
  {
    promise: "A list that was read some time ago is read again for the next request.",
    file: "src/gateway/kept-list.ts",
    text: "    if (Date.now() - current.wholeMs > GATEWAY_LIMITS.listMs) readSoon();\n",
    mistake: "",
    test: "src/gateway/kept-list.test.ts",
  },
  {
    promise: "A native session that was imported has one row in the list of an editor.",
    file: "src/gateway/row-info.ts",
    text: "return owners.has(key) ? [] : [{ row, id: key }];",
    mistake: "return [{ row, id: key }];",
    test: "src/gateway/row-info.test.ts",
  },
  {
    promise: "The prompt of another program is shown once.",
    file: "src/gateway/logged-turn.ts",
    text: "    if (this.#isPromptShown) return [];\n",
    mistake: "",
    test: "src/gateway/logged-turn.test.ts",
  },
  {
    promise: "The agent of a session is among its choices after it was removed.",
    file: "src/gateway/config-options.ts",
    text: "const names = agents.includes(agent) ? agents : [agent, ...agents];",
    mistake: "const names = agents;",
    test: "src/gateway/config-options.test.ts",
  },
];

export const FOURTH_MCP: readonly PromiseOfRoom[] = [
  {
    promise: "The tool grep shows the newest session first.",
    file: "packages/server/src/mcp/grep-tool.ts",
    text: "if (x !== y) return x < y ? 1 : -1;",
    mistake: "if (x !== y) return x < y ? -1 : 1;",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "The count of the tool grep is that of all turns, also after an offset.",
    file: "packages/server/src/mcp/grep-tool.ts",
    text: "total: hits.length,",
    mistake: "total: hits.length - offset,",
    test: "test/mcp/tools.test.ts",
  },
  {
    promise: "A line of the tool who without a last line is only this line.",
    file: "packages/server/src/mcp/who-tool.ts",
    text: "(lastLine ?? line)",
    mistake: "(lastLine ?? lines.length)",
    test: "test/mcp/who.test.ts",
  },
  {
    promise: "The other turns of a hit do not include its own.",
    file: "packages/server/src/mcp/hits.ts",
    text: ".filter((number) => number !== turn.number)",
    mistake: ".filter((number) => number !== 0)",
    test: "packages/server/src/mcp/results.test.ts",
  },
  {
    promise: "A cancelled task of a list is not an open end.",
    file: "packages/server/src/mcp/digest.ts",
    text: '"done", "cancelled", "canceled"',
    mistake: '"done"',
    test: "packages/server/src/mcp/digest.test.ts",
  },
];

export const FOURTH_CHANNELS: readonly PromiseOfRoom[] = [
  {
    promise: "An agent takes part in no count of people of a summary.",
    file: "packages/store/src/channels/summary.ts",
    text: '({ type }) => type !== "person"',
    mistake: '({ type }) => type === "person"',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "The newest message of a summary has its whole text, although it was written in parts.",
    file: "packages/store/src/channels/summary.ts",
    text: "      types: MESSAGE_TYPES,\n",
    mistake: '      types: ["message_sent"],\n',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "A window of messages keeps the newest when they are too long.",
    file: "packages/store/src/channels/read-messages.ts",
    text: "return messages.slice(first);",
    mistake: "return messages.slice(0, messages.length - first);",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "A participant cannot end the message of another one.",
    file: "packages/store/src/channels/read-messages.ts",
    text: " || !isByWriter(event, message.handle)) return;",
    mistake: ") return;",
    test: "packages/store/src/channels/late-reader.test.ts",
  },
  {
    promise: "A message of a window names the message to which it replies.",
    file: "packages/store/src/channels/read-messages.ts",
    text: '    ...(typeof replyTo === "string" ? { replyTo } : {}),\n',
    mistake: '    ...(replyTo === null ? { replyTo: "" } : {}),\n',
    test: "packages/store/src/channels/late-reader.test.ts",
  },
];

export const FOURTH_CLIENT: readonly PromiseOfRoom[] = [
  {
    promise: "A waiting participant gives up when the holder of the handle renews its lease.",
    file: "packages/core/src/client/handle-wait.ts",
    text: "this.#freeAt ??= freeAt;",
    mistake: "this.#freeAt = freeAt;",
    test: "packages/core/src/client/handle-wait.test.ts",
  },
  {
    promise: "A call is answered only by the participant that was called.",
    file: "packages/core/src/client/calls.ts",
    text: " || waiting.to !== event.actor.id) return;",
    mistake: ") return;",
    test: "packages/core/src/client/calls.test.ts",
  },
  {
    promise: "No line of a message poses as a message of another person.",
    file: "packages/core/src/client/missed-context.ts",
    text: 'text.replace(/^/gmu, "  ")',
    mistake: 'text.replace(/^/u, "  ")',
    test: "packages/core/src/client/missed-context.test.ts",
  },
  {
    promise: "A frame of an earlier socket is not shown after a restart.",
    file: "packages/core/src/client/live/feed.ts",
    text: 'if (socket === this.#socket && typeof data === "string")',
    mistake: 'if (typeof data === "string")',
    test: "packages/core/src/client/live/feed.test.ts",
  },
  {
    promise: "Long events that nobody reads wait with the server.",
    file: "packages/core/src/client/inbox.ts",
    text: "this.#queue.length < LIMITS.queuedEvents && this.#length < LIMITS.queuedLength",
    mistake: "this.#queue.length < LIMITS.queuedEvents",
    test: "packages/core/src/client/inbox.test.ts",
  },
];
