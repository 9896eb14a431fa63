/** Stores a blob of BYTES bytes: `blob-filler.ts URL BYTES`. Prints `refused CODE: MESSAGE` if the store refuses it. */

import { writeSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";

const [url = "", bytes = "0"] = process.argv.slice(2);
await using store = await openStore(url);
try {
  await store.putBlob(new Uint8Array(Number(bytes)));
} catch (error) {
  writeSync(1, `refused ${isContinuoError(error) ? `${error.code}: ${error.message}` : String(error)}\n`);
}
