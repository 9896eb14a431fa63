/**
 * `node serve.ts FOLDER`: serves the files of a release, and prints the address. The server is a separate process,
 * because the bench blocks its own while it measures.
 */

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: node serve.ts FOLDER\n");
  process.exit(2);
}
const server = createServer(({ url = "" }, response) => {
  const path = join(folder, url);
  if (existsSync(path)) createReadStream(path).pipe(response);
  else response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
