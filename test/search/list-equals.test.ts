import { rmSync } from "node:fs";
import type { Places } from "@continuo/agents";
import { readNativeList } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { editFile, fileEdit, setTimes } from "./file-edits.ts";

let scratch: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("list");
  places = copyEveryCase(scratch, 2);
});

/** Long after anything was written, so that everything is remembered. */
const LATER = Date.now() + 86_400_000;

test("the list by the index equals the list without it, whatever is done to the files", async () => {
  const step = fc.record({
    edit: fileEdit,
    archived: fc.constantFrom("include", "exclude"),
    limit: fc.constantFrom(undefined, 3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10, size: "max" }), async (steps) => {
      rmSync(scratch, { recursive: true });
      places = copyEveryCase(scratch, 2);
      setTimes(scratch);
      await readNativeList({ places, memo: openRows(indexPathOf(places), LATER) });
      for (const { edit, archived, limit } of steps) {
        editFile(edit, { scratch, places });
        const options = { places, archived, ...(limit === undefined ? {} : { limit }) };
        const memo = openRows(indexPathOf(places), LATER);
        expect(await readNativeList({ ...options, memo })).toEqual(await readNativeList(options));
      }
    }),
    { numRuns: rounds(40) },
  );
}, 600_000);
