/** The promises of a relocation, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const EDITING_RELOCATE = {
  file: "packages/native/src/editing/relocate.ts",
  test: "test/relocate/relocate.test.ts",
};
const EDITING_RELOCATE_2 = {
  file: "packages/native/src/editing/relocate.ts",
  test: "test/relocate/refused.test.ts",
};
const RELOCATION = {
  file: "packages/native/src/native/kit/relocation.ts",
  test: "test/relocate/relocate.test.ts",
};
const KIT_RELOCATION = {
  file: "packages/native/src/native/kit/relocation.ts",
  test: "test/relocate/agents-places.test.ts",
};
const CLAUDE_RELOCATE = {
  file: "packages/native/src/native/claude/relocate.ts",
  test: "test/relocate/agents-places.test.ts",
};
const CODEX_RELOCATE = {
  file: "packages/native/src/native/codex/relocate.ts",
  test: "test/relocate/agents-places.test.ts",
};
const GEMINI_RELOCATE = {
  file: "packages/native/src/native/gemini/relocate.ts",
  test: "test/relocate/agents-places.test.ts",
};
const OPENCODE_RELOCATE = {
  file: "packages/native/src/native/opencode/relocate.ts",
  test: "test/relocate/agents-places.test.ts",
};
const RELOCATE_RELOCATE = { file: "src/cli/relocate/relocate.ts", test: "test/cli/relocate.test.ts" };

export const RELOCATE_EDITING: readonly PromiseOfRoom[] = [
  {
    ...EDITING_RELOCATE,
    promise: "A plan writes nothing.",
    text: "if (options.write === undefined) return planned;",
    mistake: "",
  },
  {
    ...EDITING_RELOCATE,
    promise: "No session is written while a conversation has it open.",
    text: "for (const { sessionId } of sessions) locks.push(",
    mistake: "for (const { sessionId } of sessions.slice(0, 0)) locks.push(",
  },
  {
    ...EDITING_RELOCATE,
    promise: "Every lock is released, whatever happens.",
    text: "for (const lock of locks) lock.release();",
    mistake: "",
  },
  {
    ...EDITING_RELOCATE,
    promise: "An agent that runs in the new folder is refused too.",
    text: "for (const folder of [from, to]) {",
    mistake: "for (const folder of [from]) {",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "An agent that runs in the old folder is refused too.",
    text: "for (const folder of [from, to]) {",
    mistake: "for (const folder of [to]) {",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "A session whose file another program has open is refused.",
    text: "for (const found of sessions) await refuseOpen({ reader, found });",
    mistake: "",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "A relative folder is refused.",
    text: "if (!isAbsolute(path)) throw",
    mistake: 'if (path === "") throw',
  },
  {
    ...EDITING_RELOCATE,
    promise: "The old folder may not contain the new one.",
    text: " || fresh.startsWith(old)) {",
    mistake: ") {",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "The new folder may not contain the old one.",
    text: "old === fresh || old.startsWith(fresh) || ",
    mistake: "old === fresh || ",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "The new folder is a folder and no file.",
    text: "if (!isFolder(relocation.to)) {",
    mistake: "if (!existsSync(relocation.to)) {",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "A session that would not be found in the new folder takes the whole change back.",
    text: "    await restoreFromTrash(trashId, { places, now: new Date(), force: false });\n",
    mistake: "",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "A session that still names the old folder is missing in the new one.",
    text: "if (!isOld) there.add(found.sessionId);",
    mistake: "there.add(found.sessionId);",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "A file whose bytes and place stay the same does not count as a change.",
    text: "files: part.files.filter(isChanged) });",
    mistake: "files: part.files });",
  },
  {
    ...EDITING_RELOCATE,
    promise: "Folders of an agent that became empty are removed.",
    text: "  await removeEmptied(parts, places);\n",
    mistake: "",
  },
  {
    ...EDITING_RELOCATE,
    promise: "A folder that an agent keeps something else in stays.",
    text: "if (!existsSync(folder) || readdirSync(folder).length > 0) return;",
    mistake: "if (!existsSync(folder)) return;",
  },
  {
    ...EDITING_RELOCATE_2,
    promise: "The trash names both folders and how many sessions moved.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "title: `Relocated ${from} to ${to}, ${sessions}`",
    mistake: "title: row.title",
  },
  {
    ...EDITING_RELOCATE,
    promise: "Damaged sessions that are left out are counted.",
    text: "leftOut: leftOut.map(({ sessionId }) => sessionId),",
    mistake: "leftOut: [],",
  },
];

export const RELOCATE_NATIVE: readonly PromiseOfRoom[] = [
  {
    ...RELOCATION,
    promise: "A folder whose name only begins alike is another one.",
    text: "path.startsWith(from.endsWith(sep) ? from : from + sep)",
    mistake: "path.startsWith(from)",
  },
  {
    ...KIT_RELOCATION,
    promise: "What was said keeps the old path.",
    text: "if (JSON.stringify(recordIn(tried)) === wanted) return tried;",
    mistake: "return tried;",
  },
  {
    ...KIT_RELOCATION,
    promise: "A line that is not valid UTF-8 keeps its bytes.",
    text: 'record === null || !Buffer.from(text, "utf8").equals(line)',
    mistake: "record === null",
  },
  {
    ...RELOCATION,
    promise: "Only the given keys of a record are paths.",
    text: "  for (const path of keys) moved = withMovedPath(moved, path, relocation);",
    mistake:
      "  if (keys.length > 0) moved = moved.replaceAll(escaped(relocation.from), escaped(relocation.to));",
  },
  {
    ...CLAUDE_RELOCATE,
    promise: "Claude Code: settings that the new folder has stay.",
    text: "return moved !== null && projects[moved] === undefined;",
    mistake: "return moved !== null;",
  },
  {
    ...CLAUDE_RELOCATE,
    promise: "Claude Code: notes of the project stay while another session stays.",
    text: "if (staying.has(folder) || folder === target) continue;",
    mistake: "if (folder === target) continue;",
  },
  {
    ...CLAUDE_RELOCATE,
    promise: "Claude Code: a note that the new folder has is not replaced.",
    text: "    .map((from) => ({ from, to: join(target, relative(folder, from)) }))\n    .filter(({ to }) => !existsSync(to));",
    mistake: "    .map((from) => ({ from, to: join(target, relative(folder, from)) }));",
  },
  {
    file: "packages/native/src/native/claude/relocate.ts",
    test: "test/relocate/relocate.test.ts",
    promise: "Claude Code: the files of sub-agents name the new folder.",
    text: 'return from.endsWith(".jsonl")\n',
    mistake: "return from === location\n",
  },
  {
    ...CLAUDE_RELOCATE,
    promise: "Claude Code: a session that began in a folder below the project moves to that folder's name.",
    text: "const root = isNamed ? moved : relocation.to;",
    mistake: "const root = relocation.to;",
  },
  {
    ...CLAUDE_RELOCATE,
    promise:
      "Claude Code: a session that ended in another folder than it began stays below the name of the project.",
    text: "const root = isNamed ? moved : relocation.to;",
    mistake: "const root = moved;",
  },
  {
    ...CLAUDE_RELOCATE,
    promise: "Claude Code: settings below the configured folder are changed.",
    text: 'join(env.CLAUDE_CONFIG_DIR || home, ".claude.json")',
    mistake: 'join(home, ".claude.json")',
  },
  {
    ...CODEX_RELOCATE,
    promise: "Codex: the row of a thread names the new folder.",
    text: "rows: rowsOf(moved, places), leftOut",
    mistake: "rows: [], leftOut",
  },
  {
    ...CODEX_RELOCATE,
    promise: "Codex: a thread of a folder below the project keeps what is below.",
    text: "      set: { cwd },",
    mistake: "      set: { cwd: [...moved.values()][0] ?? cwd },",
  },
  {
    ...CODEX_RELOCATE,
    promise: "Codex: sub-agents move too.",
    text: 'find(places, { subagents: "include" })',
    mistake: "find(places, {})",
  },
  {
    ...CODEX_RELOCATE,
    promise: "Codex: a fork that works elsewhere begins at the same line.",
    text: "const files = [...changed, ...forks].map(",
    mistake: "const files = [...changed].map(",
  },
  {
    ...GEMINI_RELOCATE,
    promise: "Gemini: the notes of a project that is there already stay.",
    text: "    .filter(({ from, to: place }) => from === place || !existsSync(place));",
    mistake: '    .filter(({ from }) => from !== "");',
  },
  {
    ...GEMINI_RELOCATE,
    promise: "Gemini: sessions move into the folder of a project that is there already.",
    text: "const target = known === undefined ? targetOf(project, move) : join(projects, known);",
    mistake: "const target = targetOf(project, move);",
  },
  {
    ...GEMINI_RELOCATE,
    promise: "Gemini: the hash of the project in its sessions is the new one.",
    text: 'return text.includes(before) ? Buffer.from(text.replaceAll(before, after), "latin1") : bytes;',
    mistake: 'return text.includes(before) && after === "" ? Buffer.from(text) : bytes;',
  },
  {
    ...GEMINI_RELOCATE,
    promise: "Gemini: the entry of a project that is there already stays.",
    text: "projects[moved] === undefined ? [[moved, slug]] : []",
    mistake: "[[moved, slug]]",
  },
  {
    ...GEMINI_RELOCATE,
    promise: "Gemini: a folder that is named by the hash of its path has the new hash.",
    text: "return isHashName(basename(project)) ? join(dirname(project), hashOf(to)) : project;",
    mistake: 'return isHashName(basename(project)) && to === "" ? dirname(project) : project;',
  },
  {
    ...OPENCODE_RELOCATE,
    promise: "Rows of sub-agents move too at opencode.",
    text: 'findSessions(places, { subagents: "include" })',
    mistake: "findSessions(places, {})",
  },
  {
    ...OPENCODE_RELOCATE,
    promise: "Rows at opencode name the project of the new folder.",
    text: "const place = project === null ? {} : { project_id: project.id, path: pathIn(project, moved) };",
    mistake: "const place = project === null ? {} : { path: pathIn(project, moved) };",
  },
  {
    file: "packages/native/src/native/pi/relocate.ts",
    test: "test/relocate/agents-places.test.ts",
    promise: "Sessions of pi in a folder that the person chose stay in it.",
    text: "const isInProject = dirname(dirname(from)) === root && existsSync(from);",
    mistake: "const isInProject = existsSync(from);",
  },
];

export const RELOCATE_CLI: readonly PromiseOfRoom[] = [
  {
    ...RELOCATE_RELOCATE,
    promise: "Without a terminal nothing is changed unless --yes is given.",
    text: "    if (!canAsk(shell)) {",
    mistake: "    if (!canAsk(shell)) return plans;\n    if (!canAsk(shell)) {",
  },
  {
    ...RELOCATE_RELOCATE,
    promise: "A plan with --dry-run changes nothing, also with --yes.",
    text: "plans.length === 0 || flags.dryRun ? plans",
    mistake: "plans.length === 0 || (flags.dryRun && !flags.yes) ? plans",
  },
  {
    ...RELOCATE_RELOCATE,
    promise: "A project that may be any of two folders is not relocated.",
    text: "projects.filter((project) => project.to.length === 1)",
    mistake: "projects.filter((project) => project.to.length >= 1)",
  },
  {
    ...RELOCATE_RELOCATE,
    promise: "Every project's undo is printed.",
    text: "const undo = done.flatMap(",
    mistake: "const undo = done.slice(0, 1).flatMap(",
  },
];
