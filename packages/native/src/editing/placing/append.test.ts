import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { againOnConflict } from "./append.ts";

function conflict(details?: Readonly<Record<string, unknown>>): ContinuoError {
  return new ContinuoError("conflict", "the agent wrote", details === undefined ? {} : { details });
}

/** Fails once for each error. Returns the number of calls. */
async function tries(...errors: readonly unknown[]): Promise<number> {
  let count = 0;
  return await againOnConflict(async () => {
    count += 1;
    if (count <= errors.length) throw errors[count - 1];
    return count;
  });
}

test("an edit is tried two more times if the agent wrote to the file first", async () => {
  const error = conflict({ isWritten: false });
  expect(await tries()).toBe(1);
  expect(await tries(error)).toBe(2);
  expect(await tries(error, error)).toBe(3);
  const last = conflict({ isWritten: false });
  await expect(tries(error, error, last)).rejects.toBe(last);
});

test.each([
  conflict(),
  conflict({ isWritten: true }),
  conflict({ isWritten: undefined }),
  new ContinuoError("busy", "another edit", { details: { isWritten: false } }),
  new Error("conflict"),
])("an edit is not repeated after %j", async (error) => {
  await expect(tries(error)).rejects.toBe(error);
});
