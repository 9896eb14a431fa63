/** The promises of the lists and of the running turn in `packages/server/src/machine/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROWS = {
  file: "packages/server/src/machine/rows.ts",
  test: "packages/server/src/machine/rows.test.ts",
};
const TURN = {
  file: "packages/server/src/machine/chat/live-turn.ts",
  test: "packages/server/src/machine/chat/live-turn.test.ts",
};
const LOOK_UP = {
  file: "packages/server/src/machine/session-lookup.ts",
  test: "packages/server/src/machine/session-lookup.test.ts",
};

const USAGE = {
  file: "packages/server/src/machine/row-usage.ts",
  test: "packages/server/src/machine/row-usage.test.ts",
};

export const MACHINE_LISTS: readonly PromiseOfRoom[] = [
  {
    ...ROWS,
    promise: "Archived sessions are among the rows, so that a page can ask for them.",
    text: '{ archived: "include", empty: "exclude", ...part }',
    mistake: '{ empty: "exclude", ...part }',
  },
  {
    ...ROWS,
    promise: "A session in which nobody said anything has no row.",
    text: '{ archived: "include", empty: "exclude", ...part }',
    mistake: '{ archived: "include", empty: "include", ...part }',
  },
  {
    ...ROWS,
    promise: "A page says that the store of Continuo's own sessions cannot be read.",
    text: "notices: error === null ? [] :",
    mistake: "notices: error !== undefined ? [] :",
  },
  {
    ...ROWS,
    promise: "A list that could not be read is read again for the next reader.",
    text: "      if (kept === entry) kept = null;\n",
    mistake: "",
  },
  {
    ...ROWS,
    promise: "After a change the next page is not one of the list before it.",
    text: "      kept = null;\n      old = null;",
    mistake: "      kept = null;",
  },
  {
    ...ROWS,
    promise: "After a change the newest sessions are found again as well.",
    text: "      whole.forget();\n      newest.forget();",
    mistake: "      whole.forget();",
  },
  {
    ...TURN,
    promise: "The end of a message reaches the page, also when its text does not change.",
    text: " && now.metadata.partial === true;",
    mistake: ";",
  },
  {
    ...TURN,
    promise: "A page knows of a message that more of it comes.",
    text: "...(isOpen ? { partial: true } : {})",
    mistake: "...{}",
  },
  {
    ...TURN,
    promise: "A message of the running turn is never taken for one of the history.",
    text: "const id = `live:",
    mistake: "const id = `",
  },
  {
    ...TURN,
    promise: "A text that is longer than a window shows is cut while it grows.",
    text: "  if (after.text.length > HISTORY_LIMITS.textChars) return null;\n",
    mistake: "",
  },
  {
    ...TURN,
    promise: "A page that comes late is sent only the newest messages of a long turn.",
    text: "before.length === 0 ? now.length - MOST : 0",
    mistake: "0",
  },
  {
    ...LOOK_UP,
    promise: "A session that began a moment ago is found.",
    text: "  source.forget();\n  const { byKey } = await source.rows();\n  const found",
    mistake: "  const { byKey } = await source.rows();\n  const found",
  },
  {
    ...LOOK_UP,
    promise: "A sub-agent does not show the tokens and costs of its parent.",
    text: "shown: { ...shown, turns: null, tokens: null, costUsd: null, facts: null }",
    mistake: "shown",
  },
  {
    ...LOOK_UP,
    promise: "A sub-agent bears its task as its title.",
    text: "title: description ?? type, sizeBytes, problems: [] };\n  const shown",
    mistake: "title: parent.row.title, sizeBytes, problems: [] };\n  const shown",
  },
  {
    ...LOOK_UP,
    promise: "A conversation that just began is in the list of the page that began it.",
    text: "  source.forget();\n  const { byKey } = await source.rows();\n  const [key]",
    mistake: "  const { byKey } = await source.rows();\n  const [key]",
  },
  {
    ...LOOK_UP,
    promise: "A hand-over and a fork are in the list of the page that made them.",
    text: "  source.forget();\n  return (await",
    mistake: "  return (await",
  },
  {
    ...LOOK_UP,
    promise: "The session of another agent with the same id is not taken for the new conversation.",
    text: "isOwn(row) && row.sessionId === sessionId",
    mistake: "row.sessionId === sessionId",
  },
  {
    ...LOOK_UP,
    promise: "The former address of a session with a strange id leads to its conversation.",
    text: 'keyOf({ ...name, location: name.location ?? "" }) === key',
    mistake: 'keyOf({ ...name, location: "" }) === key',
  },
  {
    ...USAGE,
    promise: "A session that grew does not show the turns that it had before.",
    text: "return one?.stamp === stamp ? one : null;",
    mistake: "return one ?? null;",
  },
  {
    ...USAGE,
    promise: "The turns of a session that grew are counted again.",
    text: "boolean => entryOf(row)?.isWhole === true;",
    mistake: "boolean => known.has(nameOf(row));",
  },
  {
    ...USAGE,
    promise: "A row shows the model that was used last.",
    text: "newest.findLast(({ model })",
    mistake: "newest.find(({ model })",
  },
  {
    promise: "A secret in a line of a file is masked.",
    file: "packages/server/src/machine/file-blame.ts",
    text: "maskSecrets(line.text).value",
    mistake: "line.text",
    test: "test/machine/file-blame.test.ts",
  },
  {
    promise: "The same question again does not begin another search.",
    file: "packages/server/src/machine/text-searches.ts",
    text: "const one = running.get(name) ?? start(text, rows, page);",
    mistake: "const one = start(text);",
    test: "test/machine/found.test.ts",
  },
  {
    promise: "A page says how many sessions were not searched yet.",
    file: "packages/server/src/machine/text-searches.ts",
    text: "notices: left };",
    mistake: "notices: [] };",
    test: "test/machine/found.test.ts",
  },
  {
    promise: "A session that began after the list was made is found with its row.",
    file: "packages/server/src/machine/sessions-page.ts",
    text: "if (isDue && found.withoutRow > 0) {",
    mistake: "if (false) {",
    test: "test/machine/found.test.ts",
  },
];
