/** The promises of `src/gateway/`, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

const ROOM = "src/gateway";
const PERMISSION = { file: `${ROOM}/permission.ts`, test: `${ROOM}/permission.test.ts` };
const REPLAY = { file: `${ROOM}/replay.ts`, test: `${ROOM}/replay.test.ts` };
const V2 = { file: `${ROOM}/v2-updates.ts`, test: `${ROOM}/v2-updates.test.ts` };
const ERRORS = { file: `${ROOM}/errors.ts`, test: `${ROOM}/errors.test.ts` };
const SESSION = { file: `${ROOM}/session.ts`, test: "test/gateway/sessions.test.ts" };
const WHOLE = "test/gateway/gateway.test.ts";

export const GATEWAY: readonly PromiseOfRoom[] = [
  {
    ...PERMISSION,
    promise: "A person who allows a call for ever has allowed it.",
    text: 'chosen.kind === "allow_once" || chosen.kind === "allow_always"',
    mistake: 'chosen.kind === "allow_once"',
  },
  {
    ...PERMISSION,
    promise: "An agent learns which of its options a person chose.",
    text: "decided : { ...decided, optionId: chosen.id }",
    mistake: "decided : decided",
  },
  {
    ...PERMISSION,
    promise: "An option that an agent did not offer allows nothing.",
    text: "optionsOf(request).find(({ id }) => id === outcome.optionId)",
    mistake: "optionsOf(request).find(({ id }) => id.length <= outcome.optionId.length)",
  },
  {
    ...REPLAY,
    promise: "A call that runs in the agent's own program is not shown as failed.",
    text: "  if (isLive) return;\n",
    mistake: "  if (isLive && open.size === 0) return;\n",
  },
  {
    ...REPLAY,
    promise: "Only the first message of a run has the id of the run.",
    text: " || prompted.has(runId)) return id;",
    mistake: ") return id;",
  },
  {
    ...REPLAY,
    promise: "Text that an agent's program inserted into a conversation is not shown.",
    text: 'origin === "injected" || origin === "notification"',
    mistake: 'origin === "injected"',
  },
  {
    file: `${ROOM}/calls.ts`,
    test: `${ROOM}/replay.test.ts`,
    promise: "A call that was denied did not succeed.",
    text: 'denied: "failed"',
    mistake: 'denied: "completed"',
  },
  {
    ...V2,
    promise: "A change shows the removed lines before the added ones.",
    text: '...(isNew ? [] : signed("-", oldText)), ...signed("+", newText)',
    mistake: '...(isNew ? [] : signed("+", oldText)), ...signed("-", newText)',
  },
  {
    ...V2,
    promise: "Words after a call are another message than those before it.",
    text: '      case "tool_call_update":\n        this.#current = null;\n',
    mistake: '      case "tool_call_update":\n',
  },
  {
    ...ERRORS,
    promise: "A session that is gone has the number of a session that is not there.",
    text: "gone: NOT_FOUND",
    mistake: "gone: INTERNAL",
  },
  {
    ...ERRORS,
    promise: "An error for an editor says what to do.",
    text: "const words = hint === undefined ?",
    mistake: "const words = hint !== null ?",
  },
  {
    file: `${ROOM}/actions.ts`,
    test: "test/gateway/sessions.test.ts",
    promise: "A fork ends at the message that the editor named.",
    text: "at === undefined ? {} : { at }",
    mistake: "at === undefined ? {} : {}",
  },
  {
    ...SESSION,
    promise: "A change of the agent has one receipt.",
    text: "        this.#isHandedOver = false;\n",
    mistake: "",
  },
  {
    ...SESSION,
    promise: "A session that is opened again answers with its last agent.",
    file: `${ROOM}/look-up.ts`,
    text: "name: ownId(row.sessionId), agent: row.lastAgent,",
    mistake: "name: ownId(row.sessionId), agent: row.importedFrom?.agent ?? row.lastAgent,",
  },
  {
    ...SESSION,
    promise: "An editor that cancels stops the turns that wait too.",
    text: "    for (const stop of this.#stops)\n",
    mistake: "    for (const stop of [...this.#stops].slice(0, 1))\n",
  },
  {
    ...SESSION,
    file: "src/gateway/session-reports.ts",
    promise: "An editor receives the used part of the context as the used one.",
    text: "usedTokens: used, windowTokens: size",
    mistake: "usedTokens: size, windowTokens: used",
  },
  {
    ...SESSION,
    file: `${ROOM}/unused-sessions.ts`,
    promise: "Only sessions that editors began are removed unused.",
    text: "    if (metadata.editor !== true) continue;\n",
    mistake: "    if (metadata.editor === false) continue;\n",
  },
  {
    file: `${ROOM}/list.ts`,
    test: WHOLE,
    promise: "The next page begins where the page before it ended.",
    text: "rows.slice(Number(start), end)",
    mistake: "rows.slice(Number(start) + 1, end)",
  },
  {
    file: `${ROOM}/list.ts`,
    test: WHOLE,
    promise: "Later pages show no session of the first page again.",
    text: "!known.has(id) && met.has(row.sessionId)",
    mistake: "met.has(row.sessionId)",
  },
  {
    file: `${ROOM}/list.ts`,
    test: WHOLE,
    promise: "Later pages have only sessions that there were when the first page was read.",
    text: "&& met.has(row.sessionId)",
    mistake: "&& row.sessionId !== null",
  },
  {
    file: `${ROOM}/follow-turns.ts`,
    test: WHOLE,
    promise: "An editor sees its own turn once.",
    text: "isShown && !isOwn(runId)) {",
    mistake: "isShown) {",
  },
  {
    file: `${ROOM}/follow-turns.ts`,
    test: "test/gateway/follow-turns.test.ts",
    promise: "A waiting prompt that ends does not stop the follower of a killed turn.",
    text: "this.#leave ??= await this.#options.enter();",
    mistake: "this.#leave = await this.#options.enter();",
  },
  {
    file: `${ROOM}/gateway.ts`,
    test: "test/gateway/shared-turns.test.ts",
    promise: "An editor that loads a session in the middle of a turn gets its parts before the answer.",
    text: "    await session.caughtUp();\n",
    mistake: "",
  },
  {
    file: `${ROOM}/session.ts`,
    test: "test/gateway/shared-turns.test.ts",
    promise: "A session that was closed during its own turn does not follow other turns.",
    text: "    if (this.#isClosed) return;\n",
    mistake: "",
  },
  {
    file: "src/gateway/updates.ts",
    test: "src/gateway/updates.test.ts",
    promise: "A message that comes as a whole after a call is shown, also after words in parts.",
    text: "    this.#inParts = false;\n    const id = this.#ids.begin(toolCallId);",
    mistake: "    const id = this.#ids.begin(toolCallId);",
  },
  {
    file: "src/gateway/session.ts",
    test: "test/gateway/sessions.test.ts",
    promise: "A new session whose agent is chosen before its first turn gets no receipt.",
    text: "this.#options.name !== null || this.#runs.size > 0;",
    mistake: "this.#options.name !== null || this.#talk !== null;",
  },
  {
    promise: "The agent of a session is among its choices after it was removed.",
    file: "src/gateway/config-options.ts",
    text: "const names = agents.includes(agent) ? agents : [agent, ...agents];",
    mistake: "const names = agents;",
    test: "src/gateway/config-options.test.ts",
  },
  {
    promise: "After a logout, the login that the person chose is forgotten.",
    file: "src/gateway/logins.ts",
    text: "      chosen.delete(agent);\n",
    mistake: "",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "An error with which a run failed keeps the hint of the error that was thrown.",
    file: "src/gateway/errors.ts",
    text: "isContinuoError(cause, code) ? cause.hint : undefined",
    mistake: "isContinuoError(cause, code) ? undefined : undefined",
    test: "src/gateway/errors.test.ts",
  },
  {
    promise: "A form of version 1 is valid in version 2.",
    file: "src/gateway/v2-updates.ts",
    text: '{ type: "object", properties: {}, ...schema }',
    mistake: "schema",
    test: "test/gateway/forms-of-versions.test.ts",
  },
  {
    promise: "A login that was made in an earlier connection ends with a logout too.",
    file: "src/gateway/logins.ts",
    text: "new Set([...chosen.keys(), ...loggedIn(places)]);",
    mistake: "new Set([...chosen.keys()]);",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "A login that failed is not the chosen one.",
    file: "src/gateway/logins.ts",
    text: "      await programs.logIn({ agent, methodId, places, signal });\n      chosen.set(agent, methodId);",
    mistake:
      "      chosen.set(agent, methodId);\n      await programs.logIn({ agent, methodId, places, signal });",
    test: "src/gateway/logins.test.ts",
  },
  {
    promise: "A question shows the change that its input would make.",
    file: "src/gateway/permission.ts",
    text: "const parts = diffs.length > 0 ? diffs : contentOfCall(content);",
    mistake: "const parts = contentOfCall(content);",
    test: "src/gateway/permission.test.ts",
  },
  {
    promise: "A question about a patch shows its changes.",
    file: "src/gateway/permission.ts",
    text: "diffs.length > 0 ? [] : patchDiffsOf(toolInput);",
    mistake: "diffs.length > 0 ? [] : patchDiffsOf(null);",
    test: "src/gateway/permission.test.ts",
  },
  {
    promise: "A server of tools of an editor has its variables.",
    file: "src/gateway/tool-servers.ts",
    text: "args: server.args, env: toRecord(server.env)",
    mistake: "args: server.args, env: {}",
    test: "src/gateway/tool-servers.test.ts",
  },
  {
    promise: "The receipt says whether the agent confirmed the session that was written for it.",
    file: "src/gateway/receipt.ts",
    text: "{CONFIRMED[verifiedBy]}`",
    mistake: "{CONFIRMED.agent}`",
    test: "src/gateway/receipt.test.ts",
  },
];
