/** Every session of the cases is followed while its file grows line by line. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { listNativeSessions, readNativeSession } from "@continuo/agents";
import { follow, lookUp } from "@continuo/agents/catalog";
import type { Message, SessionInfo } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyEveryCase } from "../search/every-case.ts";
import { createHome, type Home } from "./home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => {
  home[Symbol.dispose]();
});

test("for every session of the cases, a file that grows line by line yields the same messages as the whole file, each once", async () => {
  const places: PlacesAt = { ...copyEveryCase(home.path), cwd: home.path };
  const sessions = await listNativeSessions({ places, archived: "include" });
  const files = sessions.filter(({ location }) => location.endsWith(".jsonl"));
  // The files run in parallel, because each waits most of its time. Files of one agent may refer to each other.
  const ofAgents = Map.groupBy(files, ({ agent }) => agent);
  await Promise.all([...ofAgents.values()].map((ofAgent) => expectEachFollowed(ofAgent, places)));
}, 120_000);

async function expectEachFollowed(sessions: readonly SessionInfo[], places: PlacesAt): Promise<void> {
  for (const { agent, location, sessionId } of sessions) {
    const whole = await readNativeSession(location, { places });
    // `--follow` shows only the newest branch, so that it may also show branches that were the newest for a time.
    if (whole.leaves.length > 1) continue;
    const lines = readFileSync(location, "utf8").split(/(?<=\n)/u);
    const first = Math.max(1, Math.floor(lines.length / 3));
    writeFileSync(location, lines.slice(0, first).join(""));
    const ended = new AbortController();
    const given = new Map<string, Message["content"][number][]>();
    const expected = new Map(whole.messages.map((message) => [message.id, message.content]));
    let at = first;
    let lastWrittenMs = 0;
    const located = await lookUp(location, { places, store: null });
    const growing = follow(located, places, { from: "start", signal: ended.signal, pollMs: 5 });
    const grow = (): void => {
      if (at < lines.length) {
        appendFileSync(location, lines[at] ?? "");
        lastWrittenMs = performance.now();
      }
      at += 1;
      // A missing text is reported as missing, and not as a test that took too long.
      if (isWhole() || performance.now() - lastWrittenMs > LONGEST_SILENCE_MS) ended.abort();
    };
    const timer = setInterval(grow, 20);
    const isWhole = (): boolean =>
      at >= lines.length &&
      [...expected].every(
        ([id, content]) => given.has(id) && textOf(given.get(id) ?? []) === textOf(content),
      );
    try {
      for await (const { message } of growing) {
        given.set(message.id, [...(given.get(message.id) ?? []), ...message.content]);
        if (isWhole()) ended.abort();
      }
    } finally {
      clearInterval(timer);
    }
    expect({ agent, sessionId, given: textsOf(given, expected) }).toEqual({
      agent,
      sessionId,
      given: textsOf(expected, expected),
    });
  }
}

const LONGEST_SILENCE_MS = 30_000;

/** Returns the text of each message; blocks that came in pieces are joined. */
function textsOf(
  messages: ReadonlyMap<string, readonly Message["content"][number][]>,
  wanted: ReadonlyMap<string, unknown>,
): Record<string, string> {
  return Object.fromEntries(
    [...messages].filter(([id]) => wanted.has(id)).map(([id, content]) => [id, textOf(content)]),
  );
}

function textOf(content: Message["content"]): string {
  return content.map((block) => ("text" in block ? block.text : block.type)).join("");
}
