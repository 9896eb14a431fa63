// Plays opencode for `traces.test.ts`: owns a database, does what its standard input says, answers each line.
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2]);
const acts = {
  // Nothing goes from the log into the database unless it is said.
  run: (sql) => database.exec(sql),
  close: () => database.close(),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { act, sql } = JSON.parse(line);
  acts[act](sql);
  process.stdout.write("done\n");
}
