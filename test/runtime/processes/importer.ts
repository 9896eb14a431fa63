/**
 * `importer.ts STORE HOME FILE library|chat`: imports a session of Claude Code, as a program or as `continuo chat` does it,
 * and stops for ever when a part of it is stored.
 */

import { lookUpSession } from "@continuo/native";
import { importNativeSession } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { importNative } from "../../../packages/agents/src/conversations/native-import.ts";
import { withCalls } from "../../intercepted.ts";

const [url = "", home = "", file = "", way] = process.argv.slice(2);
const places = { home, env: {}, cwd: home };
let appends = 0;
const store = withCalls(await openStore(url), async ({ method, proceed }) => {
  const result = await proceed();
  if (method !== "append" || ++appends < 2) return result;
  console.log("a part is stored");
  setInterval(() => undefined, 1_000);
  return await new Promise(() => undefined);
});
if (way === "library") await importNativeSession(store, file, { places });
else {
  const { found } = await lookUpSession(file, { places });
  await importNative(found, { store, places, cwd: home });
}
