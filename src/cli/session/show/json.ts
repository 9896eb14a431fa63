/** A session as `session show --json` prints it. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { type Output, toJsonText } from "../../terminal/index.ts";
import { problemToJson } from "../list/index.ts";
import type { BranchStep } from "./branches.ts";

/** Prints one JSON object. Each message is on a line of its own, and is written as soon as it is read. */
export async function showJson(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  output: Output,
): Promise<void> {
  const { agent, sessionId } = session.details;
  await output.write(`{"agent":${toJsonText(agent)},"sessionId":${toJsonText(sessionId)},"messages":[`);
  let separator = "\n";
  for await (const { message } of steps) {
    if (output.isClosed) return;
    await output.write(separator + toJsonText(message));
    separator = ",\n";
  }
  const problems = session.problems.map(problemToJson);
  await output.write(`\n],"leaves":${toJsonText(session.leaves)},"problems":${toJsonText(problems)}}\n`);
}
