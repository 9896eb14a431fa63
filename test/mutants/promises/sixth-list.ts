/** Promises of single files that their own tests did not hold: what an editor, a list and a price show. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const SIXTH_GATEWAY: readonly PromiseOfRoom[] = [
  {
    promise: "Parts of one message do not hide another message that came as a whole.",
    file: "src/gateway/updates.ts",
    text: "const cameInParts = messageId === undefined ? this.#inParts : this.#streamed.has(messageId);",
    mistake: 'const cameInParts = this.#inParts || this.#streamed.has(messageId ?? "");',
    test: "src/gateway/updates.test.ts",
  },
  {
    promise: "A picture of a message whose text came in parts is shown.",
    file: "src/gateway/updates.ts",
    text: 'type === "image" || type === "file" || (type',
    mistake: "(type",
    test: "src/gateway/updates.test.ts",
  },
  {
    promise: "The steps of a plan are read in the form of each agent.",
    file: "src/gateway/updates.ts",
    text: "const content = entry.content ?? entry.step ?? entry.description;",
    mistake: "const content = entry.content ?? entry.description;",
    test: "src/gateway/updates.test.ts",
  },
  {
    promise: "A second call with the id of an earlier one ends under its own id.",
    file: "src/gateway/updates.ts",
    text: "    this.#open.delete(toolCallId);\n",
    mistake: "    this.#open.delete(id);\n",
    test: "src/gateway/updates.test.ts",
  },
  {
    promise: "A file that was moved into its place just before the list is read again.",
    file: "src/gateway/list-stamps.ts",
    text: "Math.max(mtimeMs, ctimeMs)",
    mistake: "mtimeMs",
    test: "src/gateway/list-stamps.test.ts",
  },
  {
    promise: "The list of an editor changes when a native session of a conversation changes.",
    file: "src/gateway/list-stamps.ts",
    text: 'for (const path of filesOf(native.location ?? "")) paths.add(path);',
    mistake: "void native;",
    test: "src/gateway/list-stamps.test.ts",
  },
  {
    promise: "Of two imports of one native session, only the first has its id.",
    file: "src/gateway/row-info.ts",
    text: "key !== null && owners.get(key)?.sessionId === sessionId ? key : ownId(sessionId)",
    mistake: "key ?? ownId(sessionId)",
    test: "src/gateway/row-info.test.ts",
  },
  {
    promise: "Each row of an editor has the figures of its own session.",
    file: "src/gateway/row-info.ts",
    text: "figures[at] ?? {}",
    mistake: "figures[0] ?? {}",
    test: "src/gateway/row-info.test.ts",
  },
  {
    promise: "A follower begins after the turns of this connection, which are shown while they happen.",
    file: "src/gateway/follow-turns.ts",
    text: "    if (isOwn(runId)) continue;\n",
    mistake: "",
    test: "test/gateway/follow-turns.test.ts",
  },
  {
    promise: "An editor is sent the words that a person typed.",
    file: "src/gateway/replay.ts",
    text: 'block.type === "text" && role === "user" ? { type: "text", text: typedIn(block) } : block;',
    mistake: "block;",
    test: "src/gateway/replay.test.ts",
  },
  {
    promise: "A call whose result was an error has failed.",
    file: "src/gateway/replay.ts",
    text: 'endOf(status ?? (isError ? "error" : "ok"))',
    mistake: 'endOf(status ?? "ok")',
    test: "src/gateway/replay.test.ts",
  },
  {
    promise: "A message without a name of its agent is one message, however many parts it has.",
    file: "src/gateway/logged-turn.ts",
    text: "const known = this.#names.get(name) ?? id;",
    mistake: "const known = id;",
    test: "src/gateway/logged-turn.test.ts",
  },
  {
    promise: "A thought and the text after it are two messages.",
    file: "src/gateway/v2-updates.ts",
    text: "if (this.#current?.kind !== kind) this.#current",
    mistake: "if (this.#current === null) this.#current",
    test: "src/gateway/v2-updates.test.ts",
  },
  {
    promise: "A terminal of a turn that ended is not shown.",
    file: "src/gateway/calls.ts",
    text: 'return terminals === "running" ? [terminal] : [];',
    mistake: "return [terminal];",
    test: "src/gateway/content.test.ts",
  },
  {
    promise: "A question shows the change that its input would make.",
    file: "src/gateway/permission.ts",
    text: "const parts = diffs.length > 0 ? diffs : contentOfCall(content);",
    mistake: "const parts = contentOfCall(content);",
    test: "src/gateway/permission.test.ts",
  },
  {
    promise: "A server of tools of an editor has its variables.",
    file: "src/gateway/tool-servers.ts",
    text: "args: server.args, env: toRecord(server.env)",
    mistake: "args: server.args, env: {}",
    test: "src/gateway/tool-servers.test.ts",
  },
];

export const SIXTH_CATALOG: readonly PromiseOfRoom[] = [
  {
    promise: "A session whose cache is still there is not offered with only its newest messages.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'const isLong = cache !== "warm" && tokens > 2 * LEAN_TOKENS;',
    mistake: "const isLong = tokens > 2 * LEAN_TOKENS;",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "A session of whose cache nothing is known is priced as one without a cache.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: 'price === null || cache !== "warm" ? write',
    mistake: 'price === null || cache === "cold" ? write',
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "The newest write of a cache says how long it lasts.",
    file: "packages/agents/src/catalog/resume-price.ts",
    text: "    if (Number(written.ephemeral_5m_input_tokens) > 0) return 5 * MINUTE_MS;\n",
    mistake: "",
    test: "packages/agents/src/catalog/resume-price.test.ts",
  },
  {
    promise: "A session is noted by the real path of its folder, with the work tree of its repository.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: "await noteFolder(canonicalFolder(cwd), marks)",
    mistake: "await noteFolder(cwd, marks)",
    test: "test/relocate/project-marks.test.ts",
  },
  {
    promise: "The work tree of a noted project is read from its mark.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: "marks.set(folder, { worktree: mark.worktree, remote",
    mistake: "marks.set(folder, { worktree: folder, remote",
    test: "test/relocate/project-marks.test.ts",
  },
  {
    promise: "A repository that had no commit gets its first one at a later look.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: "old !== undefined && old.root !== null && old.remote",
    mistake: "old !== undefined && old.remote",
    test: "test/relocate/project-marks.test.ts",
  },
  {
    promise: "Marks that another process writes are left to it.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: 'if (!isContinuoError(error, "busy")) throw error;',
    mistake: "throw error;",
    test: "test/relocate/project-marks.test.ts",
  },
];

export const SIXTH_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "What was found of a row later is news for a page that got it earlier.",
    file: "packages/server/src/machine/row-usage.ts",
    text: "one !== null && one.since <= time",
    mistake: "one !== null",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
  {
    promise: "A row that only the statistics have read is still read for its facts.",
    file: "packages/server/src/machine/row-usage.ts",
    text: "isWhole: one?.facts !== undefined",
    mistake: "isWhole: true",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
  {
    promise: "What a read found is not replaced by what the index lacks.",
    file: "packages/server/src/machine/row-usage.ts",
    text: "if (!isKnown(row)) note(row, usage, { isWhole",
    mistake: "note(row, usage, { isWhole",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
  {
    promise: "A very long session is not read only for its row, which has the figures of its last read.",
    file: "packages/server/src/machine/row-usage.ts",
    text: ": usageOfHead((await knownFacts.of(row)).head);",
    mistake: ": NOTHING;",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
];

export const SIXTH_CLIENT: readonly PromiseOfRoom[] = [
  {
    promise: "A change of a missed message counts its length once.",
    file: "packages/core/src/client/missed-collector.ts",
    text: "    this.#messages.length = 0;\n    this.#length = 0;\n",
    mistake: "    this.#messages.length = 0;\n",
    test: "packages/core/src/client/missed-collector.test.ts",
  },
  {
    promise: "A deletion without the place of its message is told, because the reader may know the message.",
    file: "packages/core/src/client/missed-collector.ts",
    text: "event.messageSequence !== undefined && event.messageSequence > after;",
    mistake: "event.messageSequence === undefined || event.messageSequence > after;",
    test: "packages/core/src/client/missed-collector.test.ts",
  },
  {
    promise: "The count of left out messages is never negative.",
    file: "packages/core/src/client/missed-collector.ts",
    text: "Math.max(0, this.#omitted - 1)",
    mistake: "this.#omitted - 1",
    test: "packages/core/src/client/missed-collector.test.ts",
  },
];
