/**
 * Promises of which a mistake, planted by somebody who knew the code and not its tests, was found by no quick test near
 * it; each has one since.
 */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files

import type { PromiseOfRoom } from "./promise.ts";

export const FOURTH_SERVER: readonly PromiseOfRoom[] = [
  {
    promise: "A webhook is not sent to a name of which one address is private.",
    file: "packages/server/src/server/subscriptions/webhook.ts",
    text: "const bad = found.find(({ address }) => isPrivateAddress(address));",
    mistake: "const bad = found.every(({ address }) => isPrivateAddress(address)) ? found[0] : undefined;",
    test: "packages/server/src/server/subscriptions/webhook.test.ts",
  },
  {
    promise: "A browser does not install a page as an app whose address ends with the server.",
    file: "packages/server/src/server/page/files.ts",
    text: 'return isLasting ? marked : marked.replace(APP_LINKS, "");',
    mistake: "return marked;",
    test: "packages/server/src/server/page/files.test.ts",
  },
  {
    promise: "The three headers of a producer belong together.",
    file: "packages/server/src/server/streams/headers.ts",
    text: "if (producerId === null || epoch === null || sequence === null) {",
    mistake: "if (producerId === null) {",
    test: "packages/server/src/server/streams/headers.test.ts",
  },
  {
    promise: "A fork requires the right to read its source.",
    file: "packages/server/src/server/streams/create.ts",
    text: 'if (fork !== undefined) requireAccess(context, grant, fork.source, "read");',
    mistake: "",
    test: "test/server/security.test.ts",
  },
  {
    promise: "A reader that took nothing for a while gets what it missed.",
    file: "packages/server/src/server/streams/batches.ts",
    text: 'if (reading.isClosed) return "behind";',
    mistake: 'if (reading.isClosed) return "ended";',
    test: "packages/server/src/server/streams/batches.test.ts",
  },
  {
    promise: "A WebSocket of the machine counts as a request of its token.",
    file: "packages/server/src/server/machine/token-sockets.ts",
    text: "    context.quotas.request(grant);\n",
    mistake: "",
    test: "test/server/limits.test.ts",
  },
];

export const FOURTH_CONVERSATIONS: readonly PromiseOfRoom[] = [
  {
    promise: "A fork of a session does not continue in the native session of the original.",
    file: "packages/agents/src/conversations/fork.ts",
    text: "referenceTo(ref, await",
    mistake: "referenceTo({ ...ref, sessionId: source.metadata.providerSessionId as string }, await",
    test: "packages/agents/src/conversations/fork.test.ts",
  },
  {
    promise: "A fork is refused a native copy if others wrote since the agent's last turn.",
    file: "packages/agents/src/conversations/fork.ts",
    text: " || native !== session.metadata.providerSessionId) return null",
    mistake: ") return null",
    test: "packages/agents/src/conversations/fork.test.ts",
  },
  {
    promise: "A failed first turn keeps the session of a caller who named the input.",
    file: "packages/agents/src/conversations/run.ts",
    text: 'if (before === "here" || turnInput.inputId !== undefined) return false;',
    mistake: 'if (before === "here") return false;',
    test: "test/conversations/continue-last.test.ts",
  },
];

export const FOURTH_MACHINE: readonly PromiseOfRoom[] = [
  {
    promise: "A run of another session is not cancelled.",
    file: "packages/server/src/machine/chat/chat.ts",
    text: "if (run?.sessionId !== row.sessionId) throw noSuchRun(runId);",
    mistake: "if (run === null) throw noSuchRun(runId);",
    test: "test/machine/chat.test.ts",
  },
  {
    promise: "The usage of a session with branches is that of all branches.",
    file: "packages/server/src/machine/machine.ts",
    text: "if (head.branches.length < 2 && head.forkedFrom === null) return head;",
    mistake: "if (head.forkedFrom === null) return head;",
    test: "packages/server/src/machine/machine.test.ts",
  },
  {
    promise: "The branches that are too many to be read are counted.",
    file: "packages/server/src/machine/history/branches.ts",
    text: "left: leaves.length - paths.length",
    mistake: "left: leaves.length - Math.max(paths.length, leaves.length)",
    test: "packages/server/src/machine/history/branches.test.ts",
  },
  {
    promise: "A source of a hand-over that is no longer listed has no link.",
    file: "packages/server/src/machine/hand-off-source.ts",
    text: "return (await source.same()).byKey.has(key) ? key : null;",
    mistake: "return key;",
    test: "test/machine/compared-histories.test.ts",
  },
  {
    promise: "A preview names no reasons for records that are kept.",
    file: "packages/server/src/machine/answers.ts",
    text: 'if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;',
    mistake: 'if (outcome === "noted" && kind === "other") continue;',
    test: "packages/server/src/machine/answers.test.ts",
  },
];

export const FOURTH_CATALOG: readonly PromiseOfRoom[] = [
  {
    promise: "An own session of an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: " && (row.cwd === null || !isExcluded(row.cwd)))",
    mistake: ")",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A session whose file names an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-native.ts",
    text: "steps: isKeptOut ? asOneStep(noMessages()) : stepsOf(session, file, signal),",
    mistake: "steps: stepsOf(session, file, signal),",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A title that an agent writes beside a session is found without a change of its file.",
    file: "packages/agents/src/catalog/texts-native.ts",
    text: 'const isPlain = !archived && cwd === undefined && title === null;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd, title })}`;',
    mistake:
      'const isPlain = !archived && cwd === undefined;\n  return isPlain ? "" : `\\n${JSON.stringify({ archived, cwd })}`;',
    test: "packages/agents/src/catalog/texts.test.ts",
  },
  {
    promise: "A store that cannot be read is reported by a search.",
    file: "packages/agents/src/catalog/texts-own.ts",
    text: "failure: { location: url, message: error.message }",
    mistake: "failure: null",
    test: "packages/agents/src/catalog/texts.test.ts",
  },
];

export const FOURTH_GATEWAY: readonly PromiseOfRoom[] = [
  {
    promise: "A native session that was imported has one row in the list of an editor.",
    file: "src/gateway/row-info.ts",
    text: "return owners.has(key) ? [] : [{ row, id: key }];",
    mistake: "return [{ row, id: key }];",
    test: "src/gateway/row-info.test.ts",
  },
  {
    promise: "The prompt of another program is shown once.",
    file: "src/gateway/logged-turn.ts",
    text: "    if (this.#isPromptShown) return [];\n",
    mistake: "",
    test: "src/gateway/logged-turn.test.ts",
  },
  {
    promise: "The agent of a session is among its choices after it was removed.",
    file: "src/gateway/config-options.ts",
    text: "const names = agents.includes(agent) ? agents : [agent, ...agents];",
    mistake: "const names = agents;",
    test: "src/gateway/config-options.test.ts",
  },
];
