/** Fills the index of a home in small transactions, and prints a dot for each session, until it is killed or done. */

import { updateTexts } from "@continuo/agents/catalog";

const [, , places, batchChars] = process.argv;
if (places === undefined) throw new Error("which places?");
process.stdout.write("begin ");
await updateTexts({
  places: JSON.parse(places),
  batchChars: Number(batchChars),
  onProgress: () => process.stdout.write("."),
});
process.stdout.write(" done");
