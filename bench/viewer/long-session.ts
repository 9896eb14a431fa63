/** A session of 100 MB with 200,000 messages, generated once and stored outside of the clone. */

import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const ID = "4bf3aaaa-0000-4000-8000-000000000001";
export const LONG_KEY: string = `claude:${ID}`;
const MESSAGES = 200_000;
const WORDS = "the quick brown fox jumps over the lazy dog and reads the session again ".repeat(2);

/** Its home, which is created if it does not exist. */
export function makeLongSession(home: string): string {
  if (existsSync(home)) return home;
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  const folder = join(making, ".claude/projects/-home-ann-app");
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, `${ID}.jsonl`), "w");
  let parent: string | null = null;
  let count = 0;
  let held = "";
  const add = (type: "user" | "assistant", content: unknown): void => {
    const uuid = `u${String(count).padStart(12, "0")}`;
    const timestamp = new Date(1_700_000_000_000 + 1_237 * count).toISOString();
    const answered = { model: "model-a", id: `m${count}`, usage: { input_tokens: 100, output_tokens: 20 } };
    const message = { role: type, content, ...(type === "assistant" ? answered : {}) };
    const shared = { isSidechain: false, cwd: "/home/ann/app", sessionId: ID, version: "2.1.0" };
    held += `${JSON.stringify({ parentUuid: parent, ...shared, type, message, uuid, timestamp })}\n`;
    parent = uuid;
    count += 1;
    if (held.length < 1e6) return;
    writeSync(file, held);
    held = "";
  };
  for (let turn = 1; count < MESSAGES; turn++) {
    const edit = {
      file_path: `/home/ann/app/f${turn % 50}.ts`,
      old_string: "let a = 1;",
      new_string: "let b = 1;",
    };
    add("user", `Question ${turn}: ${WORDS}`);
    add("assistant", [
      { type: "text", text: `Answer ${turn}. ${WORDS}` },
      { type: "tool_use", id: `t${turn}`, name: "Edit", input: edit },
    ]);
    add("user", [
      { type: "tool_result", tool_use_id: `t${turn}`, content: `done ${WORDS}`, is_error: turn % 100 === 0 },
    ]);
    add("assistant", [{ type: "text", text: `Done ${turn}. ${WORDS}` }]);
  }
  writeSync(file, held);
  closeSync(file);
  renameSync(making, home);
  return home;
}
