/** More promises of `packages/agents/src/catalog/`: marks, rows and names, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const LOOK_UP = {
  file: "packages/agents/src/catalog/look-up.ts",
  test: "packages/agents/src/catalog/look-up.test.ts",
};
const LIST = {
  file: "packages/agents/src/catalog/list.ts",
  test: "packages/agents/src/catalog/look-up.test.ts",
};
const MARKS = {
  file: "packages/agents/src/catalog/marks.ts",
  test: "packages/agents/src/catalog/marks.test.ts",
};
const FOLLOW = {
  file: "packages/agents/src/catalog/follow.ts",
  test: "packages/agents/src/catalog/follow.test.ts",
};
const ROWS = {
  file: "packages/agents/src/catalog/rows.ts",
  test: "packages/agents/src/catalog/rows.test.ts",
};

export const CATALOG_WAYS_CATALOG: readonly PromiseOfRoom[] = [
  {
    ...LOOK_UP,
    promise: "A name of another spelling names the session that it means.",
    text: "near === null || near === agent ? SEE_ALL",
    mistake: "near === null || near !== agent ? SEE_ALL",
  },
  {
    ...LOOK_UP,
    promise: "An agent of the configuration opens a session that its list does not have.",
    text: 'if (isContinuoError(error, "unsupported")) return [];',
    mistake: "",
  },
  {
    ...LOOK_UP,
    promise: "Sessions of the list of an agent are found by the beginning of their ids.",
    text: "filter(({ sessionId }) => sessionId.startsWith(id));",
    mistake: "filter(({ sessionId }) => sessionId === id);",
  },
  {
    ...LIST,
    promise: "An archived session that was asked for does not reduce the number of other sessions.",
    text: "isOfOwn(session) || isArchivedHere(session)",
    mistake: "isOfOwn(session)",
  },
  {
    ...LIST,
    promise: "Only archived sessions of the time that is asked for are counted.",
    text: 'isWithin(row, pick(wanted, "since"))',
    mistake: "isWithin(row, {})",
  },
  {
    ...LIST,
    promise: "Empty sessions are listed unless the caller excludes them.",
    text: 'else if (empty === "exclude" && hasNoUserMessage(wanted))',
    mistake: "else if (hasNoUserMessage(wanted))",
  },
  {
    ...MARKS,
    promise: "A mark that a person took back leaves no entry.",
    text: "if (Object.keys(kept).length > 0) next[name] = kept;",
    mistake: "next[name] = kept;",
  },
  {
    ...MARKS,
    promise: "A session that was moved names its new machine.",
    text: "        ...(movedTo !== null && { movedTo }),\n",
    mistake: "",
  },
  {
    ...MARKS,
    promise: "Taking a move back leaves the other marks.",
    text: "movedTo === null ? others : {",
    mistake: "movedTo === null ? {} : {",
  },
  {
    ...MARKS,
    promise: "A session that its agent archived is not shown by taking the mark back.",
    text: "archived: row.archived || isArchived(sessions[name]),",
    mistake: "archived: isArchived(sessions[name]),",
  },
  {
    ...MARKS,
    promise: "A tag that is given and removed at once is not there.",
    text: "new Set([...before.tags, ...added].filter((tag) => !removed.includes(tag)))",
    mistake: "new Set([...before.tags.filter((tag) => !removed.includes(tag)), ...added])",
  },
  {
    ...MARKS,
    promise: "A session that was moved is not continued here.",
    text: "  if (moved === null) return;\n",
    mistake: "  if (moved !== null) return;\n",
  },
  {
    ...FOLLOW,
    promise: "A followed session that is gone ends with an error.",
    text: "if (missed > CATALOG_LIMITS.followMissed) throw gone(first);",
    mistake: "if (missed > CATALOG_LIMITS.followMissed) return;",
  },
  {
    ...FOLLOW,
    promise: "A call whose result was given is not given again with other words.",
    text: 'update: before === undefined ? "new" : "more"',
    mistake: 'update: "new"',
  },
  {
    ...FOLLOW,
    promise: "Of a followed text that grew, only the new part is returned.",
    text: "return { ...block, text: text.slice(length) };",
    mistake: "return block;",
  },
  {
    ...ROWS,
    promise: "An own session without a title has the title of its agent's session.",
    text: "title: row.title ?? same.find(({ title }) => title !== null)?.title ?? null,",
    mistake: "title: row.title,",
  },
  {
    ...ROWS,
    promise: "Equal times stand in the order of agent and id.",
    text: "return i < j ? -1 : i > j ? 1 : 0;",
    mistake: "return 0;",
  },
  {
    ...ROWS,
    promise: "A change of only the row makes an own session newer.",
    text: "updatedAt: updatedAt > lastActivityAt ? updatedAt : lastActivityAt,",
    mistake: "updatedAt: lastActivityAt,",
  },
  {
    file: "packages/agents/src/catalog/moves.ts",
    test: "packages/agents/src/catalog/moves.test.ts",
    promise: "The name with which a conversation began comes first.",
    text: "[importedFrom, ...nativeRefs]",
    mistake: "[...nativeRefs, importedFrom]",
  },
];
