/** The promises of a move between two machines, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const SEND_MOVE = {
  file: "packages/agents/src/handoff/moving/send-move.ts",
  test: "test/move/sender.test.ts",
};
const RECEIVE_MOVE = {
  file: "packages/agents/src/handoff/moving/receive-move.ts",
  test: "test/move/receiver.test.ts",
};
const PLACED_SINCE = {
  file: "packages/agents/src/handoff/moving/recover-placement.ts",
  test: "test/move/receiver.test.ts",
};
const FOLDER_OF_MOVE = {
  file: "packages/agents/src/handoff/moving/move-folder.ts",
  test: "test/move/receiver.test.ts",
};
const CHANNEL = { file: "packages/agents/src/handoff/moving/channel.ts", test: "test/move/receiver.test.ts" };
const LINES = { file: "packages/agents/src/handoff/moving/lines.ts", test: "test/move/receiver.test.ts" };

export const MOVE_HANDOFF: readonly PromiseOfRoom[] = [
  {
    ...SEND_MOVE,
    promise: "A session is released only after the other machine placed it.",
    text: "  const { placed: there } = lineAs(placed, await channel.readLine(), other);\n  if ((await stateOf(lookup)) !== before) throw grown(lookup.found.sessionId, host);\n",
    mistake:
      "  await options.release({ packed, placed: null as never, host: answer.host });\n  const { placed: there } = lineAs(placed, await channel.readLine(), other);\n  if ((await stateOf(lookup)) !== before) throw grown(lookup.found.sessionId, host);\n",
  },
  {
    ...SEND_MOVE,
    promise: "A session that grew meanwhile is not released.",
    text: "if ((await stateOf(lookup)) !== before) throw grown(lookup.found.sessionId, host);",
    mistake: "",
  },
  {
    ...SEND_MOVE,
    promise: "The move is confirmed only after the session was released.",
    text: "  await options.release(sent);\n  await channel.writeLine(CONFIRMED);",
    mistake: "  await channel.writeLine(CONFIRMED);\n  await options.release(sent);",
  },
  {
    ...SEND_MOVE,
    promise: "A session that another program has open is not sent.",
    text: "    await refuseOpen(lookup);\n",
    mistake: "",
  },
  {
    ...SEND_MOVE,
    promise: "The session is locked while it is moved.",
    text: "const lock = await lockNative({ agent, sessionId, places, signal });",
    mistake: "const lock = { release: () => undefined };",
  },
  {
    ...SEND_MOVE,
    promise: "The lock is released after a failure.",
    text: "    lock.release();",
    mistake: "    if (false as boolean) lock.release();",
  },
  {
    ...SEND_MOVE,
    promise: "A transfer that was cut off continues with the bytes that the other machine has.",
    text: "const packedAt = updatedAt ?? new Date(0).toISOString();",
    mistake: "const packedAt = new Date().toISOString();",
  },
  {
    ...SEND_MOVE,
    promise: "The name of a move depends on the work tree.",
    text: "const tree = workTree === null ? null : fingerprintOf(workTree.state);",
    mistake: 'const tree = workTree === null ? null : "tree";',
  },
  {
    ...SEND_MOVE,
    promise: "The progress counts the bytes that were there before.",
    text: "let sent = start;",
    mistake: "let sent = 0;",
  },
  {
    ...SEND_MOVE,
    promise: "Without a work tree, nothing of a repository is sent.",
    text: 'cwd === null || options.workTree === "without"\n',
    mistake: "cwd === null\n",
  },
  {
    ...RECEIVE_MOVE,
    promise: "Only one move arrives at a time.",
    text: 'const lock = await lockSession("/moves", "moves", { places, waitMs: LOCK_MS, signal });',
    mistake: "const lock = { release: () => undefined };",
  },
  {
    ...RECEIVE_MOVE,
    promise: "Bytes that are not those that were offered are thrown away.",
    text: '  rmSync(part, { force: true });\n  throw new ContinuoError("corrupt"',
    mistake: '  throw new ContinuoError("corrupt"',
  },
  {
    ...RECEIVE_MOVE,
    promise: "Bytes that are not those that were offered are not placed.",
    text: 'if (hash.digest("hex") === sha256) return;',
    mistake: 'if (hash.digest("hex") !== "") return;',
  },
  {
    ...RECEIVE_MOVE,
    promise: "A part that is longer than the bundle is thrown away.",
    text: "  if (statSync(part).size > sizeBytes) truncateSync(part, 0);\n",
    mistake: "",
  },
  {
    ...RECEIVE_MOVE,
    promise: "What came is removed once the sender confirmed.",
    text: "  rmSync(files.part, { force: true });\n",
    mistake: "",
  },
  {
    ...RECEIVE_MOVE,
    promise: "What came stays until the sender confirmed.",
    text: "  if (!isConfirmation(await channel.readLine())) return;\n  rmSync(files.part, { force: true });",
    mistake:
      "  rmSync(files.part, { force: true });\n  if (!isConfirmation(await channel.readLine())) return;",
  },
  {
    ...RECEIVE_MOVE,
    promise: "The same move gives the session that was placed before.",
    text: "const before = await placedBefore(files.note, options);",
    mistake: "const before = null as PlacedReply | null;",
  },
  {
    ...RECEIVE_MOVE,
    promise: "A session that was deleted since is placed again.",
    text: 'if (isContinuoError(error, "not_found")) return null;',
    mistake: 'if (isContinuoError(error, "not_found")) return read.data;',
  },
  {
    ...RECEIVE_MOVE,
    promise: "In another folder it is another session.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "update(`${moveId} ${into}`)",
    mistake: "update(moveId)",
  },
  {
    ...RECEIVE_MOVE,
    promise: "A session that a killed process placed is found by its note.",
    text: "    writeDurably(files.note, JSON.stringify(note));",
    mistake: "    if (note.sinceMs === 0) writeDurably(files.note, JSON.stringify(note));",
  },
  {
    ...RECEIVE_MOVE,
    promise: "What was left of a move is removed after a week.",
    text: "stat.mtimeMs < oldest) rmSync",
    mistake: "stat.mtimeMs < 0) rmSync",
  },
  {
    ...RECEIVE_MOVE,
    promise: "What was left of a move stays for a week.",
    text: "Date.now() - KEPT_DAYS * 24 * 3_600_000",
    mistake: "Date.now() - KEPT_DAYS * 3_600_000",
  },
  {
    ...RECEIVE_MOVE,
    promise: "A folder that has files and is not a repository does not receive a work tree.",
    text: "  if (repository !== null) return await commitsHere(repository, commits);\n",
    mistake: "  return repository === null ? [] : await commitsHere(repository, commits);\n",
  },
  {
    ...RECEIVE_MOVE,
    promise: "The other machine learns of an error.",
    text: "if (!channel.isBroken()) await",
    mistake: "if (channel.isBroken()) await",
  },
  {
    ...PLACED_SINCE,
    promise: "A session placed by a killed process is one of the same origin.",
    text: "if (origin?.agent === from.agent && origin.sessionId === from.sessionId)",
    mistake: "if (origin?.agent === from.agent)",
  },
  {
    ...PLACED_SINCE,
    promise: "A session from before the killed move is not taken for its own.",
    text: "file === null || !mayBeWrittenSince(file, sinceMs)",
    mistake: "file === null",
  },
  {
    ...FOLDER_OF_MOVE,
    promise: "A folder below the home is below the other home.",
    text: "const candidates = [folder, isBelow ? join(places.home, below) : null];",
    mistake: "const candidates = [folder];",
  },
  {
    ...FOLDER_OF_MOVE,
    promise: "The same path is tried before the path below the home.",
    text: "[folder, isBelow ? join(places.home, below) : null]",
    mistake: "[isBelow ? join(places.home, below) : null, folder]",
  },
  {
    ...FOLDER_OF_MOVE,
    promise: "A folder that is outside the home there is looked for outside the home here.",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: 'const isBelow = below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);',
    mistake: "const isBelow = !isAbsolute(below);",
  },
  {
    ...CHANNEL,
    promise: "A line that does not end is refused.",
    text: "if (rest.length > MAX_LINE_BYTES) throw broken(",
    mistake: "if (rest.length < 0) throw broken(",
  },
  {
    ...CHANNEL,
    promise: "A bundle that ends early is an error.",
    text: 'if (rest.length === 0 && !(await more())) throw broken("it ended early");',
    mistake: "if (rest.length === 0 && !(await more())) return;",
  },
  {
    ...LINES,
    promise: "An error of the other machine keeps its code.",
    text: 'Object.hasOwn(ERROR_KINDS, code) ? (code as ErrorCode) : "unavailable"',
    mistake: 'Object.hasOwn(ERROR_KINDS, code) ? "unavailable" as ErrorCode : "unavailable"',
  },
  {
    ...LINES,
    promise: "An unknown error code of the other machine is not used here.",
    text: 'Object.hasOwn(ERROR_KINDS, code) ? (code as ErrorCode) : "unavailable"',
    mistake: "(code as ErrorCode)",
  },
];
