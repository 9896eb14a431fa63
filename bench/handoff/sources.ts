/** Makes one session for each agent, in the format of that agent; all sessions have the same size. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentName } from "@continuo/core/model";
import { type Conversation, makeConversation } from "../sessions/conversation.ts";
import { createRandom, type Random } from "../sessions/random.ts";
import { openOpencode, toClaude, toCodex, toGemini, toPi } from "../sessions/shapes/index.ts";

export const SIZE_BYTES = 5_000_000;
/** A session of this size is larger than what a reader keeps parsed in memory. */
export const LARGE_BYTES = 16_000_000;
const SHAPES = { claude: toClaude, codex: toCodex, gemini: toGemini, pi: toPi } as const;

export interface Source {
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The records of the session as lines of JSON, also if the agent stores them in a database. */
  readonly lines: string;
}

export function makeSources(home: string, sizeBytes: number): Source[] {
  const random = createRandom(20261121);
  const opencode = openOpencode(home);
  const sources = (["claude", "codex", "gemini", "pi", "opencode"] as const).map((agent): Source => {
    const conversation = makeConversation(random, sizeBytes, 1);
    if (agent !== "opencode") return writeLines(agent, conversation, { random, home });
    opencode.write(conversation, random);
    return { agent, sessionId: "", lines: "" };
  });
  opencode.close();
  return sources.map((source) => (source.agent === "opencode" ? ofDatabase(home) : source));
}

function writeLines(
  agent: keyof typeof SHAPES,
  conversation: Conversation,
  { random, home }: { readonly random: Random; readonly home: string },
): Source {
  const { path, lines, beside } = SHAPES[agent](conversation, random, home);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (beside !== undefined && !existsSync(beside.path)) writeFileSync(beside.path, beside.text);
  return { agent, sessionId: conversation.id, lines: text };
}

function ofDatabase(home: string): Source {
  const path = join(home, ".local/share/opencode/opencode.db");
  const db = new DatabaseSync(path, { readOnly: true });
  const sessionId = String(db.prepare("select id from session").get()?.id);
  const rows = ["message", "part"].flatMap((table) => db.prepare(`select data from ${table}`).all());
  db.close();
  return { agent: "opencode", sessionId, lines: rows.map(({ data }) => `${String(data)}\n`).join("") };
}
