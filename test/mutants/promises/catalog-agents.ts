/** More promises of `packages/agents/src/catalog/`: the sessions of one agent, the one that calls, excluded folders and moved projects, each with a mistake that breaks it. */

import type { PromiseOfRoom } from "./promise.ts";

export const CATALOG_AGENTS: readonly PromiseOfRoom[] = [
  {
    promise: "A session of another agent is not resumed by its path.",
    file: "packages/agents/src/catalog/agent-sessions.ts",
    text: 'located.kind === "native" && located.native.found.agent === agent',
    mistake: 'located.kind === "native"',
    test: "test/acp/agent-sessions.test.ts",
  },
  {
    promise: "A list that an agent could not give is an error, not an empty list.",
    file: "packages/agents/src/catalog/agent-sessions.ts",
    text: "      if (failure !== undefined) throw failure.error;\n",
    mistake: "      void failure;\n",
    test: "test/acp/agent-sessions.test.ts",
  },
  {
    promise: "A session is resumed in its own folder.",
    file: "packages/agents/src/catalog/agent-sessions.ts",
    text: "cwd: found.cwd ?? cwd",
    mistake: "cwd",
    test: "test/acp/agent-sessions.test.ts",
  },
  {
    promise: "Sessions of an agent that Continuo reads can be listed, although its program has no list.",
    file: "packages/agents/src/catalog/agent-sessions.ts",
    text: "known.canList || isAgentName(name)",
    mistake: "known.canList",
    test: "test/acp/agent-sessions.test.ts",
  },
  {
    promise: "A scan does not continue when another file of the session changed.",
    file: "packages/agents/src/catalog/growth.ts",
    text: "kept.others === now.others && are",
    mistake: "are",
    test: "packages/agents/src/catalog/growth.test.ts",
  },
  {
    promise: "If several sessions may have made the call, none is chosen.",
    file: "packages/agents/src/catalog/calling-session.ts",
    text: "waiting.length === 1 ? (waiting[0] ?? null) : null",
    mistake: "waiting[0] ?? null",
    test: "test/mcp/recall.test.ts",
  },
  {
    promise: "A session is not proven while another process of the agent works in its folder.",
    file: "packages/agents/src/catalog/calling-session.ts",
    text: "isProven: others.length === 0",
    mistake: "isProven: others.length >= 0",
    test: "test/mcp/recall.test.ts",
  },
  {
    promise: "A kept copy of a session of an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-copies.ts",
    text: " && (cwd === null || !isExcluded(cwd)))",
    mistake: " && (cwd === null || cwd !== null))",
    test: "test/search/excluded.test.ts",
  },
  {
    promise: "A deleted session of an excluded folder is not searched.",
    file: "packages/agents/src/catalog/texts-trash.ts",
    text: " && (info.cwd === null || !isExcluded(info.cwd)))",
    mistake: ")",
    test: "test/search/excluded.test.ts",
  },
  {
    promise: "Each session of a database has its own facts in the list.",
    file: "packages/agents/src/catalog/row-index.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "what: `row ${sessionId}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    mistake: 'what: `row ${sessionId === ""}`',
    test: "packages/agents/src/catalog/row-index.test.ts",
  },
  {
    promise: "What came after the last summary was not cut off by it.",
    file: "packages/agents/src/catalog/open-session.ts",
    text: "      .slice(0, summary)\n",
    mistake: "",
    test: "packages/agents/src/catalog/open-session.test.ts",
  },
  {
    promise: "A project whose remote changed is marked by the new one.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: " && old.remote === remote && ",
    mistake: " && ",
    test: "test/relocate/project-marks.test.ts",
  },
  {
    promise:
      "A folder is not taken for a subfolder of a removed folder because its name has the same beginning.",
    file: "packages/agents/src/catalog/moved-projects.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
    text: "path.startsWith(`${folder}/`)",
    mistake: "path.startsWith(folder)",
    test: "test/relocate/project-marks.test.ts",
  },
  {
    promise: "The folders that were noted first give way.",
    file: "packages/agents/src/catalog/project-marks.ts",
    text: "[...marks].slice(-CATALOG_LIMITS.projects)",
    mistake: "[...marks].slice(0, CATALOG_LIMITS.projects)",
    test: "test/relocate/project-marks.test.ts",
  },
];
