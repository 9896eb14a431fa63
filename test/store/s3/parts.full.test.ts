/** Uploads in three parts, with each way in which requests fail; `s3.test.ts` has the upload of two parts. */

import { join } from "node:path";
import { test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { openBucket } from "./bucket.ts";
import { expectUploaded } from "./parts.ts";

const folder = scratchFolder("s3-parts");
const s3 = await openBucket();

test.each([undefined, "busy", "lost", "late error"] as const)(
  "a blob of 20 MB is uploaded in parts, also when requests fail: %s",
  async (fault) => {
    const url = `sqlite:${join(folder, `${fault ?? "none"}.db`)}`;
    await expectUploaded(s3, { url, sizeBytes: 20_000_000, fault, numbers: [0, 3, 6] });
  },
);
