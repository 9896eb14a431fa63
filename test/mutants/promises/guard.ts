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
    promise:
      "If there is not enough space for all sessions, those that their agents delete first are stored.",
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
    promise:
      "To keep the limit of size, copies of sessions that still exist are removed before copies that are the only ones.",
    text: "for (const one of [...there, ...gone]) {",
    mistake: "for (const one of [...gone, ...there]) {",
  },
  {
    ...RUN,
    promise: "The limit of age removes no copy of a session that its agent still has.",
    text: "if (one.storedAt >= before || !isGone(one)) continue;",
    mistake: "if (one.storedAt >= before) continue;",
  },
  {
    ...RUN,
    promise: "The limit of age removes no copy that is younger than the limit.",
    text: "if (one.storedAt >= before || !isGone(one)) continue;",
    mistake: "if (!isGone(one)) continue;",
  },
  {
    ...RUN,
    promise: "A session that exists again keeps its copy, although it was deleted for good before.",
    text: "if (location === undefined || !isInPlace(location)) {",
    mistake: "if (location !== null) {",
  },
  {
    ...RUN,
    promise: "A session that disappears while the run reads it does not end the run.",
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
    promise: "If an agent removes single files of a session, these files stay in the copy.",
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
    promise: "If there are too many states, the ones with the least content are removed.",
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
    promise: "The copy of a session in the trash is not found.",
    text: "filter((one) => !hidden.has(keyOf(one)))",
    mistake: "filter(() => hidden.size >= 0)",
  },
  {
    ...BACK,
    promise: "A whole id names its session, although another id begins with it.",
    text: "exact.length > 0 ? exact : near",
    mistake: "near",
  },
  {
    ...BACK,
    promise: "A text with which two ids begin names neither of the two sessions.",
    text: "if (matches.length > 1) {",
    mistake: "if (matches.length > 2) {",
  },
  {
    ...ONLY,
    promise: "A session whose file still exists is not listed as one that exists only as a copy.",
    text: "if (left.has(keyOf(one)) || isInPlace(one.location)) continue;",
    mistake: "if (left.has(keyOf(one))) continue;",
  },
  {
    ...ROWS,
    file: `${GUARD}/folder.ts`,
    promise: "A session of a database is gone when its row is gone.",
    text: "get(id) !== undefined",
    mistake: "get(id) !== null",
  },
  {
    ...ROWS,
    promise: "If messages disappear from a database, the copy keeps the older state.",
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
    promise: "At most four copies are unpacked at the same time.",
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
    promise:
      "After a session ended and its copy was replaced, the next run over all sessions removes the data that is no longer used.",
    text: "existsSync(notCleanedPath(places)) || orphanedDictionaries",
    mistake: "orphanedDictionaries",
  },
  {
    ...ENDED,
    promise: "A file outside the agents' folders is not reported as a session that ended.",
    text: "location.startsWith(folder + sep)) === true;",
    mistake: "folder !== location) === true;",
  },
  {
    ...CHAIN,
    promise: "A log with a broken chain is not packed.",
    text: "if (log.broken.length > 0) return;",
    mistake: "",
  },
  {
    ...CHAIN,
    promise:
      "If a session grew, its older lines are not packed, except for a line that its present manifest matches.",
    text: "line.manifest === hash && last.manifest !== hash",
    mistake: "line.manifest !== hash",
  },
  {
    ...CHAIN,
    promise: "If the present manifest is older than the last line, the line that it matches is packed too.",
    text: "line.manifest === hash && last.manifest !== hash",
    mistake: "line.manifest === hash && last.manifest === hash",
  },
  {
    ...RUN,
    file: `${GUARD}/dictionaries.ts`,
    promise: "A damaged dictionary does not prevent later sessions from being stored.",
    text: "if (isFailure(error)) return null;",
    mistake: "",
  },
  {
    ...DICTIONARIES,
    promise: "A dictionary is removed together with the dictionary with which it begins.",
    text: "entry.base !== undefined && orphaned.has(entry.base)",
    mistake: "entry.base === null && orphaned.has(entry.base)",
  },
];
