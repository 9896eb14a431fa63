/** The records that each agent adds to its own files when a person asks something. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { filesBelow } from "@continuo/files";
import { said, shown } from "../lost/codex-recipes.ts";
import { entry } from "../lost/pi-recipes.ts";
import { toLines } from "../lost/recipe.ts";
import { type Machines, type MovedAgent, opencodeDatabase } from "./machines.ts";

type Growing = Pick<Machines, "root" | "here">;

/** Returns the log of the only session in the home. */
export function sessionFile({ root }: Pick<Machines, "root">, agent: MovedAgent = "claude"): string {
  const files = filesBelow(join(root, "here", `.${agent}`));
  const [path = ""] = files.filter((one) => one.endsWith(".jsonl") && !one.endsWith("session_index.jsonl"));
  return path;
}

/** Writes a question as Claude Code does. */
export function ask({ root, here }: Growing, words: string): void {
  const path = sessionFile({ root });
  const record = {
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: here.folder,
    sessionId: path.replace(/^.*\/(.*)\.jsonl$/u, "$1"),
    version: "2.1.330",
    type: "user",
    message: { role: "user", content: words },
    uuid: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
  };
  appendFileSync(path, toLines([record]));
}

function askOpencode({ root }: Growing, words: string): void {
  using database = new DatabaseSync(opencodeDatabase(join(root, "here")));
  const [message, part] = [`msg_f${crypto.randomUUID()}`, `prt_f${crypto.randomUUID()}`];
  const now = Date.now();
  const data = { role: "user", time: { created: now }, agent: "build", summary: { diffs: [] } };
  const text = { type: "text", text: words };
  const id = "(select id from session limit 1)";
  database.exec("begin");
  database
    .prepare(`insert into message values (?, ${id}, ?, ?, ?)`)
    .run(message, now, now, JSON.stringify(data));
  database
    .prepare(`insert into part values (?, ?, ${id}, ?, ?, ?)`)
    .run(part, message, now, now, JSON.stringify(text));
  database.exec("commit");
}

const LINES = {
  codex: (words) => [said("user", words), shown(words)],
  gemini: (words) => [
    {
      id: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
      type: "user",
      content: [{ text: words }],
    },
  ],
  pi: (words) => [
    entry(crypto.randomUUID().slice(0, 8), "a0000002", {
      role: "user",
      content: words,
      timestamp: Date.now(),
    }),
  ],
} as const satisfies Partial<Record<MovedAgent, (words: string) => readonly object[]>>;

export function grow(machines: Growing, agent: MovedAgent, words: string): void {
  if (agent === "claude") ask(machines, words);
  else if (agent === "opencode") askOpencode(machines, words);
  else appendFileSync(sessionFile(machines, agent), toLines(LINES[agent](words)));
}
