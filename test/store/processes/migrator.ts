/** Migrates a database: `migrator.ts URL`. */

import { openStore } from "@continuo/store";

const [url = ""] = process.argv.slice(2);
await using _store = await openStore(url, { migrate: true });
