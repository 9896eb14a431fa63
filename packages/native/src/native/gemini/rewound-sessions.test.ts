import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { statFile } from "@continuo/files";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { bytesOf, draftOf } from "../repairing/index.ts";
import { dropEmptyingRewinds, isRewound } from "./rewound-sessions.ts";

type Line = { readonly say: string } | { readonly note: string } | { readonly rewindTo: string };

const toText = (lines: readonly Line[]): string =>
  lines
    .map((line) => {
      if ("rewindTo" in line) return { $rewindTo: line.rewindTo };
      return "say" in line
        ? { id: line.say, type: "user", content: [{ text: "Hello" }] }
        : { id: line.note, type: "info", content: "Logged in" };
    })
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");

/** The list as Gemini CLI makes it, one record after the other. */
function listOf(lines: readonly Line[]): readonly string[] {
  let list: string[] = [];
  for (const line of lines) {
    if ("rewindTo" in line) {
      const at = list.findIndex((entry) => entry.slice(1) === line.rewindTo);
      list = list.slice(0, Math.max(0, at));
      continue;
    }
    const entry = "say" in line ? `+${line.say}` : `-${line.note}`;
    const at = list.findIndex((other) => other.slice(1) === entry.slice(1));
    if (at === -1) list.push(entry);
    else list[at] = entry;
  }
  return list;
}

const isSaid = (lines: readonly Line[]): boolean => listOf(lines).some((entry) => entry.startsWith("+"));

async function isRewoundFile(lines: readonly Line[]): Promise<boolean> {
  const path = join(scratchFolder("rewound"), "session.jsonl");
  writeFileSync(path, toText(lines));
  const file = statFile(path);
  if (file === null) throw new Error("there is no file");
  return await isRewound(file);
}

function mended(lines: readonly Line[]): string {
  const draft = draftOf(Buffer.from(toText(lines)));
  dropEmptyingRewinds(draft);
  return bytesOf(draft).toString();
}

const ids = fc.constantFrom("a", "b", "c");
// In Gemini CLI, a notice never has the id of a message of the conversation.
const line: fc.Arbitrary<Line> = fc.oneof(
  fc.record({ say: ids }),
  fc.record({ note: fc.constantFrom("n1", "n2") }),
  fc.record({ rewindTo: fc.constantFrom("a", "b", "c", "n1", "none") }),
);

test("a session is rewound if a rewind comes after its last message and leaves no message", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      const last = lines.findLastIndex((one) => !("note" in one));
      const endsInRewind = last !== -1 && "rewindTo" in (lines[last] as Line);
      expect(await isRewoundFile(lines)).toBe(endsInRewind && !isSaid(lines));
    }),
    { numRuns: 60 },
  );
});

test("the last rewinds are removed one after the other until a message remains", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      let kept = lines;
      while (!isSaid(kept)) {
        const at = kept.findLastIndex((one) => "rewindTo" in one);
        if (at === -1) break;
        kept = kept.toSpliced(at, 1);
      }
      expect(mended(lines)).toBe(toText(kept));
    }),
    { numRuns: 300 },
  );
});

test("50,000 messages and 50,000 rewinds are read in one pass", async () => {
  const said = Array.from({ length: 50_000 }, (_, at): Line => ({ say: `m${at}` }));
  const rewinds = said.toReversed().map((one): Line => ({ rewindTo: "say" in one ? one.say : "" }));
  expect(await isRewoundFile([...said, ...rewinds])).toBe(true);
  expect(mended([...said, ...rewinds]).split("\n")).toHaveLength(100_000);
});
