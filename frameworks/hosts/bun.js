/** The handler as the server of Bun. */

import { handler } from "./program.js";

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler });
process.stdout.write(`http://127.0.0.1:${server.port}\n`);
