/** `session show --json`: one object, a message a line, written as it is read. */

import type { ShownSession } from "../../catalog/index.ts";
import { type Output, toJsonText } from "../terminal/index.ts";
import type { Step } from "./branches.ts";
import { problemToJson } from "./json.ts";

export async function showJson(
  session: ShownSession,
  steps: AsyncIterable<Step>,
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
