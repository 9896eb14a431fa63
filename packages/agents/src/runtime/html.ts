/** A session as one page. */

import { ContinuoError, type Store } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { messageToHtml, pageEnd, pageStart } from "@continuo/core/transcript/html";

/** Errors: `not_found`. */
export async function sessionToHtml(store: Store, sessionId: string): Promise<string> {
  const session = await store.getSession(sessionId);
  if (session === null)
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`);
  const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
  const models = new Set(messages.flatMap(({ model }) => (model === undefined ? [] : [model])));
  const count = (role: string): number => messages.filter((message) => message.role === role).length;
  const details = {
    sessionId,
    agent: session.agent ?? "continuo",
    title: session.title,
    cwd: session.cwd,
    gitBranch: null,
    models: [...models],
    createdAt: session.createdAt,
    updatedAt: session.lastActivityAt,
    messages: {
      total: messages.length,
      system: count("system"),
      user: count("user"),
      assistant: count("assistant"),
      tool: count("tool"),
    },
    problems: [],
  };
  const shown = messages.map((message) => messageToHtml(message, { injected: "folded" }));
  return `${pageStart({ details })}${shown.join("")}${pageEnd({ details })}`;
}
