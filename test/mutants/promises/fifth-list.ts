/** Promises that a fifth list of mistakes showed to be untested: its author knew the sources and not their tests. */

import type { PromiseOfRoom } from "./promise.ts";

export const FIFTH_GATEWAY: readonly PromiseOfRoom[] = [
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
    promise: "After a logout, the login that the person chose is forgotten.",
    file: "src/gateway/logins.ts",
    text: "      chosen.clear();\n",
    mistake: "",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "A login that failed is not the chosen one.",
    file: "src/gateway/logins.ts",
    text: "      await start({ agent, methodId, places, signal });\n      chosen.set(agent, methodId);",
    mistake: "      chosen.set(agent, methodId);\n      await start({ agent, methodId, places, signal });",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "The pages of the newest sessions are followed by those of all others.",
    file: "src/gateway/list.ts",
    text: "const mayGoOn = end < rows.length || (rows === list.rows && list.all !== null);",
    mistake: "const mayGoOn = end < rows.length;",
    test: "src/gateway/kept-list.test.ts",
  },
  {
    promise: "A list is read again some time after its last whole read, even if its rows are renewed.",
    file: "src/gateway/kept-list.ts",
    text: "if (Date.now() - current.wholeMs > GATEWAY_LIMITS.listMs) readSoon();",
    mistake: "if (Date.now() - current.beganMs > GATEWAY_LIMITS.listMs) readSoon();",
    test: "src/gateway/kept-list.test.ts",
  },
  {
    promise: "The row of a session of Continuo's names the agent that answered last.",
    file: "src/gateway/row-info.ts",
    text: "agent: isOwn(row) ? row.lastAgent : row.agent,",
    mistake: "agent: isOwn(row) ? row.agent : row.agent,",
    test: "src/gateway/row-info.test.ts",
  },
  {
    promise: "Deleting a conversation moves all its native sessions to the trash.",
    file: "src/gateway/actions.ts",
    text: "for (const native of earlierNames(row)) {",
    mistake: "for (const native of earlierNames(row).slice(0, 1)) {",
    test: "src/gateway/actions.test.ts",
  },
  {
    promise: "A session that appears in a new place makes a new list.",
    file: "src/gateway/list-stamps.ts",
    text: "  if (!isSame(before.names, now.names)) return null;\n",
    mistake: "",
    test: "src/gateway/list-stamps.test.ts",
  },
];

export const FIFTH_CATALOG: readonly PromiseOfRoom[] = [
  {
    promise: "The candidates for the calling session come newest first.",
    file: "packages/agents/src/catalog/calling-session.ts",
    text: "byNewest(a.info, b.info)",
    mistake: "byNewest(b.info, a.info)",
    test: "test/mcp/recall.test.ts",
  },
  {
    promise: "Two projects without a remote are the same only if they have the same first commit.",
    file: "packages/agents/src/catalog/list-filter.ts",
    text: "return gone.remote === null ? gone.root !== null && gone.root === root : gone.remote === remote;",
    mistake: "return gone.remote === remote;",
    test: "packages/agents/src/catalog/list-filter.test.ts",
  },
  {
    promise: "Copies and mirrors that are older than `since` are not listed.",
    file: "packages/agents/src/catalog/list.ts",
    text: '(row) => (since === undefined || (row.updatedAt ?? "") >= since) && !rows.some((own) => isSame(own, row)),',
    mistake: "(row) => !rows.some((own) => isSame(own, row)),",
    test: "packages/agents/src/catalog/look-up.test.ts",
  },
  {
    promise:
      "If the store cannot be read and no native session matches, the look-up reports the error of the store.",
    file: "packages/agents/src/catalog/look-up.ts",
    text: "if (isFailure(error) && matches.length > 0) return [];",
    mistake: "if (isFailure(error)) return [];",
    test: "packages/agents/src/catalog/look-up.test.ts",
  },
  {
    promise: "The location of a store on a database server has no password.",
    file: "packages/agents/src/catalog/store.ts",
    text: "  if (pathOfUrl(url) !== null) return url;",
    mistake: "  if (url !== null) return url;",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "The details of an own session have the newer of the two times.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "          .sort()\n          .at(-1) ?? null,",
    mistake: "          .sort()\n          .at(0) ?? null,",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
];

export const FIFTH_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "After the trash was emptied, the next list has no deleted session.",
    file: "packages/server/src/machine/actions.ts",
    text: "      const deleted = emptyTrash({ places });\n      source.forget();",
    mistake: "      const deleted = emptyTrash({ places });",
    test: "test/machine/actions.test.ts",
  },
  {
    promise: "A search in a session counts only matches as left out.",
    file: "packages/server/src/machine/find.ts",
    text: "leftOut: matches.length - shown.length",
    mistake: "leftOut: places.length - shown.length",
    test: "packages/server/src/machine/find.test.ts",
  },
  {
    promise: "The key of a sub-agent of a sub-agent leads to it.",
    file: "packages/server/src/machine/session-lookup.ts",
    text: "key.lastIndexOf(BELOW)",
    mistake: "key.indexOf(BELOW)",
    test: "packages/server/src/machine/session-lookup.test.ts",
  },
  {
    promise: "The model of a row is the last one that is recorded.",
    file: "packages/server/src/machine/row-usage.ts",
    text: "newest.findLast(({ model }) => model !== null)?.model ?? null",
    mistake: "newest.at(-1)?.model ?? null",
    test: "packages/server/src/machine/row-usage.test.ts",
  },
];

export const FIFTH_MCP: readonly PromiseOfRoom[] = [
  {
    promise: "The open tasks of a list stay open after other calls.",
    file: "packages/server/src/mcp/digest.ts",
    text: "mask(text) })) ?? tasks;",
    mistake: "mask(text) })) ?? null;",
    test: "packages/server/src/mcp/digest.test.ts",
  },
];

export const FIFTH_CLIENT: readonly PromiseOfRoom[] = [
  {
    promise: "An input whose answer failed in between is not passed over.",
    file: "packages/core/src/client/answer.ts",
    text: "earlier >= sequence || this.#begun.has(earlier)) throw error;",
    mistake: "earlier >= sequence) throw error;",
    test: "packages/core/src/client/answer.test.ts",
  },
  {
    promise: "A reader gets the edits of a message that addressed it at its beginning.",
    file: "packages/core/src/client/hand-over.ts",
    text: "if (isFollowed || event.addressed) keepWhole(followed, event.messageId);",
    mistake: "if (event.addressed) keepWhole(followed, event.messageId);",
    test: "packages/core/src/client/hand-over.test.ts",
  },
  {
    promise: "A gap that was asked for before the connection was lost is asked for again.",
    file: "packages/core/src/client/inbox.ts",
    text: '    if (this.#state === "asked") this.#state = "flowing";\n  }',
    mistake: "  }",
    test: "packages/core/src/client/inbox.test.ts",
  },
];
