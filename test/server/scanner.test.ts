/** The operator's program that scans attachments: an attachment that it refuses, or cannot judge, is not stored. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { createScanner } from "../../src/cli/serve/scanner.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "./harness/open-server.ts";

const folder = scratchFolder("scanner");

/** A program that runs this line in a shell, with the attachment as its input. */
function programOf(name: string, line: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${line}\n`, { mode: 0o700 });
  return path;
}

const MALICIOUS = "a file with the mark of a malicious one";
const LARGE = `${MALICIOUS} ${"x".repeat(3_000_000)}`;

/** The status, the code of an error, and whether the store has the bytes. */
async function sent(program: string, body: string): Promise<readonly unknown[]> {
  await using store = await openStore("memory:");
  const server = await openServer(store, { scanAttachment: createScanner(program) });
  const answer = await fetch(`${server.url}/v1/blobs`, { method: "POST", body });
  const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
  const hash = createHash("sha256").update(body).digest("hex");
  const isStored = (await store.statBlob(hash)) !== null;
  await server.close();
  return [answer.status, error?.code, isStored];
}

test("an attachment that the scanner refuses is not stored, and one that it accepts is", async () => {
  const scanner = programOf("scanner", "if grep -q malicious; then exit 1; fi");
  expect(await sent(scanner, "a file")).toEqual([201, undefined, true]);
  expect(await sent(scanner, "x".repeat(3_000_000))).toEqual([201, undefined, true]);
  expect(await sent(scanner, MALICIOUS)).toEqual([400, "invalid", false]);
  // This program decides, and ends, before it has read everything.
  expect(await sent(scanner, LARGE)).toEqual([400, "invalid", false]);
});

test("an attachment is not stored when the scanner fails, is killed, or is not there", async () => {
  for (const program of [
    programOf("failing", "cat > /dev/null; exit 2"),
    programOf("killed", "kill -9 $$"),
    join(folder, "nowhere"),
  ]) {
    expect([program, ...(await sent(program, "a file"))]).toEqual([program, 503, "unavailable", false]);
  }
});
