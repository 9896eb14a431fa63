/** Migrates a database: `migrator.ts URL`. */

import { openStore } from "../../../src/store/index.ts";

const [url = ""] = process.argv.slice(2);
await using _store = await openStore(url, { migrate: true });
