import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { homeShapes } from "../../scripts/agent-versions/home-shape.ts";
import { readRecorded, writtenChanges } from "../../scripts/agent-versions/recordings.ts";
import { scratchFolder } from "../scratch-folder.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("recorded");
});

function put(name: string, text: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
}

test("a home has the fields of its lines, documents and tables, and the names of all other files", async () => {
  put("home/sessions/2026-11-25/1.jsonl", '{"type":"a","n":1}\nnot json\n');
  put("home/sessions/2026-11-26/2.jsonl", '{"type":"b"}\n');
  put("home/settings.json", '{"theme":"dark"}');
  put("home/log.txt", "x");
  const database = new DatabaseSync(join(folder, "home/main.db"));
  database.exec(`create table part (id text, data text); insert into part values ('1', '{"tokens":3}')`);
  database.close();
  expect(await homeShapes(join(folder, "home"))).toEqual({
    "log.txt": {},
    "main.db": { "part.data": ['"text"', "object"], "part.data.tokens": ["number"], "part.id": ['"text"'] },
    "sessions/*/*.jsonl": {
      line: ["string"],
      "line<a>": ["object"],
      "line<a>.n": ["number"],
      "line<a>.type": ['"a"'],
      "line<b>": ["object"],
      "line<b>.type": ['"b"'],
    },
    "settings.json": { file: ["object"], "file.theme": ['"dark"'] },
  });
});

test("recordings of two versions are compared by kind of file, over all conversations that were held", () => {
  const shapes = (fields: object) => JSON.stringify({ "a.jsonl": fields });
  put("old/one/home-shapes.json", shapes({ "line.x": ["number"] }));
  put("old/two/home-shapes.json", shapes({ "line.y": ["number"] }));
  put("new/one/home-shapes.json", shapes({ "line.y": ["number"] }));
  put("new/two/home-shapes.json", shapes({ "line.x": ["number", "string"] }));
  put("new/three/failed.txt", "Error: no such flag\n  at …");
  const [before, after] = [readRecorded(join(folder, "old")), readRecorded(join(folder, "new"))];
  expect(after).toMatchObject({
    cases: ["one", "two"],
    failed: [{ name: "three", reason: "Error: no such flag" }],
  });
  expect(writtenChanges(before, after)).toEqual([
    { place: "a.jsonl", changes: [{ path: "line.x", before: ["number"], after: ["number", "string"] }] },
  ]);
});
