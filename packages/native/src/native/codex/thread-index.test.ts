import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { codexRepairer } from "./repair.ts";
import { listThread, nameThread } from "./thread-index.ts";

let home: string;

beforeEach(() => {
  home = scratchFolder("thread-index");
});

const COLUMNS = ["id", "name", "title", "preview", "first_user_message"];

function makeIndex(file: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const database = new DatabaseSync(join(home, file));
  database.exec(`create table threads (${columns.join(", ")})`);
  const marks = columns.map(() => "?").join(", ");
  for (const row of rows) database.prepare(`insert into threads values (${marks})`).run(...row);
  database.close();
}

function rowsIn(file: string): unknown[] {
  const database = new DatabaseSync(join(home, file), { readOnly: true });
  const rows = database.prepare("select * from threads").all();
  database.close();
  return rows.map((row) => Object.values(row));
}

describe("the index of Codex", () => {
  test("fills empty fields from the beginning of the newest file of the thread", async () => {
    const rows = [
      ["a", "", "", "", ""],
      ["b", "", "Mine", "Mine", "Mine"],
    ];
    makeIndex("state_4.sqlite", COLUMNS, rows);
    makeIndex("state_5.sqlite", COLUMNS, rows);
    await listThread(home, "a", "Which note?");
    await listThread(home, "b", "Which note?");
    expect(rowsIn("state_4.sqlite")).toEqual(rows);
    expect(rowsIn("state_5.sqlite")).toEqual([
      ["a", "", "Which note?", "Which note?", "Which note?"],
      ["b", "", "Mine", "Mine", "Mine"],
    ]);
  });

  test("is not changed if it has other columns, or does not exist", async () => {
    await listThread(home, "a", "Which note?");
    makeIndex("state_5.sqlite", ["id", "preview"], [["a", ""]]);
    await listThread(home, "a", "Which note?");
    await nameThread(home, "a", "Notes");
    expect(rowsIn("state_5.sqlite")).toEqual([["a", ""]]);
  });

  test.each([
    ["legacy", { type: "user_message", message: " Which\nnote? " }],
    [
      "paginated",
      {
        type: "item_completed",
        item: { type: "UserMessage", content: [{ type: "text", text: "Which\nnote?" }] },
      },
    ],
  ])("learns from a repair what a %s thread begins with", async (_, payload) => {
    makeIndex("state_5.sqlite", COLUMNS, [["a", "", "", "", ""]]);
    const records = [
      { type: "session_meta", payload: { id: "a" } },
      { type: "event_msg", payload: { type: "agent_message", message: "Hello." } },
      { type: "event_msg", payload },
      { type: "event_msg", payload: { type: "user_message", message: "Later." } },
    ];
    const sessionFile = join(home, "sessions", "2026", "rollout-a.jsonl");
    await codexRepairer.relist?.({ sessionId: "a", sessionFile, records });
    const prompt = "Which\nnote?";
    expect(rowsIn("state_5.sqlite")).toEqual([["a", "", prompt, prompt, prompt]]);
  });
});
