import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isContinuoError } from "@continuo/core/model";
import type { FoundSession } from "@continuo/native/kit";
import { opencodeFormat } from "@continuo/native/opencode";
import fc from "fast-check";
import { expect, test } from "vitest";
import { flipped, truncated } from "../../damage.ts";
import { rounds } from "../../sizes/counts.ts";
import {
  answer,
  FIRST_MS,
  findIn,
  insertSession,
  openIn,
  placesOf,
  SESSION,
  STEP,
  text,
  toolPart,
  user,
  useScratch,
} from "./sessions.ts";

const { folder, databaseOf } = useScratch();

const words = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("", " ", "é\u{1f600}", "\ud800", "\0"));
const json = fc.jsonValue({ maxDepth: 2 });
const part = fc.oneof(
  fc.record(
    { type: fc.constant("text"), text: words, synthetic: fc.boolean() },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    { type: fc.constant("reasoning"), text: words, metadata: json },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record({
    type: fc.constantFrom("tool", "tool", "subtask"),
    tool: fc.constantFrom("read", "task"),
    callID: fc.constantFrom("c1", "c2", ""),
    state: fc.record({
      status: fc.constantFrom("completed", "error", "running", "pending", 7),
      input: json,
      output: fc.oneof(words, json),
      error: words,
      metadata: fc.oneof(json, fc.record({ sessionId: fc.constantFrom(SESSION, "ses_2", 7) })),
      time: json,
      attachments: json,
    }),
  }),
  fc.record({ type: fc.constant("file"), mime: words, url: words }),
  fc.record({
    type: fc.constantFrom("step-start", "step-finish", "patch", "compaction", "agent", "other", 7),
  }),
  json,
);
const message = fc.record({
  data: fc.oneof(
    fc.record(
      {
        role: fc.constantFrom("user", "assistant", "assistant", "other"),
        parentID: fc.constantFrom("msg_0", "msg_1", "msg_9"),
        model: json,
        modelID: words,
        tokens: json,
        summary: fc.oneof(fc.boolean(), json),
        finish: words,
        error: json,
      },
      { requiredKeys: ["role"] },
    ),
    json,
  ),
  at: fc.integer({ min: 0, max: 3 }),
  parts: fc.array(part, { maxLength: 5 }),
});
/** A number of characters after which the JSON is cut off, in some of the rows. */
const spoiled = fc.option(fc.nat({ max: 200 }), { freq: 8 });

const session = fc.record({
  messages: fc.array(fc.tuple(message, spoiled), { maxLength: 6 }),
  title: fc.oneof(words, fc.constant("New session - 2026-05-06T07:00:00.000Z")),
  time_updated: fc.oneof(fc.nat(), fc.constantFrom(FIRST_MS, Number.MAX_SAFE_INTEGER)),
  revert: fc.oneof(
    json,
    fc.record({
      messageID: fc.constantFrom("msg_0", "msg_2", "msg_9"),
      partID: fc.constantFrom("prt_0_1", "prt_2_0"),
    }),
  ),
});

test("any rows are read: nothing is thrown, every row is an entry, the row of the list is that of a full read", async () => {
  const path = databaseOf();
  const database = new DatabaseSync(path);
  await fc.assert(
    fc.asyncProperty(session, async ({ messages, revert, ...row }) => {
      database.exec("delete from part; delete from message; delete from session");
      insertSession(database, {
        row: { ...row, revert: JSON.stringify(revert) },
        messages: messages.map(([{ data, at, parts }, cut], number) => ({
          id: `msg_${number}`,
          at: FIRST_MS + at,
          data: cut === null ? JSON.stringify(data) : JSON.stringify(data).slice(0, cut),
          parts: parts.map((each, place) => ({ id: `prt_${number}_${place}`, data: JSON.stringify(each) })),
        })),
      });
      const [found] = await findIn(path);
      if (found === undefined) throw new Error("expected a session");
      const { problems: _problems, ...skimmed } = await opencodeFormat.skim(found, { part: "whole" });
      using opened = await opencodeFormat.open(found, placesOf(path), {});
      expect(opened.details).toMatchObject(skimmed);
      const entries = await Array.fromAsync(opened.entries());
      expect(entries).toHaveLength(opened.details.records);
      expect(entries.map(({ value }) => (value as { id: unknown }).id).sort()).toEqual(
        idsIn(database).sort(),
      );
      for (const { id, messages: count } of opened.leaves) {
        const history = await Array.fromAsync(opened.history({ leaf: id, native: true }));
        expect(history).toHaveLength(count);
        expect(new Set(history.map((each) => each.id)).size).toBe(count);
        expect(JSON.parse(JSON.stringify(history))).toEqual(history);
        opencodeFormat.modelView(history);
      }
      const { total, ...byRole } = opened.details.messages;
      expect(Object.values(byRole).reduce((sum, count) => sum + count)).toBe(total);
    }),
    { numRuns: rounds(200) },
  );
  database.close();
});

function idsIn(database: DatabaseSync): unknown[] {
  const rows = database.prepare(
    "select id from session union all select id from message union all select id from part",
  );
  return rows.all().map(({ id }) => id);
}

test("a damaged database throws only if it cannot be read, and is not changed", async () => {
  const long = "words ".repeat(300);
  const whole = databaseOf(
    ...["ses_1", "ses_2"].map((id) => ({
      row: { id },
      messages: Array.from({ length: 12 }, (_, at) =>
        at % 2 === 0
          ? user(`${id}_${at}`, `${long} ${at}`)
          : answer(`${id}_${at}`, [
              STEP,
              text(long),
              toolPart("c", { status: "completed", output: long, time: {} }),
            ]),
      ),
    })),
  );
  const bytes = readFileSync(whole);
  const path = join(folder(), "opencode.db");
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(truncated(bytes), flipped(bytes), flipped(bytes)), async (damage) => {
      writeFileSync(path, damage.bytes);
      for (const found of await findIn(path)) {
        await opencodeFormat.skim(found, { part: "ends" });
        await opencodeFormat.skim(found, { part: "whole" });
        await readOrRefuse(found, () => {
          opened += 1;
        });
      }
      expect(readFileSync(path).equals(damage.bytes), damage.what).toBe(true);
    }),
    { numRuns: rounds(150) },
  );
  expect(opened).toBeGreaterThan(rounds(150) / 5);
});

async function readOrRefuse(found: FoundSession, onOpened: () => void): Promise<void> {
  try {
    using opened = await opencodeFormat.open(found, placesOf("/nowhere.db"), {});
    onOpened();
    for (const { id, messages } of opened.leaves) {
      const history = await Array.fromAsync(opened.history({ leaf: id }));
      expect(history).toHaveLength(messages);
    }
    await Array.fromAsync(opened.entries());
  } catch (error) {
    expect(isContinuoError(error), String(error)).toBe(true);
  }
}

test("a database is read while a copy of it is damaged in one message: the others are there", async () => {
  const path = databaseOf({
    messages: Array.from({ length: 9 }, (_, at) => user(`msg_${at}`, "x".repeat(9000))),
  });
  const copy = join(folder(), "opencode.db");
  copyFileSync(path, copy);
  const bytes = readFileSync(copy);
  // The last page but one is an overflow page of some part, so its link to the next page is invalid now.
  bytes.fill(0xff, bytes.length - 8192, bytes.length - 4096);
  writeFileSync(copy, bytes);
  using opened = await openIn(copy, SESSION);
  expect(opened.problems.length).toBeGreaterThan(0);
  expect((await Array.fromAsync(opened.history())).length).toBe(9);
});
