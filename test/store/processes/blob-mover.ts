/**
 * Moves all blobs of a store: `blob-mover.ts URL PLACE S3`, with the settings of S3 as JSON. Prints a line when it
 * begins and when it ends.
 */

import { writeSync } from "node:fs";
import { type MoveBlobsOptions, moveBlobs, openStore } from "@continuo/store";

const [url = "", to = "", s3 = ""] = process.argv.slice(2);
await using store = await openStore(url, { blobs: { s3: JSON.parse(s3) } });
writeSync(1, "begun\n");
const { moved } = await moveBlobs(store, { to: to as MoveBlobsOptions["to"] });
writeSync(1, `moved ${moved}\n`);
