/** The promises of the guard, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const GUARD = "packages/native/src/editing/guard";
const RUN = { file: `${GUARD}/run.ts`, test: "packages/native/src/editing/restore-copy.test.ts" };
const STORE = { file: `${GUARD}/store-session.ts`, test: "packages/native/src/editing/restore-copy.test.ts" };
const PIECES = { file: `${GUARD}/pieces.ts`, test: "packages/native/src/editing/restore-copy.test.ts" };
const BACK = { file: `${GUARD}/bring-back.ts`, test: "packages/native/src/editing/restore-copy.test.ts" };
const ONLY = { file: `${GUARD}/only-copies.ts`, test: "packages/native/src/editing/restore-copy.test.ts" };
const ROWS = { file: `${GUARD}/session-rows.ts`, test: "test/guard/session-rows.test.ts" };
const ENDED = { file: `${GUARD}/run.ts`, test: "test/guard/after-session.test.ts" };
const CHAIN = { file: `${GUARD}/chain.ts`, test: "test/guard/packed-lists.test.ts" };
const DICTIONARIES = { file: `${GUARD}/dictionaries.ts`, test: "test/guard/dictionaries.test.ts" };

export const GUARD_PROMISES: readonly PromiseOfRoom[] = [
  {
    ...RUN,
    promise: "The first sessions to go have the room where it is not enough for all.",
    text: "rows.toSorted((a, b) => endOf(a) - endOf(b))",
    mistake: "rows.toSorted((a, b) => endOf(b) - endOf(a))",
  },
  {
    ...RUN,
    promise: "A session that did not change is not stored again.",
    text: "if (!isStored(before, stamp)) {",
    mistake: "if (before?.stamp !== null) {",
  },
  {
    ...RUN,
    promise: "The copy that is the only one goes last for the limit of size.",
    text: "for (const one of [...there, ...gone]) {",
    mistake: "for (const one of [...gone, ...there]) {",
  },
  {
    ...RUN,
    promise: "The limit of age takes no copy of a session that its agent still has.",
    text: "if (one.storedAt >= before || !isGone(one)) continue;",
    mistake: "if (one.storedAt >= before) continue;",
  },
  {
    ...RUN,
    promise: "The limit of age takes no copy that is younger.",
    text: "if (one.storedAt >= before || !isGone(one)) continue;",
    mistake: "if (!isGone(one)) continue;",
  },
  {
    ...RUN,
    promise: "A session that is there again keeps its copy, though it was deleted for good before.",
    text: "if (location === undefined || !isInPlace(location)) {",
    mistake: "if (location !== null) {",
  },
  {
    ...RUN,
    promise: "A session that goes while the run looks at it ends no run.",
    text: '!["ENOENT", "EACCES",',
    mistake: '!["EACCES",',
  },
  {
    ...RUN,
    promise: "No piece is removed while a manifest cannot be read.",
    text: "if (manifest === null) return;",
    mistake: "if (manifest === null) continue;",
  },
  {
    ...RUN,
    promise: "A session whose folder is excluded is not stored.",
    text: "if (isExcluded?.(found.location) !== true && (cwd === null || isExcluded?.(cwd) !== true)) return false;",
    mistake: "if (isExcluded?.(found.location) !== true) return false;",
  },
  {
    ...STORE,
    promise: "Files of a session that its agent removed by themselves stay in the copy.",
    text: "for (const file of newest?.files ?? []) if (!present.has(file.from)) files.push(file);",
    mistake: "",
  },
  {
    ...STORE,
    promise: "A session that its agent emptied keeps its older state.",
    text: "before?.states.slice(continues ? 1 : 0)",
    mistake: "before?.states.slice(1)",
  },
  {
    ...STORE,
    promise: "Of too many states those that hold the least go.",
    text: "sizes.lastIndexOf(Math.min(...sizes))",
    mistake: "sizes.lastIndexOf(Math.max(...sizes))",
  },
  {
    ...PIECES,
    promise: "A file that was rewritten at its beginning is not taken for one that grew.",
    text: 'grew = whole.copy().digest("hex") === before.sha256;',
    mistake: "grew = true;",
  },
  {
    ...BACK,
    promise: "A session in the trash is no copy to bring back.",
    text: "filter((one) => !hidden.has(keyOf(one)))",
    mistake: "filter(() => hidden.size >= 0)",
  },
  {
    ...BACK,
    promise: "A whole id is found though another one begins with it.",
    text: "exact.length > 0 ? exact : near",
    mistake: "near",
  },
  {
    ...BACK,
    promise: "The beginning of two ids names neither.",
    text: "if (matches.length > 1) {",
    mistake: "if (matches.length > 2) {",
  },
  {
    ...ONLY,
    promise: "A session whose file lies in its place is not listed as a copy alone.",
    text: "if (left.has(keyOf(one)) || isInPlace(one.location)) continue;",
    mistake: "if (left.has(keyOf(one))) continue;",
  },
  {
    ...ROWS,
    file: `${GUARD}/folder.ts`,
    promise: "A session of a database is gone when its row is.",
    text: "get(id) !== undefined",
    mistake: "get(id) !== null",
  },
  {
    ...ROWS,
    promise: "Messages that vanished from a database leave the older state.",
    text: ".every((start) => there.has(start))",
    mistake: ".every((start) => start.length > there.size * 0)",
  },
  {
    ...ROWS,
    promise: "A project that is gone comes back with its session.",
    text: "[...tables, ...missing].map(",
    mistake: "[...tables, ...missing.slice(9)].map(",
  },
  {
    file: `${GUARD}/lay-out.ts`,
    test: "packages/native/src/editing/restore-copy.test.ts",
    promise: "At most four copies lie open.",
    text: "names.slice(MAX_OPENED - 1)",
    mistake: "names.slice(MAX_OPENED * 9)",
  },
  {
    ...ENDED,
    promise: "A file of another session is not stored under the id that a hook names.",
    text: " || found.sessionId !== sessionId) continue;",
    mistake: ") continue;",
  },
  {
    ...ENDED,
    promise: "What the copy of an ended session replaces is removed by the next run of all.",
    text: "existsSync(notCleanedPath(places)) || orphanedDictionaries",
    mistake: "orphanedDictionaries",
  },
  {
    ...ENDED,
    promise: "A file outside the agents' folders is no session that ended.",
    text: "location.startsWith(folder + sep)) === true;",
    mistake: "folder !== location) === true;",
  },
  {
    ...CHAIN,
    promise: "A log that does not follow is not packed.",
    text: "if (log.broken.length > 0) return;",
    mistake: "",
  },
  {
    ...CHAIN,
    promise: "Of a session that grew only the line that its manifest has is packed.",
    text: "line.manifest === hash && last.manifest !== hash",
    mistake: "line.manifest !== hash",
  },
  {
    ...CHAIN,
    promise: "The line that an older manifest has is packed too.",
    text: "line.manifest === hash && last.manifest !== hash",
    mistake: "line.manifest === hash && last.manifest === hash",
  },
  {
    ...RUN,
    file: `${GUARD}/dictionaries.ts`,
    promise: "A damaged dictionary keeps no later session from being stored.",
    text: "if (isFailure(error)) return null;",
    mistake: "",
  },
  {
    ...DICTIONARIES,
    promise: "A dictionary goes with the one that it begins with.",
    text: "entry.base !== undefined && orphaned.has(entry.base)",
    mistake: "entry.base === null && orphaned.has(entry.base)",
  },
];
