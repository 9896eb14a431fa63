/** More promises of `src/gateway/`: lists and their rows, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const GATEWAY_LISTS: readonly PromiseOfRoom[] = [
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
    promise: "A session that appears in a new place makes a new list.",
    file: "src/gateway/list-stamps.ts",
    text: "  if (!isSame(before.names, now.names)) return null;\n",
    mistake: "",
    test: "src/gateway/list-stamps.test.ts",
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
    promise: "A session that begins after the first page of a list is on no later page.",
    file: "src/gateway/list.ts",
    text: "!known.has(id) && met.has(row.sessionId)",
    mistake: "!known.has(id)",
    test: "src/gateway/kept-list.test.ts",
  },
];
