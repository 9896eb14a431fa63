/**
 * The calls of a session before and after a hand-over: the target may not have a call that the source does not have.
 */

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { formatOf, openNativeSession, type Places } from "@continuo/agents";
import { convertMessages, selectMessages } from "@continuo/agents/handoff/converting";
import { AGENT_NAMES, type AgentName, type Message } from "@continuo/core/model";
import { expect } from "vitest";

/** Errors of a reader do not concern this test. */
async function historyOf(location: string, places: Places): Promise<readonly Message[]> {
  try {
    using session = await openNativeSession(location, { places });
    return await Array.fromAsync(session.history());
  } catch {
    return [];
  }
}

/** The input identifies a call. Names and ids may be made acceptable. */
function callsIn(messages: readonly Pick<Message, "content">[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_call"
        ? [JSON.stringify(Object.keys(block.args).length > 0 ? block.args : {})]
        : [],
    ),
  );
}

/** Hands the session over to every agent without writing it, and returns the number of its calls. */
export async function expectNoCallAdded(agent: AgentName, location: string, places: Places): Promise<number> {
  const history = await historyOf(location, places);
  const view = (await formatOf(agent)).modelView(history);
  const calls = callsIn(history);
  for (const to of AGENT_NAMES) {
    const { messages, records } = convertMessages(selectMessages(history, view).messages, to);
    const left = [...calls];
    const added = callsIn(messages).filter((call) => {
      const at = left.indexOf(call);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
    expect(added).toEqual([]);
    expect(records.filter(({ kind }) => kind === "tool_call").length).toBeLessThanOrEqual(calls.length);
    const made = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
    expect(made).toHaveLength(callsIn(messages).length);
  }
  return calls.length;
}

/**
 * Writes the file of a session as it was after each of its lines, one state after the other; the last state is the
 * whole file.
 */
export function* cutsOf(location: string): Generator<number, void, void> {
  const whole = `${location}.whole`;
  copyFileSync(location, whole);
  const lines = readFileSync(whole, "utf8").trimEnd().split("\n");
  for (let count = 1; count <= lines.length; count++) {
    writeFileSync(location, `${lines.slice(0, count).join("\n")}\n`);
    yield count;
  }
}
