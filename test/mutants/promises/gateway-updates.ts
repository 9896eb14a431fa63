/** More promises of `src/gateway/`: updates, replays and calls, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const GATEWAY_UPDATES: readonly PromiseOfRoom[] = [
  {
    file: "src/gateway/follow-turns.ts",
    test: "test/gateway/gateway.test.ts",
    promise: "A turn of another program that waits already gets the agent's session.",
    text: "  if (live.items.some(({ runId }) => !isOwn(runId))) onBegin();\n",
    mistake: "",
  },
  {
    promise: "The prompt of another program is shown once.",
    file: "src/gateway/logged-turn.ts",
    text: "    if (this.#isPromptShown) return [];\n",
    mistake: "",
    test: "src/gateway/logged-turn.test.ts",
  },
  {
    promise: "All contents of a call together fit into a message.",
    file: "src/gateway/calls.ts",
    text: "if (chars + size > GATEWAY_LIMITS.blockChars) return false;",
    mistake: "if (size > GATEWAY_LIMITS.blockChars) return false;",
    test: "src/gateway/content.test.ts",
  },
  {
    promise: "A long text is not cut between the halves of a character.",
    file: "src/gateway/content.ts",
    text: "code <= 0xdb_ff ? end - 1 : end;",
    mistake: "code <= 0xdb_ff ? end : end;",
    test: "src/gateway/content.test.ts",
  },
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
];
