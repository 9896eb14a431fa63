/** Conversations as opencode 1.18 stores them, as rows of one database (`docs/formats/opencode.md`). */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Conversation } from "../conversation.ts";
import type { Random } from "../random.ts";

export interface OpencodeWriter {
  write(conversation: Conversation, random: Random): void;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text, metadata text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
  CREATE INDEX message_session_idx ON message (session_id);
  CREATE INDEX part_message_idx ON part (message_id);
  CREATE INDEX part_session_idx ON part (session_id);
  INSERT INTO project VALUES ('global', '/', NULL, NULL, 0, 0, '[]');
`;

export function openOpencode(home: string): OpencodeWriter {
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec(SCHEMA);
  db.exec("BEGIN");
  const session = db.prepare(
    "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'global', ?, ?, ?, '1.18.33', ?, ?)",
  );
  const message = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
  const part = db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
  return {
    write(conversation, random) {
      const sessionId = `ses_${random.hex(26)}`;
      let at = conversation.turns[0]?.at ?? 0;
      const start = at;
      const add = (info: Readonly<Record<string, unknown>>, parts: readonly unknown[]): void => {
        const id = `msg_${at.toString(16).padStart(12, "0")}${random.hex(12)}`;
        message.run(id, sessionId, at, at, JSON.stringify({ ...info, time: { created: at } }));
        for (const [index, data] of parts.entries()) {
          part.run(
            `prt_${at.toString(16).padStart(12, "0")}${index}${random.hex(11)}`,
            id,
            sessionId,
            at,
            at,
            JSON.stringify(data),
          );
        }
        at += 900;
      };
      const answer = {
        role: "assistant",
        mode: "build",
        agent: "build",
        path: { cwd: conversation.cwd, root: "/" },
        cost: 0.01,
        tokens: { total: 990, input: 900, output: 90, reasoning: 0, cache: { read: 0, write: 0 } },
        modelID: "gpt-5.5",
        providerID: "openai",
        finish: "stop",
      };
      for (const turn of conversation.turns) {
        at = Math.max(at, turn.at);
        add({ role: "user", agent: "build", model: { providerID: "openai", modelID: "gpt-5.5" } }, [
          { type: "text", text: turn.prompt },
        ]);
        for (const step of turn.steps) {
          const state = {
            status: "completed",
            input: step.input,
            output: step.output,
            title: step.tool,
            metadata: {},
            time: { start: at, end: at + 5 },
          };
          add(answer, [
            { type: "step-start" },
            { type: "reasoning", text: step.thinking, time: { start: at } },
            { type: "tool", tool: step.tool.toLowerCase(), callID: `call_${random.hex(20)}`, state },
          ]);
        }
        add(answer, [{ type: "text", text: turn.answer }]);
      }
      session.run(
        sessionId,
        random.hex(8),
        conversation.cwd,
        conversation.title ?? `New session - ${new Date(start).toISOString()}`,
        start,
        at,
      );
    },
    close() {
      db.exec("COMMIT");
      db.close();
    },
  };
}
