/** Reads the shape of an agent's home: the names of its files, and the fields of their records. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { type Shape, ShapeBuilder, stableName } from "./shape.ts";

/**
 * Shapes by the name of a file, with `*` for parts that differ from run to run. A file without records has an empty
 * shape, so only its name is compared.
 */
export async function homeShapes(home: string): Promise<Readonly<Record<string, Shape>>> {
  const builders = new Map<string, ShapeBuilder>();
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && !isOfGit(one.parentPath))) {
    const path = join(entry.parentPath, entry.name);
    const name = stableName(path.slice(home.length + 1));
    const builder = builders.get(name) ?? new ShapeBuilder();
    builders.set(name, builder);
    await addFile(builder, path);
  }
  const sorted = [...builders].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, builder]) => [name, builder.shape()]));
}

/** Git decides what it packs, and when, so its files say nothing about an agent that keeps snapshots in git. */
function isOfGit(folder: string): boolean {
  return folder.includes("/snapshot/");
}

async function addFile(builder: ShapeBuilder, path: string): Promise<void> {
  if (path.endsWith(".db") || path.endsWith(".sqlite")) return addDatabase(builder, path);
  if (!/\.jsonl?(?:\.zst)?$/u.test(path)) return;
  const bytes = await readFile(path);
  const text = (path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString("utf8");
  if (path.endsWith(".json")) return addText(builder, "file", text);
  for (const line of text.split("\n")) if (line.trim() !== "") addText(builder, "line", line);
}

function addText(builder: ShapeBuilder, path: string, text: string): void {
  try {
    builder.add(path, JSON.parse(text));
  } catch {
    builder.add(path, "no JSON");
  }
}

/** Adds the tables with their columns, and the fields of JSON in the columns. */
function addDatabase(builder: ShapeBuilder, path: string): void {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  for (const { name } of tables) {
    const quoted = `"${String(name).replaceAll('"', '""')}"`;
    for (const column of database.prepare(`pragma table_info(${quoted})`).all()) {
      builder.add(`${name}.${column.name}`, String(column.type).toLowerCase());
    }
    for (const row of database.prepare(`select * from ${quoted}`).all()) {
      for (const [column, value] of Object.entries(row)) {
        if (typeof value === "string" && /^[[{]/u.test(value)) addText(builder, `${name}.${column}`, value);
      }
    }
  }
}
