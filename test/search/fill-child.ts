/** Fills the index of a home in small transactions, until it is killed or done. */

import { updateTexts } from "../../src/catalog/index.ts";

const [, , places, batchChars] = process.argv;
if (places === undefined) throw new Error("which places?");
process.stdout.write("begin\n");
await updateTexts({ places: JSON.parse(places), batchChars: Number(batchChars) });
process.stdout.write("done\n");
